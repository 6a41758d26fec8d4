use toolkit::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Filter;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    // mended: value: Option<Filter>,
    value: Option<&Filter>,
) {
    let _ = value;
}

fn main() {
    take(None);
}
