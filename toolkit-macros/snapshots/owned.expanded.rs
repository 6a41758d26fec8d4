const _: () = {
    use ::toolkit::private::{self as toolkit_, probe::*};
    const TOOLKIT_0: toolkit_::Param<i64> = toolkit_::param::<
        i64,
    >("a", "The first number.");
    const TOOLKIT_1: toolkit_::Param<i64> = toolkit_::param::<
        i64,
    >("b", "The second number.");
    static TOOLKIT_SPEC: toolkit_::ToolSpec = toolkit_::spec(toolkit_::Facts {
        names: ["add", "add"],
        description: "Adds two numbers, after a while.",
        risk_assumed: true,
        parameters: &[TOOLKIT_0.spec(), TOOLKIT_1.spec()],
        source: (::core::file!(), ::core::line!(), ::core::module_path!()),
        ..toolkit_::Facts::DEFAULT
    });
    const TOOLKIT_OUTPUT: toolkit_::OutputSchema = |toolkit_generator| {
        (&ToolkitShape::<i64>::new().toolkit_ok()).toolkit_schema(toolkit_generator)
    };
    const TOOLKIT_PREPARE: toolkit_::Prepare = |toolkit_args, toolkit_call| {
        let mut toolkit0 = toolkit_::slot(&TOOLKIT_0);
        let mut toolkit1 = toolkit_::slot(&TOOLKIT_1);
        toolkit_args.read(&mut [&mut toolkit0, &mut toolkit1])?;
        let (toolkit0, toolkit1) = (toolkit0.take(), toolkit1.take());
        let toolkit_out = toolkit_call.outlet();
        let toolkit_run = move || add(toolkit0, toolkit1);
        toolkit_::run(
            toolkit_run,
            move |toolkit_r| {
                let toolkit_r = ToolkitReturned(toolkit_r);
                let toolkit_causes = (&&&toolkit_r).toolkit_causes();
                toolkit_out.reply(toolkit_r.toolkit_split(), toolkit_causes)
            },
        )
    };
    toolkit_::inventory::submit! {
        toolkit_::registration(& TOOLKIT_SPEC, & [& TOOLKIT_0, & TOOLKIT_1],
        toolkit_::identity(add), TOOLKIT_PREPARE, TOOLKIT_OUTPUT)
    }
};
