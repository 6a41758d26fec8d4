/// Answer at once, to show that tools can be called.
#[tool]
fn ping() {}
