const _: () = {
    use ::toolkit::private as toolkit_private;
    use toolkit_private::probe::*;
    static TOOLKIT_SPEC: toolkit_private::ToolSpec = toolkit_private::spec(
        toolkit_private::Facts {
            name: "ping",
            wire: "ping",
            description: "Answer at once, to show that tools can be called.",
            ..toolkit_private::Facts::DEFAULT
        },
        ::core::file!(),
        ::core::line!(),
        ::core::module_path!(),
    );
    fn toolkit_output(
        toolkit_generator: &mut toolkit_private::SchemaGenerator,
    ) -> ::core::option::Option<toolkit_private::Schema> {
        (&ToolkitShape::<()>::new().toolkit_ok()).toolkit_schema(toolkit_generator)
    }
    fn toolkit_prepare(
        toolkit_args: &mut toolkit_private::Args<'_>,
        toolkit_call: &toolkit_private::Call<'_>,
    ) -> toolkit_private::Prepared {
        toolkit_args.read(&mut [])?;
        let toolkit_out = toolkit_call.outlet();
        toolkit_private::body(async move {
            let toolkit_result = ToolkitReturned(ping());
            let toolkit_causes = (&&&toolkit_result).toolkit_causes();
            toolkit_out.reply(toolkit_result.toolkit_split(), toolkit_causes)
        })
    }
    toolkit_private::inventory::submit! {
        toolkit_private::registration(& TOOLKIT_SPEC, & [], || toolkit_private::id(ping),
        toolkit_prepare, toolkit_output,)
    }
};
