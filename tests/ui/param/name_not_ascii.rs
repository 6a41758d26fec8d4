use toolkit::tool;

/// Takes a size and does nothing with it.
#[tool]
fn take(
    /// The size, in centimetres.
    // mended: #[arg(rename = "size")]
    // no key
    größe: u8,
) {
    let _ = größe;
}

fn main() {
    take(1);
}
