use toolkit::prelude::*;

fn main() {
    let sly = around("sly", |_, next| {
        Box::pin(async move {
            // mended: next.run().await
            Ok(Change::Replace("{}".to_owned()))
        })
    });
    let _ = Toolkit::builder().around(sly);
}
