const _: () = {
    use ::toolkit::private::{self as toolkit_, probe::*};
    static TOOLKIT_SPEC: toolkit_::ToolSpec = toolkit_::spec(toolkit_::Facts {
        names: ["ping", "ping"],
        description: "Answer at once, to show that tools can be called.",
        risk_assumed: true,
        in_place: true,
        source: (::core::file!(), ::core::line!(), ::core::module_path!()),
        ..toolkit_::Facts::DEFAULT
    });
    const TOOLKIT_OUTPUT: toolkit_::OutputSchema = |toolkit_generator| {
        (&ToolkitShape::<()>::new().toolkit_ok()).toolkit_schema(toolkit_generator)
    };
    const TOOLKIT_PREPARE: toolkit_::Prepare = |toolkit_args, toolkit_call| {
        toolkit_args.read(&mut [])?;
        let toolkit_out = toolkit_call.outlet();
        toolkit_::plain(move || {
            let toolkit_r = ping();
            let toolkit_r = ToolkitReturned(toolkit_r);
            let toolkit_causes = (&&&toolkit_r).toolkit_causes();
            toolkit_out.reply(toolkit_r.toolkit_split(), toolkit_causes)
        })
    };
    toolkit_::inventory::submit! {
        toolkit_::registration(& TOOLKIT_SPEC, & [], toolkit_::identity(ping),
        TOOLKIT_PREPARE, TOOLKIT_OUTPUT)
    }
};
