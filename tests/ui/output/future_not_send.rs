use toolkit::tool;

/// Gives three, slowly.
#[tool]
async fn three() -> u8 {
    // mended: let three = std::sync::Arc::new(3);
    let three = std::rc::Rc::new(3);
    std::future::ready(()).await;
    *three
}

fn main() {
    let _ = three();
}
