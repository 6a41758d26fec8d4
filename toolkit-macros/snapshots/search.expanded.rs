const _: () = {
    use ::toolkit::private as toolkit_private;
    use toolkit_private::probe::*;
    const TOOLKIT_P0: toolkit_private::Param<toolkit_private::String> = toolkit_private::param::<
        toolkit_private::String,
    >("query", "Keywords, e.g. `refund invoice`.");
    const TOOLKIT_P1: toolkit_private::Param<u8> = toolkit_private::with_range(
        toolkit_private::with_default(
            toolkit_private::param::<
                u8,
            >("limit", "How many articles to return at most."),
            || 5,
        ),
        &toolkit_private::Range(
            ::core::option::Option::Some(1),
            ::core::option::Option::Some(20),
            true,
        ),
    );
    static TOOLKIT_SPEC: toolkit_private::ToolSpec = toolkit_private::spec(
        toolkit_private::Facts {
            name: "kb.search",
            wire: "kb__search",
            description: "Search the help-desk knowledge base and return the most relevant articles.\n\nUse it before answering a factual question. Not for looking up a customer.",
            risk: &[toolkit_private::Risk::Read],
            flag: ::core::option::Option::Some("knowledge_base"),
            scopes: &["chat"],
            parameters: &[
                toolkit_private::Param::spec(&TOOLKIT_P0),
                toolkit_private::Param::spec(&TOOLKIT_P1),
            ],
            states: &[toolkit_private::state::<KnowledgeBase>()],
            ..toolkit_private::Facts::DEFAULT
        },
        ::core::file!(),
        ::core::line!(),
        ::core::module_path!(),
    );
    fn toolkit_output(
        toolkit_generator: &mut toolkit_private::SchemaGenerator,
    ) -> ::core::option::Option<toolkit_private::Schema> {
        (&ToolkitShape::<Result<Vec<Article>, KbError>>::new().toolkit_ok())
            .toolkit_schema(toolkit_generator)
    }
    fn toolkit_prepare(
        toolkit_args: &mut toolkit_private::Args<'_>,
        toolkit_call: &toolkit_private::Call<'_>,
    ) -> toolkit_private::Prepared {
        let (mut toolkit_p0, mut toolkit_p1) = (
            toolkit_private::slot(&TOOLKIT_P0),
            toolkit_private::slot(&TOOLKIT_P1),
        );
        toolkit_args.read(&mut [&mut toolkit_p0, &mut toolkit_p1])?;
        let (toolkit_p0, toolkit_p1) = (toolkit_p0.take()?, toolkit_p1.take()?);
        let toolkit_s0 = toolkit_call.state::<KnowledgeBase>(0)?;
        let toolkit_out = toolkit_call.outlet();
        toolkit_private::body(async move {
            let toolkit_result = ToolkitReturned(
                search(toolkit_private::lend(&toolkit_p0), toolkit_p1, &toolkit_s0).await,
            );
            let toolkit_causes = (&&&toolkit_result).toolkit_causes();
            toolkit_out.reply(toolkit_result.toolkit_split(), toolkit_causes)
        })
    }
    toolkit_private::inventory::submit! {
        toolkit_private::registration(& TOOLKIT_SPEC, & [& TOOLKIT_P0, & TOOLKIT_P1], ||
        toolkit_private::id(search), toolkit_prepare, toolkit_output,)
    }
};
