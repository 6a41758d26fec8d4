use toolkit::prelude::*;

fn main() {
    let sly = around("sly", |_, next| {
        Box::pin(async move {
            // mended: next.run().await
            next.run("{}").await
        })
    });
    let _ = Toolkit::builder().around(sly);
}
