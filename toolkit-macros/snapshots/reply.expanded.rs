const _: () = {
    use ::toolkit::private::{self as toolkit_, probe::*};
    const TOOLKIT_0: toolkit_::Param<TicketId> = toolkit_::param::<
        TicketId,
    >("ticket", "Number of the ticket, e.g. `1042`.");
    const TOOLKIT_1: toolkit_::Param<String> = toolkit_::param::<
        String,
    >("body", "Text of the reply, in the customer's language.");
    static TOOLKIT_SPEC: toolkit_::ToolSpec = toolkit_::spec(toolkit_::Facts {
        names: ["ticket.reply", "ticket__reply"],
        description: "Draft a reply to a customer. A person reads it before it is sent.",
        risk: &[toolkit_::Risk::Send],
        parameters: &[TOOLKIT_0.spec(), TOOLKIT_1.spec()],
        source: (::core::file!(), ::core::line!(), ::core::module_path!()),
        ..toolkit_::Facts::DEFAULT
    });
    const TOOLKIT_OUTPUT: toolkit_::OutputSchema = toolkit_::NO_SCHEMA;
    const TOOLKIT_COMMIT: toolkit_::CommitOf = || {
        (&ToolkitShape::<Result<Draft<Reply>, ToolError>>::new().toolkit_ok())
            .toolkit_commit()
    };
    const TOOLKIT_PREPARE: toolkit_::Prepare = |toolkit_args, toolkit_call| {
        let mut toolkit0 = toolkit_::slot(&TOOLKIT_0);
        let mut toolkit1 = toolkit_::slot(&TOOLKIT_1);
        toolkit_args.read(&mut [&mut toolkit0, &mut toolkit1])?;
        let (toolkit0, toolkit1) = (toolkit0.take(), toolkit1.take());
        let toolkit_out = toolkit_call.outlet();
        let toolkit_run = move || reply(toolkit0, toolkit1);
        toolkit_::run(
            toolkit_run,
            move |toolkit_r| {
                let toolkit_r = ToolkitReturned(toolkit_r);
                let toolkit_causes = (&&&toolkit_r).toolkit_causes();
                toolkit_out.draft(toolkit_r.toolkit_split(), toolkit_causes)
            },
        )
    };
    toolkit_::inventory::submit! {
        toolkit_::sending(toolkit_::registration(& TOOLKIT_SPEC, & [& TOOLKIT_0, &
        TOOLKIT_1], toolkit_::identity(reply), TOOLKIT_PREPARE, TOOLKIT_OUTPUT),
        TOOLKIT_COMMIT)
    }
};
