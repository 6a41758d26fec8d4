//! Hooks around a body that take their time once it has ended, whoever ended it.

use std::time::Duration;

use toolkit::hook::Failed;
use toolkit::prelude::*;
use toolkit::{Executed, Output};

use crate::arounds::{after, how, tools};
use crate::support::Finished;

#[tokio::test(start_paused = true)]
async fn a_hook_that_gives_up_the_body_has_its_own_time_from_then_on() {
    for (seconds, code) in [(4, Code::Ok), (u64::MAX, Code::TimedOut)] {
        let hasty = around("hasty", move |_, next| {
            Box::pin(async move {
                let given = tokio::time::timeout(Duration::from_secs(100), next.run()).await;
                assert!(given.is_err());
                tokio::time::sleep(Duration::from_secs(seconds)).await;
                Ok(Output::of("half")?)
            })
        });
        let (builder, probe) = tools();
        let finished = Finished::default();
        let toolkit = builder.around(hasty).observer(finished.observer()).build().unwrap();
        let call = ToolCall::new("around.long", r#"{"seconds": 1000}"#);
        let cx = CallContext::model();
        let call = toolkit.call(&cx, call);
        let reply = tokio::time::timeout(Duration::from_secs(3_600), call).await.unwrap();
        assert_eq!((reply.code(), reply.executed()), (code, Executed::Yes));
        assert_eq!(reply.took(), Duration::from_secs(100 + seconds.min(5)));
        assert_eq!((probe.entered(), probe.running()), (1, 0));
        let cause = finished.records()[0].cause.clone();
        assert_eq!(cause.is_some_and(|cause| cause.contains("hasty")), code == Code::TimedOut);
    }
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_hangs_talks_away_no_defect() {
    type Break = fn(Result<Output, Failed>) -> Result<Output, Failed>;
    let breaks: [(&str, Break); 2] =
        [("panic", |given| given), ("well", |_| Err(Failed::fault("s3cret")))];
    for (case, inner) in breaks {
        let hangs = around("hangs", |_, next| {
            Box::pin(async move {
                let _given = next.run().await;
                std::future::pending().await
            })
        });
        let (builder, _) = tools();
        let finished = Finished::default();
        let builder = builder.around(hangs).around(after("inner", inner));
        let toolkit = builder.observer(finished.observer()).build().unwrap();
        let reply = toolkit.call(&CallContext::model(), how(case)).await;
        assert_eq!((reply.code(), reply.executed()), (Code::Defect, Executed::Yes), "{case}");
        let cause = finished.records()[0].cause.clone().unwrap();
        assert!(cause.contains("s3cret"), "{cause}");
    }
}
