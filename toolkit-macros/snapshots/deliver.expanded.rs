const _: () = {
    use ::toolkit::private::{self as toolkit_, probe::*};
    const TOOLKIT_PREPARE: toolkit_::Prepare = |_, toolkit_call| {
        let toolkit0 = toolkit_::Call::confirmed::<Reply>(toolkit_call)?;
        let toolkit1 = toolkit_::Call::state::<Outbound<Mailer>>(toolkit_call, 0)?;
        let toolkit_out = toolkit_call.outlet();
        toolkit_::body(async move {
            let toolkit_r = deliver(toolkit0, &toolkit1).await;
            let toolkit_r = ToolkitReturned(toolkit_r);
            let toolkit_causes = (&&&toolkit_r).toolkit_causes();
            toolkit_out.reply(toolkit_r.toolkit_split(), toolkit_causes)
        })
    };
    impl toolkit_::Commit for Reply {
        const COMMIT: &'static toolkit_::Committer<Self> = &toolkit_::commit::<
            Reply,
        >(
            toolkit_::CommitFacts {
                name: "deliver",
                timeout_ms: 10000,
                states: &[toolkit_::state::<Outbound<Mailer>>()],
                source: (::core::file!(), ::core::line!(), ::core::module_path!()),
            },
            TOOLKIT_PREPARE,
        );
    }
};
