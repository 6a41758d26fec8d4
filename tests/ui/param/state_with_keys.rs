use toolkit::tool;

struct Desk;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    // mended: #[state] value: &Desk,
    #[state(shared)] value: &Desk,
) {
    let _ = value;
}

fn main() {
    take(&Desk);
}
