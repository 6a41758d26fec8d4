//! Bodies of blocking tools while no thread is free for them.

use std::time::Duration;

use toolkit::prelude::*;
use toolkit::{CancellationToken, Executed};

use crate::blocking::{Latch, bench, until};

#[test]
fn a_body_that_waits_for_a_thread_is_begun_no_more_once_its_call_is_over() {
    let one = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .max_blocking_threads(1)
        .build()
        .unwrap();
    let busy = Latch::default();
    one.block_on(async {
        for (name, hooked) in [("block.wait", false), ("block.wait", true), ("block.listen", false)]
        {
            let bench = bench(|builder| {
                if hooked {
                    builder.around(around("on", |_, n| Box::pin(n.run())))
                } else {
                    builder
                }
            });
            let token = CancellationToken::new();
            let cancellable = CallContext::model().cancellation(token.clone());
            for (cx, code) in
                [(CallContext::model(), Code::Busy), (cancellable, Code::CancelledBeforeStart)]
            {
                let (latch, begun) = (busy.clone(), Latch::default());
                let thread = tokio::task::spawn_blocking({
                    let begun = begun.clone();
                    move || {
                        begun.open();
                        latch.wait();
                    }
                });
                begun.wait();
                let toolkit = bench.toolkit.clone();
                let call =
                    tokio::spawn(async move { toolkit.call(&cx, ToolCall::new(name, "")).await });
                until(|| true).await;
                match code {
                    Code::Busy => tokio::time::advance(Duration::from_secs(5)).await,
                    _ => token.cancel(),
                }
                until(|| true).await;
                busy.open();
                bench.latch.open();
                thread.await.unwrap();
                let reply = call.await.unwrap();
                let got = (reply.code(), reply.executed(), bench.probe.entered());
                assert_eq!(got, (code, Executed::No, 0), "{name} {hooked}: {}", reply.text());
                busy.close();
            }
        }
    });
}
