//! Each fault is survived in bounded time and named.

use std::time::{Duration, Instant};

use mcptest_mcp::process::Program;
use mcptest_mcp::{
    Address, CallError, Lifecycle, Patience, Server, StartError, ToolAnswer, ViolationKind,
};

const CALL: Duration = Duration::from_secs(4);

fn patience() -> Patience {
    Patience {
        handshake: Duration::from_secs(4),
        discover: Duration::from_secs(1),
        call: CALL,
        end: Duration::from_millis(300),
    }
}

fn address(fault: &str) -> Address {
    let argv = vec![env!("CARGO_BIN_EXE_misbehave").to_owned(), fault.to_owned()];
    Address::Command { program: Program { argv, ..Program::default() }, isolation: None }
}

async fn connect(fault: &str) -> Result<Server, StartError> {
    Server::connect(&address(fault), Lifecycle::Auto, patience()).await
}

/// Calls `echo` on a server with this fault: the answer, what was seen, and how long it took.
async fn call(fault: &str) -> (Result<ToolAnswer, CallError>, Vec<ViolationKind>, Duration) {
    let server = connect(fault).await.unwrap();
    let started = Instant::now();
    let answer = server.call("echo", &serde_json::Map::new()).await;
    let took = started.elapsed();
    let kinds = server.violations().iter().map(|violation| violation.kind).collect();
    server.close().await;
    (answer, kinds, took)
}

#[tokio::test]
async fn a_good_server_is_good() {
    let (answer, kinds, _) = call("none").await;
    assert!(answer.is_ok());
    assert_eq!(kinds, []);
}

#[tokio::test]
async fn lost_answers_end_by_name_long_before_the_time_out() {
    use ViolationKind::{BrokenJson, InvalidUtf8, NotJson, Oversized, WrongId};
    for (fault, kind) in [
        ("truncated", BrokenJson),
        ("invalid-utf8", InvalidUtf8),
        ("wrong-id", WrongId),
        ("id-as-text", WrongId),
        ("huge-line", Oversized),
    ] {
        let (answer, kinds, took) = call(fault).await;
        let Err(CallError::Violation(violation)) = answer else { panic!("{fault}: {answer:?}") };
        assert_eq!((violation.kind, kinds.as_slice()), (kind, [kind].as_slice()), "{fault}");
        assert!(took < CALL / 2, "{fault} took {took:?}");
    }
    // Bytes that do not even look like a message may be a log line: the answer may still come.
    let (answer, kinds, _) = call("garbage").await;
    assert!(matches!(answer, Err(CallError::Timeout { violations: 1, .. })), "{answer:?}");
    assert_eq!(kinds, [NotJson]);
}

#[tokio::test]
async fn answers_that_can_be_used_are_used_and_the_breach_is_named() {
    use ViolationKind::{BadResult, MissingJsonrpc, NotJson};
    for (fault, kind) in
        [("no-jsonrpc", MissingJsonrpc), ("log-lines", NotJson), ("no-content", BadResult)]
    {
        let (answer, kinds, _) = call(fault).await;
        assert!(answer.is_ok(), "{fault}: {answer:?}");
        assert!(kinds.contains(&kind), "{fault}: {kinds:?}");
    }
}

#[tokio::test]
async fn answers_that_contradict_themselves_fail_at_once() {
    use ViolationKind::{ErrorWithoutCode, ResultAndError};
    for (fault, kind) in [("both", ResultAndError), ("error-without-code", ErrorWithoutCode)] {
        let (answer, kinds, took) = call(fault).await;
        assert!(matches!(answer, Err(CallError::Refused { .. })), "{fault}: {answer:?}");
        assert_eq!(kinds, [kind], "{fault}");
        assert!(took < CALL / 2);
    }
}

#[tokio::test]
async fn a_second_answer_is_named() {
    let server = connect("answers-twice").await.unwrap();
    for _ in 0..2 {
        assert!(server.call("echo", &serde_json::Map::new()).await.is_ok());
    }
    assert!(
        server.violations().iter().any(|violation| violation.kind == ViolationKind::SecondAnswer)
    );
    server.close().await;
}

