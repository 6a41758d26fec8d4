use toolkit::prelude::*;

fn main() {
    let wary = around("wary", |_, next| {
        Box::pin(async move {
            // mended: next.run().await
            Ok(Ruling::Ask("are you sure?".into()))
        })
    });
    let _ = Toolkit::builder().around(wary);
}
