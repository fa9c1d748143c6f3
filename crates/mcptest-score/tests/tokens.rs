//! cl100k_base, counted by two implementations that share no code.

use std::path::Path;

use mcptest_score::surface::tool_tokens;
use mcptest_score::tokens::{Cl100k, TokenCounter as _};
use mcptest_trace::parse_surface;
use serde_json::Value;
use serde_json::value::to_raw_value;

/// The other implementation.
fn reference(text: &str) -> u64 {
    bpe_openai::cl100k_base().count(text) as u64
}

#[test]
fn fixed_strings_have_their_published_counts() {
    for (text, tokens) in [
        ("", 0),
        ("tiktoken is great!", 6),
        ("antidisestablishmentarianism", 6),
        ("2 + 2 = 4", 7),
        ("お誕生日おめでとう", 9),
        ("search", 1),
        ("{\"type\":\"object\"}", 5),
    ] {
        assert_eq!(Cl100k.count(text), tokens, "{text}");
        assert_eq!(reference(text), tokens, "{text}");
    }
}

#[test]
fn awkward_strings_are_counted_alike() {
    for text in [
        "東京の天気はどうですか。明日は雨が降るでしょう。",
        "한국어 문장도 있습니다",
        "مرحبا بالعالم",
        "🗼👩‍👩‍👧‍👦🏳️‍🌈 e\u{301} \u{200b}\u{feff}",
        "fn main() {\n    let x: Vec<_> = (0..10).map(|i| i * 2).collect();\n\tprintln!(\"{x:?}\");\n}\r\n",
        "def f(x):\n\treturn {k: v for k, v in x.items() if k != '__init__'}\n",
        "camelCaseToolName snake_case_tool_name kebab-case-tool SCREAMING_CASE http2Server",
        "I'll, you'd, WE'VE, it's 1234567890 3.14159 1e-9 0xDEADBEEF",
        "   leading,  double  and trailing spaces   \n\n\n   ",
        "<|endoftext|> <|im_start|>",
        "\0\u{1}\u{7f}",
    ] {
        assert_eq!(Cl100k.count(text), reference(text), "{text:?}");
    }
    let long = "aaaaaaaa ".repeat(2_000) + &"x".repeat(5_000) + &" ".repeat(3_000);
    assert_eq!(Cl100k.count(&long), reference(&long));
}

/// Every tool of the real catalogs: name, description and input schema as compact JSON.
#[test]
fn real_catalogs_are_counted_alike() {
    let Some(data) = std::env::var_os("MCPTEST_DATA") else {
        println!("skipped: MCPTEST_DATA is not set");
        return;
    };
    let mut tools = 0;
    for entry in std::fs::read_dir(Path::new(&data).join("catalogs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let catalog: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        for tool in catalog["tools"].as_array().unwrap() {
            tools += 1;
            let name = tool["name"].as_str().unwrap();
            let description = tool["description"].as_str().unwrap_or_default();
            let schema = tool["inputSchema"].to_string();
            for text in [name, description, &schema] {
                assert_eq!(Cl100k.count(text), reference(text), "{} {name}", path.display());
            }
            let surface = parse_surface(&to_raw_value(&[tool]).unwrap()).unwrap();
            let expected = reference(name) + reference(description) + reference(&schema);
            assert_eq!(tool_tokens(&surface[0], &Cl100k), expected, "{} {name}", path.display());
        }
    }
    assert_eq!(tools, 409);
}
