use toolkit::prelude::*;

fn main() {
    let twice = around("twice", |_, next| {
        Box::pin(async move {
            let first = next.run().await;
            // mended: first
            first.or(next.run().await)
        })
    });
    let _ = Toolkit::builder().around(twice);
}
