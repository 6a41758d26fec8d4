use toolkit::tool;

// mended: #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[derive(serde::Deserialize, schemars::JsonSchema)]
enum Colour {
    Red,
}

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    #[arg(default = Colour::Red)]
    value: Colour,
) {
    let _ = value;
}

fn main() {
    take(Colour::Red);
}
