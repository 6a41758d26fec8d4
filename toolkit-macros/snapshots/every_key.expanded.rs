#[cfg(feature = "tickets")]
#[allow(clippy::too_many_arguments)]
#[allow(deprecated)]
const _: () = {
    use crate::vendored::toolkit::private::{self as toolkit_, probe::*};
    const TOOLKIT_0: toolkit_::Param<Option<toolkit_::String>> = toolkit_::with_length(
        toolkit_::with_default(
            toolkit_::with_alias(
                toolkit_::param::<Option<toolkit_::String>>("notify", "Whom to notify."),
                &["watcher", "cc"],
            ),
            || toolkit_::from_text("nobody"),
        ),
        toolkit_::Some(1),
        toolkit_::Some(80),
    );
    const TOOLKIT_1: toolkit_::Param<toolkit_::Vec<String>> = toolkit_::with_length(
        toolkit_::with_example(
            toolkit_::with_default(
                toolkit_::param::<toolkit_::Vec<String>>("labels", "Labels,\none each."),
                ::core::default::Default::default,
            ),
            || vec!["bug".to_owned()],
        ),
        toolkit_::None,
        toolkit_::Some(4),
    );
    const TOOLKIT_2: toolkit_::Param<f64> = toolkit_::with_range(
        toolkit_::with_default(
            toolkit_::param::<
                f64,
            >("weight", toolkit_::text(concat!("Weight, ", "from -1."), 1)),
            || 1.0,
        ),
        &toolkit_::Range(toolkit_::Some(-1.0), toolkit_::Some(LIMIT), false),
    );
    const TOOLKIT_3: toolkit_::Param<String> = toolkit_::with_secret(
        toolkit_::with_pattern(
            toolkit_::param::<String>("token", "A token."),
            "^[a-z]+$",
        ),
    );
    const TOOLKIT_4: toolkit_::Param<String> = toolkit_::with_url(
        toolkit_::param::<String>("source", "Where it came from."),
    );
    static TOOLKIT_SPEC: toolkit_::ToolSpec = toolkit_::spec(toolkit_::Facts {
        names: ["ticket.create", "ticket__create"],
        description: toolkit_::text(DESCRIPTION, 10),
        risk: &[toolkit_::Risk::Write, toolkit_::Risk::Network],
        title: toolkit_::Some("Create a ticket"),
        flag: toolkit_::Some("tickets"),
        scopes: &["chat", "mail"],
        hosts: &["example.com", "localhost:8080"],
        timeout_ms: 1500,
        concurrency: 2,
        parallel: true,
        idempotent: true,
        polling: true,
        show_errors: true,
        parameters: &[
            TOOLKIT_0.spec(),
            TOOLKIT_1.spec(),
            TOOLKIT_2.spec(),
            TOOLKIT_3.spec(),
            TOOLKIT_4.spec(),
        ],
        states: &[toolkit_::state::<Desk>(), toolkit_::state::<Clock>()],
        source: (::core::file!(), ::core::line!(), ::core::module_path!()),
        ..toolkit_::Facts::DEFAULT
    });
    const TOOLKIT_OUTPUT: toolkit_::OutputSchema = |toolkit_generator| {
        (&ToolkitShape::<Ticket>::new().toolkit_ok()).toolkit_schema(toolkit_generator)
    };
    const TOOLKIT_PREPARE: toolkit_::Prepare = |toolkit_args, toolkit_call| {
        let mut toolkit0 = toolkit_::slot(&TOOLKIT_0);
        let mut toolkit1 = toolkit_::slot(&TOOLKIT_1);
        let mut toolkit2 = toolkit_::slot(&TOOLKIT_2);
        let mut toolkit3 = toolkit_::slot(&TOOLKIT_3);
        let mut toolkit4 = toolkit_::slot(&TOOLKIT_4);
        toolkit_args
            .read(
                &mut [
                    &mut toolkit0,
                    &mut toolkit1,
                    &mut toolkit2,
                    &mut toolkit3,
                    &mut toolkit4,
                ],
            )?;
        let (toolkit0, toolkit1, toolkit2, toolkit3, toolkit4) = (
            toolkit0.take(),
            toolkit1.take(),
            toolkit2.take(),
            toolkit3.take(),
            toolkit4.take(),
        );
        let toolkit5 = toolkit_::Call::state::<Desk>(toolkit_call, 0)?;
        let toolkit6 = toolkit_::Call::context::<Agent>(toolkit_call)?;
        let toolkit7 = toolkit_::Call::state::<Clock>(toolkit_call, 1)?;
        let toolkit_out = toolkit_call.outlet();
        toolkit_::body(async move {
            let toolkit_r = create(
                    toolkit_::lend(&toolkit0),
                    toolkit_::lend(&toolkit1),
                    toolkit2,
                    toolkit3,
                    toolkit4,
                    &toolkit5,
                    &toolkit6,
                    &toolkit7,
                )
                .await;
            let toolkit_r = ToolkitReturned(toolkit_r);
            let toolkit_causes = (&&&toolkit_r).toolkit_causes();
            toolkit_out.rendered(toolkit_r.toolkit_split(), toolkit_causes, Ticket::line)
        })
    };
    toolkit_::inventory::submit! {
        toolkit_::registration(& TOOLKIT_SPEC, & [& TOOLKIT_0, & TOOLKIT_1, & TOOLKIT_2,
        & TOOLKIT_3, & TOOLKIT_4], toolkit_::identity(create), TOOLKIT_PREPARE,
        TOOLKIT_OUTPUT)
    }
};
