use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    // mended: #[context] value: &toolkit::CallContext,
    #[context] value: toolkit::CallContext,
) {
    let _ = value;
}

fn main() {
    // mended: take(&toolkit::CallContext::human());
    take(toolkit::CallContext::human());
}
