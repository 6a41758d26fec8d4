use toolkit::tool;

/// Waits for nothing and gives three.
#[tool]
// mended: async fn three() -> u8 {
fn three() -> impl std::future::Future<Output = u8> {
    // mended: std::future::ready(3).await
    std::future::ready(3)
}

fn main() {
    let _ = three();
}
