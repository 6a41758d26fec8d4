//! A support desk whose tools a model uses under guard; see `examples/src/desk`.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    ExitCode::from(examples::desk::main().await)
}
