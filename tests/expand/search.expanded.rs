#[path = "../expand/search.rs"]
pub mod search {
    /// What is searched.
    pub struct KnowledgeBase;
    /// What is found.
    pub type Article = String;
    /// Why nothing is found.
    pub type KbError = String;
    /// Search the help-desk knowledge base and return the most relevant articles.
    ///
    /// Use it before answering a factual question. Not for looking up a customer.
    pub async fn search(
        query: &str,
        limit: u8,
        kb: &KnowledgeBase,
    ) -> Result<Vec<Article>, KbError> {
        let KnowledgeBase = kb;
        Ok(
            ::alloc::boxed::box_assume_init_into_vec_unsafe(
                ::alloc::intrinsics::write_box_via_move(
                    ::alloc::boxed::Box::new_uninit(),
                    [
                        ::alloc::__export::must_use({
                            ::alloc::fmt::format(
                                format_args!("{0} of {1}", limit, query),
                            )
                        }),
                    ],
                ),
            ),
        )
    }
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
            source: ("tests/tests/../expand/search.rs", 13u32, "expand_sources::search"),
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
                let toolkit_r = search(toolkit_::lend(&toolkit0), toolkit1, &toolkit2)
                    .await;
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
                        &[&TOOLKIT_0, &TOOLKIT_1],
                        toolkit_::identity(search),
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
