#[path = "../expand/ping.rs"]
pub mod ping {
    /// Answer at once, to show that tools can be called.
    pub fn ping() {}
    const _: () = {
        use ::toolkit::private::{self as toolkit_, probe::*};
        static TOOLKIT_SPEC: toolkit_::ToolSpec = toolkit_::spec(toolkit_::Facts {
            names: ["ping", "ping"],
            description: "Answer at once, to show that tools can be called.",
            risk_assumed: true,
            in_place: true,
            source: ("tests/tests/../expand/ping.rs", 2u32, "expand_sources::ping"),
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
        #[allow(non_upper_case_globals)]
        const _: () = {
            static __INVENTORY: ::inventory::Node = ::inventory::Node {
                value: &{
                    toolkit_::registration(
                        &TOOLKIT_SPEC,
                        &[],
                        toolkit_::identity(ping),
                        TOOLKIT_PREPARE,
                        TOOLKIT_OUTPUT,
                    )
                },
                next: ::inventory::__private::UnsafeCell::new(
                    ::inventory::__private::Option::None,
                ),
            };
            #[link_section = ".text.startup"]
            unsafe extern "C" fn __ctor() {
                unsafe {
                    ::inventory::ErasedNode::submit(__INVENTORY.value, &__INVENTORY)
                }
            }
            #[used]
            #[link_section = ".init_array"]
            static __CTOR: unsafe extern "C" fn() = __ctor;
        };
    };
}
