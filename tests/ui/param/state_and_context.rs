use toolkit::tool;

struct Desk;

/// Takes a value and does nothing with it.
#[tool]
fn take(
    // mended: #[context] value: &Desk,
    #[state] #[context] value: &Desk,
) {
    let _ = value;
}

fn main() {
    take(&Desk);
}
