use toolkit::tool;

// mended: #[derive(serde::Deserialize, schemars::JsonSchema)]
#[derive(serde::Deserialize)]
struct Filter;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    value: Filter,
) {
    let _ = value;
}

fn main() {
    take(Filter);
}