#[tokio::test]
async fn a_flood_of_notifications_is_counted_not_kept() {
    let (answer, kinds, took) = call("flood").await;
    let Err(CallError::Timeout { notices, .. }) = &answer else { panic!("{answer:?}") };
    assert!(*notices > 1_000, "{notices}");
    assert!(answer.unwrap_err().to_string().contains("notifications"));
    assert_eq!(kinds, []);
    assert!(took < CALL * 2);
}

#[tokio::test]
async fn requests_of_the_server_are_answered() {
    let (answer, kinds, _) = call("asks-back").await;
    assert!(answer.is_ok(), "{answer:?}");
    assert_eq!(kinds, []);
}

#[tokio::test]
async fn a_hang_is_a_time_out_that_says_of_what() {
    let (answer, _, took) = call("hangs-in-call").await;
    assert_eq!(answer.unwrap_err().to_string(), "no answer to tools/call within 4s");
    assert!(took < CALL * 2);
}

#[tokio::test]
async fn a_death_in_mid_call_says_how_it_died() {
    let server = connect("dies-in-call").await.unwrap();
    let error = server.call("echo", &serde_json::Map::new()).await.unwrap_err();
    assert_eq!(error.to_string(), "the server ended (exit status: 42)");
    assert_eq!(server.stderr().await, ["segmentation fault, almost"]);
    // And so does every call after it, at once.
    assert!(matches!(
        server.call("echo", &serde_json::Map::new()).await,
        Err(CallError::Died { .. })
    ));
    server.close().await;
}

#[tokio::test]
async fn a_death_is_noticed_though_a_grandchild_holds_stdout() {
    let (answer, _, took) = call("dies-but-its-child-holds-stdout").await;
    assert_eq!(answer.unwrap_err().to_string(), "the server ended (exit status: 7)");
    assert!(took < CALL / 2, "{took:?}");
}

#[tokio::test]
async fn a_request_that_was_given_up_leaves_no_half_line() {
    let short = Patience { call: Duration::from_millis(700), ..patience() };
    let server =
        Server::connect(&address("pauses-after-list"), Lifecycle::Auto, short).await.unwrap();
    server.tools().await.unwrap();
    let large = [("text".to_owned(), "x".repeat(1 << 20).into())].into_iter().collect();
    assert!(matches!(server.call("echo", &large).await, Err(CallError::Timeout { .. })));
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert!(server.call("echo", &serde_json::Map::new()).await.is_ok());
    assert_eq!(server.violations(), []);
    server.close().await;
}

/// Answers the handshake over HTTP and then never answers the notification that ends it.
fn half_a_handshake() -> String {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut silent = Vec::new();
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut buffer = vec![0; 64 << 10];
            let size = stream.read(&mut buffer).unwrap_or_default();
            let text = String::from_utf8_lossy(&buffer[..size]).into_owned();
            let body = if text.contains("server/discover") {
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#
            } else if text.contains("\"initialize\"") {
                r#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"h","version":"1"}}}"#
            } else {
                silent.push(stream);
                continue;
            };
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(format!("{head}{body}").as_bytes());
        }
    });
    url
}

#[tokio::test]
async fn a_notification_that_is_never_accepted_ends_in_time() {
    let address = Address::Url { url: half_a_handshake(), headers: Default::default() };
    let started = Instant::now();
    let error = Server::connect(&address, Lifecycle::Auto, patience()).await.unwrap_err();
    assert!(error.to_string().contains("no answer to notifications/initialized"), "{error}");
    assert!(started.elapsed() < Duration::from_secs(12));
}

