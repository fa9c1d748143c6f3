//! What the commands that talk to servers share: a runtime, interrupts, the environment.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use mcptest_mcp::{Patience, process};
use mcptest_run::launch::Surroundings;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use crate::args::PatienceArgs;
use crate::output;

/// Exit code after an interrupt.
pub const INTERRUPTED: u8 = 130;

/// Runs a command's future; `stop` turns true at the first Ctrl-C, the second ends at once.
///
/// Whatever happens (a panic too), no server is left behind.
pub fn block_on<T, F: Future<Output = T>>(
    work: impl FnOnce(watch::Receiver<bool>) -> F,
) -> anyhow::Result<T> {
    process::kill_all_on_panic();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let (send, receive) = watch::channel(false);
    let done = runtime.block_on(async {
        // Listening before anything starts: no signal finds us unprepared.
        let signals = signal(SignalKind::interrupt())
            .and_then(|interrupt| Ok((interrupt, signal(SignalKind::terminate())?)));
        if let Ok((interrupt, terminate)) = signals {
            tokio::spawn(interrupts(interrupt, terminate, send));
        }
        work(receive).await
    });
    process::kill_all();
    // Blocking reads of stdin must not hold the exit up.
    runtime.shutdown_timeout(Duration::from_millis(100));
    Ok(done)
}

async fn interrupts(mut interrupt: Signal, mut terminate: Signal, stop: watch::Sender<bool>) {
    let mut first = true;
    loop {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        if !first {
            process::kill_all();
            end_at_once();
        }
        first = false;
        output::say("interrupted: finishing; once more to stop at once");
        let _ = stop.send(true);
    }
}

#[expect(
    clippy::exit,
    reason = "the second interrupt asks for exactly this, and every group is ended"
)]
fn end_at_once() -> ! {
    std::process::exit(i32::from(INTERRUPTED))
}

/// The environment, read once, and the folder relative paths start from.
pub fn surroundings(suite: &Path) -> anyhow::Result<Surroundings> {
    let folder =
        suite.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let readable = |(key, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((key.into_string().ok()?, value.into_string().ok()?))
    };
    Ok(Surroundings {
        // Absolute, because a sandbox starts somewhere else.
        folder: std::path::absolute(folder).context("cannot find the current folder")?,
        env: std::env::vars_os().filter_map(readable).collect::<BTreeMap<_, _>>(),
        own_binary: std::env::current_exe().context("cannot find the running binary")?,
    })
}

/// Seconds as typed into what the client waits.
pub fn patience(args: PatienceArgs) -> Patience {
    let handshake = Duration::from_secs_f64(args.handshake_timeout);
    let standard = Patience::default();
    Patience {
        handshake,
        discover: standard.discover.min(handshake),
        call: Duration::from_secs_f64(args.call_timeout),
        ..standard
    }
}
