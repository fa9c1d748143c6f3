//! The baseline of `bench servers`: the least that can be called an MCP client.
//!
//! It writes a line or a request, reads until the answer, and looks at nothing but the id.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, bail};
use serde::Deserialize;
use serde_json::{Value, json};

/// What every request of the revision without a handshake carries.
const META: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

#[derive(Deserialize)]
struct Answer {
    id: Option<u64>,
    error: Option<Value>,
}

/// Whether this is the answer; an error is one that ends the benchmark.
fn is_answer(text: &str, id: u64) -> anyhow::Result<bool> {
    let answer: Answer = serde_json::from_str(text).with_context(|| text.to_owned())?;
    match answer.error {
        Some(error) if answer.id == Some(id) => bail!("the server answered with {error}"),
        _ => Ok(answer.id == Some(id)),
    }
}

/// A request as one line.
fn request(id: u64, method: &str, mut params: Value, stateless: bool) -> anyhow::Result<String> {
    if stateless {
        params["_meta"] = serde_json::from_str(META)?;
    }
    Ok(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string())
}

/// A server process and its pipes.
pub struct Pipe {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    line: String,
    id: u64,
    stateless: bool,
}

impl Pipe {
    /// Starts a server and agrees with it.
    pub fn start(argv: &[String], stateless: bool) -> anyhow::Result<Self> {
        let (program, arguments) = argv.split_first().context("no command")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("cannot start {program}"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (stdin, stdout) = pipes.context("no pipes")?;
        let (stdout, line) = (BufReader::with_capacity(64 << 10, stdout), String::new());
        let mut server = Self { child, stdin, stdout, line, id: 0, stateless };
        if stateless {
            server.ask("server/discover", json!({}))?;
        } else {
            let info = json!({ "name": "raw", "version": "1" });
            let params =
                json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
            server.ask("initialize", params)?;
            server
                .stdin
                .write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        }
        Ok(server)
    }

    /// Asks and waits for the answer.
    pub fn ask(&mut self, method: &str, params: Value) -> anyhow::Result<()> {
        self.id += 1;
        let mut message = request(self.id, method, params, self.stateless)?;
        message.push('\n');
        self.stdin.write_all(message.as_bytes())?;
        loop {
            self.line.clear();
            if self.stdout.read_line(&mut self.line)? == 0 {
                bail!("the server ended");
            }
            if is_answer(&self.line, self.id)? {
                return Ok(());
            }
        }
    }

    /// Calls `echo`.
    pub fn echo(&mut self, message: &str) -> anyhow::Result<()> {
        self.ask("tools/call", json!({ "name": "echo", "arguments": { "message": message } }))
    }

    /// Closes its stdin and waits for its end.
    pub fn end(mut self) -> anyhow::Result<()> {
        drop(self.stdin);
        self.child.wait()?;
        Ok(())
    }
}

/// One connection that is kept alive.
pub struct Http {
    stream: BufReader<TcpStream>,
    host: String,
    body: Vec<u8>,
    id: u64,
}

impl Http {
    /// Connects to `HOST:PORT`.
    pub fn connect(host: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(host)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream), host: host.to_owned(), body: Vec::new(), id: 0 })
    }

    /// Calls `echo`.
    pub fn echo(&mut self, message: &str) -> anyhow::Result<()> {
        self.id += 1;
        let params = json!({ "name": "echo", "arguments": { "message": message } });
        let body = request(self.id, "tools/call", params, true)?;
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: {}\r\naccept: application/json, text/event-stream\r\n\
             content-type: application/json\r\nmcp-protocol-version: 2026-07-28\r\n\
             mcp-method: tools/call\r\nmcp-name: echo\r\ncontent-length: {}\r\n\r\n",
            self.host,
            body.len()
        );
        self.stream.get_mut().write_all((head + &body).as_bytes())?;
        let mut size = None;
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line)?;
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(": ")
                && name.eq_ignore_ascii_case("content-length")
            {
                size = value.parse::<usize>().ok();
            }
        }
        self.body.resize(size.context("the answer has no content-length")?, 0);
        self.stream.read_exact(&mut self.body)?;
        let text = std::str::from_utf8(&self.body)?;
        if !is_answer(text, self.id)? {
            bail!("the server answered with {text}");
        }
        Ok(())
    }
}
