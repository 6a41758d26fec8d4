use toolkit::prelude::*;

fn main() {
    let sly = guard("sly", |mut call| {
        // mended: call = call.clone();
        call.arguments = "{}";
        Ok(Ruling::Pass)
    });
    let _ = Toolkit::builder().guard(sly);
}
