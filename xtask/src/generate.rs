//! Files that are generated from the types, and the check that they are current.

use anyhow::{Context as _, bail};

use crate::{cargo, root, tell};

/// Kind of schema and the file that holds it.
const SCHEMAS: &[(&str, &str)] = &[
    ("suite", "schema/v1.json"),
    ("mock", "schema/mock-v1.json"),
    ("trace", "schema/trace-v1.json"),
    ("result", "schema/result-v1.json"),
];

/// Rewrites the files, or only says which are stale.
pub fn run(check: bool) -> anyhow::Result<()> {
    let mut stale = Vec::new();
    for (kind, file) in SCHEMAS {
        let output = cargo()
            .args(["run", "--quiet", "--locked", "-p", "mcptest", "--", "schema", kind])
            .output()?;
        if !output.status.success() {
            bail!("mcptest schema {kind} failed: {}", String::from_utf8_lossy(&output.stderr));
        }
        let path = root().join(file);
        if std::fs::read(&path).is_ok_and(|current| current == output.stdout) {
            continue;
        }
        if check {
            stale.push(*file);
        } else {
            std::fs::write(&path, &output.stdout)
                .with_context(|| format!("cannot write {file}"))?;
            tell(&format!("wrote {file}"));
        }
    }
    if !stale.is_empty() {
        bail!("stale: {}; run `cargo xtask generate`", stale.join(", "));
    }
    Ok(())
}
