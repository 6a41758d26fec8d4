const _: () = {
    use ::toolkit::private::{self as toolkit_, probe::*};
    const TOOLKIT_0: toolkit_::Param<toolkit_::String> = toolkit_::param::<
        toolkit_::String,
    >("query", "Keywords, e.g. `refund invoice`.");
    const TOOLKIT_1: toolkit_::Param<u8> = toolkit_::with_range(
        toolkit_::with_default(
            toolkit_::param::<u8>("limit", "How many articles to return at most."),
            || 5,
        ),
        &toolkit_::Range(toolkit_::Some(1), toolkit_::Some(20), true),
    );
    static TOOLKIT_SPEC: toolkit_::ToolSpec = toolkit_::spec(toolkit_::Facts {
        names: ["kb.search", "kb__search"],
        description: "Search the help-desk knowledge base and return the most relevant articles.\n\nUse it before answering a factual question. Not for looking up a customer.",
        flag: toolkit_::Some("knowledge_base"),
        scopes: &["chat"],
        parameters: &[TOOLKIT_0.spec(), TOOLKIT_1.spec()],
        states: &[toolkit_::state::<KnowledgeBase>()],
        source: (::core::file!(), ::core::line!(), ::core::module_path!()),
        ..toolkit_::Facts::DEFAULT
    });
    const TOOLKIT_OUTPUT: toolkit_::OutputSchema = |toolkit_generator| {
        (&ToolkitShape::<Result<Vec<Article>, KbError>>::new().toolkit_ok())
            .toolkit_schema(toolkit_generator)
    };
    const TOOLKIT_PREPARE: toolkit_::Prepare = |toolkit_args, toolkit_call| {
        let mut toolkit0 = toolkit_::slot(&TOOLKIT_0);
        let mut toolkit1 = toolkit_::slot(&TOOLKIT_1);
        toolkit_args.read(&mut [&mut toolkit0, &mut toolkit1])?;
        let (toolkit0, toolkit1) = (toolkit0.take(), toolkit1.take());
        let toolkit2 = toolkit_::Call::state::<KnowledgeBase>(toolkit_call, 0)?;
        let toolkit_out = toolkit_call.outlet();
        toolkit_::body(async move {
            let toolkit_r = search(toolkit_::lend(&toolkit0), toolkit1, &toolkit2).await;
            let toolkit_r = ToolkitReturned(toolkit_r);
            let toolkit_causes = (&&&toolkit_r).toolkit_causes();
            toolkit_out.reply(toolkit_r.toolkit_split(), toolkit_causes)
        })
    };
    toolkit_::inventory::submit! {
        toolkit_::registration(& TOOLKIT_SPEC, & [& TOOLKIT_0, & TOOLKIT_1],
        toolkit_::identity(search), TOOLKIT_PREPARE, TOOLKIT_OUTPUT)
    }
};
