/// Answer at once, to show that tools can be called.
#[toolkit::tool]
pub fn ping() {}
