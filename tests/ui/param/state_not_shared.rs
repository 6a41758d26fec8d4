use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    // mended: #[state] value: &std::sync::Mutex<u8>,
    #[state] value: &std::cell::Cell<u8>,
) {
    let _ = value;
}

fn main() {
    take(&Default::default());
}
