use toolkit::tool;

// mended: #[derive(serde::Deserialize, schemars::JsonSchema)]
#[derive(Debug)]
struct Filter;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    value: Vec<Filter>,
) {
    let _ = value;
}

fn main() {
    take(vec![Filter]);
}
