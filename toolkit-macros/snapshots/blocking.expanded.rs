const _: () = {
    use ::toolkit::private::{self as toolkit_, probe::*};
    const TOOLKIT_0: toolkit_::Param<toolkit_::String> = toolkit_::param::<
        toolkit_::String,
    >("text", "The text, e.g. `to be or not to be`.");
    static TOOLKIT_SPEC: toolkit_::ToolSpec = toolkit_::spec(toolkit_::Facts {
        names: ["count", "count"],
        description: "Count the words of a text on a thread.",
        risk_assumed: true,
        blocking: toolkit_::Some(toolkit_::Blocking::Abandon),
        parameters: &[TOOLKIT_0.spec()],
        source: (::core::file!(), ::core::line!(), ::core::module_path!()),
        ..toolkit_::Facts::DEFAULT
    });
    const TOOLKIT_OUTPUT: toolkit_::OutputSchema = |toolkit_generator| {
        (&ToolkitShape::<usize>::new().toolkit_ok()).toolkit_schema(toolkit_generator)
    };
    const TOOLKIT_PREPARE: toolkit_::Prepare = |toolkit_args, toolkit_call| {
        let mut toolkit0 = toolkit_::slot(&TOOLKIT_0);
        toolkit_args.read(&mut [&mut toolkit0])?;
        let toolkit0 = toolkit0.take();
        let toolkit_out = toolkit_call.outlet();
        toolkit_::blocking(move || {
            let toolkit_r = count(toolkit_::lend(&toolkit0));
            let toolkit_r = ToolkitReturned(toolkit_r);
            let toolkit_causes = (&&&toolkit_r).toolkit_causes();
            toolkit_out.reply(toolkit_r.toolkit_split(), toolkit_causes)
        })
    };
    toolkit_::inventory::submit! {
        toolkit_::registration(& TOOLKIT_SPEC, & [& TOOLKIT_0],
        toolkit_::identity(count), TOOLKIT_PREPARE, TOOLKIT_OUTPUT)
    }
};
