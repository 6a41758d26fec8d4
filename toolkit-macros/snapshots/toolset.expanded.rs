#[cfg(unix)]
const _: () = {
    use ::toolkit::private::{self as toolkit_, probe::*};
    impl toolkit_::Toolset for Files {
        const DOMAIN: &'static str = "fs";
        fn toolkit_tools() -> toolkit_::Vec<&'static toolkit_::Registration> {
            #[allow(unused_mut)]
            let mut toolkit_tools = toolkit_::Vec::new();
            {
                const TOOLKIT_1: toolkit_::Param<toolkit_::String> = toolkit_::param::<
                    toolkit_::String,
                >("path", "Path of the file, e.g. `src/main.rs`.");
                const TOOLKIT_2: toolkit_::Param<usize> = toolkit_::with_default(
                    toolkit_::param::<
                        usize,
                    >("most", "How many lines to return at most."),
                    || <Files>::MOST,
                );
                static TOOLKIT_SPEC: toolkit_::ToolSpec = toolkit_::spec(toolkit_::Facts {
                    names: ["fs.read", "fs__read"],
                    description: "Read the text of a file, from its start.",
                    risk_assumed: true,
                    parameters: &[TOOLKIT_1.spec(), TOOLKIT_2.spec()],
                    states: &[toolkit_::state::<Files>()],
                    source: (::core::file!(), ::core::line!(), ::core::module_path!()),
                    ..toolkit_::Facts::DEFAULT
                });
                const TOOLKIT_OUTPUT: toolkit_::OutputSchema = |toolkit_generator| {
                    (&ToolkitShape::<Result<String, io::Error>>::new().toolkit_ok())
                        .toolkit_schema(toolkit_generator)
                };
                const TOOLKIT_PREPARE: toolkit_::Prepare = |toolkit_args, toolkit_call| {
                    let mut toolkit1 = toolkit_::slot(&TOOLKIT_1);
                    let mut toolkit2 = toolkit_::slot(&TOOLKIT_2);
                    toolkit_args.read(&mut [&mut toolkit1, &mut toolkit2])?;
                    let (toolkit1, toolkit2) = (toolkit1.take(), toolkit2.take());
                    let toolkit0 = toolkit_::Call::own::<Files>(toolkit_call, 0)?;
                    let toolkit_out = toolkit_call.outlet();
                    toolkit_::body(async move {
                        let toolkit_r = <Files>::read(
                                &toolkit0,
                                toolkit_::lend(&toolkit1),
                                toolkit2,
                            )
                            .await;
                        let toolkit_r = ToolkitReturned(toolkit_r);
                        let toolkit_causes = (&&&toolkit_r).toolkit_causes();
                        toolkit_out.reply(toolkit_r.toolkit_split(), toolkit_causes)
                    })
                };
                static TOOLKIT_TOOL: toolkit_::Registration = toolkit_::registration(
                    &TOOLKIT_SPEC,
                    &[&TOOLKIT_1, &TOOLKIT_2],
                    toolkit_::identity(<Files>::read),
                    TOOLKIT_PREPARE,
                    TOOLKIT_OUTPUT,
                );
                toolkit_tools.push(&TOOLKIT_TOOL);
            }
            #[cfg(feature = "write")]
            {
                const TOOLKIT_1: toolkit_::Param<String> = toolkit_::param::<
                    String,
                >("text", "Its text, e.g. `a`.");
                static TOOLKIT_SPEC: toolkit_::ToolSpec = toolkit_::spec(toolkit_::Facts {
                    names: ["fs.write", "fs__write"],
                    description: "Write a file anew.",
                    risk: &[toolkit_::Risk::Write],
                    in_place: true,
                    parameters: &[TOOLKIT_1.spec()],
                    states: &[toolkit_::state::<Files>()],
                    source: (::core::file!(), ::core::line!(), ::core::module_path!()),
                    ..toolkit_::Facts::DEFAULT
                });
                const TOOLKIT_OUTPUT: toolkit_::OutputSchema = |toolkit_generator| {
                    (&ToolkitShape::<Files>::new().toolkit_ok())
                        .toolkit_schema(toolkit_generator)
                };
                const TOOLKIT_PREPARE: toolkit_::Prepare = |toolkit_args, toolkit_call| {
                    let mut toolkit1 = toolkit_::slot(&TOOLKIT_1);
                    toolkit_args.read(&mut [&mut toolkit1])?;
                    let toolkit1 = toolkit1.take();
                    let toolkit0 = toolkit_::Call::own::<Files>(toolkit_call, 0)?;
                    let toolkit_out = toolkit_call.outlet();
                    toolkit_::plain(move || {
                        let toolkit_r = <Files>::put(&toolkit0, toolkit1);
                        let toolkit_r = ToolkitReturned(toolkit_r);
                        let toolkit_causes = (&&&toolkit_r).toolkit_causes();
                        toolkit_out.reply(toolkit_r.toolkit_split(), toolkit_causes)
                    })
                };
                static TOOLKIT_TOOL: toolkit_::Registration = toolkit_::registration(
                    &TOOLKIT_SPEC,
                    &[&TOOLKIT_1],
                    toolkit_::identity(<Files>::put),
                    TOOLKIT_PREPARE,
                    TOOLKIT_OUTPUT,
                );
                toolkit_tools.push(&TOOLKIT_TOOL);
            }
            toolkit_tools
        }
    }
};
