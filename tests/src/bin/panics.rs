//! Connects to a server and panics in a thread that owns nothing of it. For tests.

use mcptest_mcp::process::{Program, kill_all_on_panic};
use mcptest_mcp::{Address, Lifecycle, Patience, Server};

#[tokio::main]
async fn main() {
    kill_all_on_panic();
    let argv = std::env::args().skip(1).collect();
    let program = Program { argv, ..Program::default() };
    let address = Address::Command { program, isolation: None };
    let server = Server::connect(&address, Lifecycle::Auto, Patience::default()).await;
    let outcome = std::thread::spawn(|| panic!("on purpose")).join();
    assert!(outcome.is_err());
    // Nothing is dropped: only the hook can have ended the server.
    std::mem::forget(server);
    std::process::abort();
}
