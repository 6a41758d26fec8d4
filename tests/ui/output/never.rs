use toolkit::tool;

/// Ends the whole program at once.
#[tool]
// mended: fn stop() {
fn stop() -> ! {
    std::process::exit(0)
}

fn main() {
    stop();
}
