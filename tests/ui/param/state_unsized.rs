use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    // mended: #[state] value: &Box<dyn Fn() + Send + Sync>,
    #[state] value: &dyn Fn(),
) {
    let _ = value;
}

fn main() {
    let value: Box<dyn Fn() + Send + Sync> = Box::new(|| ());
    take(&value);
}
