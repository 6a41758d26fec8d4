//! Files, searches, programs and pages of one project for a model, under guard; see
//! `examples/src/workbench`.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    ExitCode::from(examples::workbench::main().await)
}