#[tokio::test]
async fn a_start_that_fails_shows_stderr() {
    let error = connect("dies-at-start").await.unwrap_err();
    let StartError::Handshake { reason, stderr, .. } = &error else { panic!("{error:?}") };
    let CallError::Died { how } = &**reason else { panic!("{reason:?}") };
    assert_eq!(how, "exit status: 7");
    assert_eq!(*stderr, ["cannot find the licence file"]);
    let missing = Address::Command {
        program: Program {
            argv: vec!["no-such-program-anywhere".to_owned()],
            ..Program::default()
        },
        isolation: None,
    };
    let error = Server::connect(&missing, Lifecycle::Auto, patience()).await.unwrap_err();
    assert!(error.to_string().starts_with("cannot start `no-such-program-anywhere`"), "{error}");
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up_in_time() {
    let started = Instant::now();
    let error = connect("never-answers").await.unwrap_err();
    assert!(
        error.to_string().contains("initialize failed: no answer to initialize within 4s"),
        "{error}"
    );
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn silence_on_discover_leads_to_the_handshake() {
    let started = Instant::now();
    let server = connect("silent-on-discover").await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(3));
    assert_eq!(server.about().protocol, "2025-06-18");
    assert!(!server.about().stateless);
    server.close().await;
}

#[tokio::test]
async fn a_slow_server_without_handshake_is_asked_again() {
    let server = connect("slow-and-stateless").await.unwrap();
    assert!(server.about().stateless);
    assert_eq!(server.violations(), []);
    server.close().await;
}

#[tokio::test]
async fn lists_that_never_end_are_named() {
    for fault in ["endless-pages", "same-cursor"] {
        let server = connect(fault).await.unwrap();
        let error = server.tools().await.unwrap_err();
        let CallError::Violation(violation) = &error else { panic!("{error:?}") };
        assert_eq!(violation.kind, ViolationKind::EndlessPages, "{fault}");
        server.close().await;
    }
}

#[tokio::test]
async fn one_bad_tool_does_not_spoil_the_catalog() {
    for (fault, tools, kind) in [
        ("tool-without-schema", 3, ViolationKind::ToolWithoutSchema),
        ("tool-without-name", 1, ViolationKind::ToolWithoutName),
    ] {
        let server = connect(fault).await.unwrap();
        assert_eq!(server.tools().await.unwrap().len(), tools, "{fault}");
        assert_eq!(
            server.violations().iter().map(|violation| violation.kind).collect::<Vec<_>>(),
            [kind]
        );
        server.close().await;
    }
    let server = connect("list-is-no-list").await.unwrap();
    assert!(matches!(server.tools().await, Err(CallError::Violation(_))));
    server.close().await;
}

#[tokio::test]
async fn an_unknown_protocol_version_is_reported() {
    let server = connect("wrong-version").await.unwrap();
    assert_eq!(server.violations()[0].kind, ViolationKind::BadResult);
    server.close().await;
}

/// Whether a process is there and no zombie.
fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

#[tokio::test]
async fn grandchildren_do_not_outlive_their_server() {
    for dropped in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let Address::Command { mut program, .. } = address("grandchildren") else { unreachable!() };
        program.argv.push(file.display().to_string());
        let server = Server::connect(
            &Address::Command { program, isolation: None },
            Lifecycle::Auto,
            patience(),
        )
        .await
        .unwrap();
        let pid = std::fs::read_to_string(&file).unwrap();
        assert!(is_alive(&pid));
        if dropped {
            drop(server)
        } else {
            server.close().await
        }
        let gone = (0..50).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            !is_alive(&pid)
        });
        assert!(gone, "the grandchild {pid} is still there (dropped: {dropped})");
    }
}

#[tokio::test]
async fn a_server_that_ignores_the_end_of_its_input_is_ended() {
    let server = connect("ignores-eof").await.unwrap();
    let started = Instant::now();
    server.close().await;
    assert!(started.elapsed() < Duration::from_secs(3));
}

#[test]
fn a_panic_leaves_no_server_behind() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_panics"))
        .args([env!("CARGO_BIN_EXE_misbehave"), "grandchildren"])
        .arg(&file)
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(!status.success());
    let pid = std::fs::read_to_string(&file).unwrap();
    let gone = (0..50).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        !is_alive(&pid)
    });
    assert!(gone, "the grandchild {pid} is still there");
}

/// The most memory this process has held so far, in KiB.
fn high_water() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_hundred_megabytes_in_one_line_are_not_kept() {
    let before = high_water();
    let (answer, kinds, _) = call("huge-line").await;
    assert!(answer.is_err());
    assert_eq!(kinds, [ViolationKind::Oversized]);
    let grown = high_water() - before;
    assert!(grown < 64 << 10, "{grown} KiB for a line that is thrown away");
}
