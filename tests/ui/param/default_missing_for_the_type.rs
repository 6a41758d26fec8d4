use toolkit::tool;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    /// The value.
    // mended: #[arg(default = std::num::NonZeroU8::MIN)]
    #[arg(default)]
    value: std::num::NonZeroU8,
) {
    let _ = value;
}

fn main() {
    take(std::num::NonZeroU8::MIN);
}
