#[cfg(feature = "tickets")]
#[allow(clippy::too_many_arguments)]
#[allow(deprecated)]
const _: () = {
    use crate::vendored::toolkit::private as toolkit_private;
    use toolkit_private::probe::*;
    const TOOLKIT_P0: toolkit_private::Param<Option<toolkit_private::String>> = toolkit_private::with_length(
        toolkit_private::with_default(
            toolkit_private::with_alias(
                toolkit_private::param::<
                    Option<toolkit_private::String>,
                >("notify", "Whom to notify."),
                &["watcher", "cc"],
            ),
            || ::core::convert::Into::into("nobody"),
        ),
        ::core::option::Option::Some(1u64),
        ::core::option::Option::Some(80u64),
    );
    const TOOLKIT_P1: toolkit_private::Param<toolkit_private::Vec<String>> = toolkit_private::with_length(
        toolkit_private::with_example(
            toolkit_private::with_default(
                toolkit_private::param::<
                    toolkit_private::Vec<String>,
                >("labels", "Labels,\none each."),
                ::core::default::Default::default,
            ),
            || vec!["bug".to_owned()],
        ),
        ::core::option::Option::None,
        ::core::option::Option::Some(4u64),
    );
    const TOOLKIT_P2: toolkit_private::Param<f64> = toolkit_private::with_range(
        toolkit_private::with_default(
            toolkit_private::param::<
                f64,
            >("weight", toolkit_private::text(concat!("Weight, ", "from -1."), 1)),
            || 1.0,
        ),
        &toolkit_private::Range(
            ::core::option::Option::Some(-1.0),
            ::core::option::Option::Some(LIMIT),
            false,
        ),
    );
    const TOOLKIT_P3: toolkit_private::Param<String> = toolkit_private::with_secret(
        toolkit_private::with_pattern(
            toolkit_private::param::<String>("token", "A token."),
            "^[a-z]+$",
        ),
    );
    const TOOLKIT_P4: toolkit_private::Param<String> = toolkit_private::with_url(
        toolkit_private::param::<String>("source", "Where it came from."),
    );
    static TOOLKIT_SPEC: toolkit_private::ToolSpec = toolkit_private::spec(
        toolkit_private::Facts {
            name: "ticket.create",
            wire: "ticket__create",
            description: toolkit_private::text(DESCRIPTION, 10),
            risk: &[toolkit_private::Risk::Write, toolkit_private::Risk::Network],
            title: ::core::option::Option::Some("Create a ticket"),
            flag: ::core::option::Option::Some("tickets"),
            scopes: &["chat", "mail"],
            hosts: &["example.com", "localhost:8080"],
            timeout_ms: 1500u64,
            concurrency: 2,
            parallel: true,
            show_errors: true,
            parameters: &[
                toolkit_private::Param::spec(&TOOLKIT_P0),
                toolkit_private::Param::spec(&TOOLKIT_P1),
                toolkit_private::Param::spec(&TOOLKIT_P2),
                toolkit_private::Param::spec(&TOOLKIT_P3),
                toolkit_private::Param::spec(&TOOLKIT_P4),
            ],
            states: &[
                toolkit_private::state::<Desk>(),
                toolkit_private::state::<Clock>(),
            ],
            ..toolkit_private::Facts::DEFAULT
        },
        ::core::file!(),
        ::core::line!(),
        ::core::module_path!(),
    );
    fn toolkit_output(
        toolkit_generator: &mut toolkit_private::SchemaGenerator,
    ) -> ::core::option::Option<toolkit_private::Schema> {
        (&ToolkitShape::<Ticket>::new().toolkit_ok()).toolkit_schema(toolkit_generator)
    }
    fn toolkit_prepare(
        toolkit_args: &mut toolkit_private::Args<'_>,
        toolkit_call: &toolkit_private::Call<'_>,
    ) -> toolkit_private::Prepared {
        let (
            mut toolkit_p0,
            mut toolkit_p1,
            mut toolkit_p2,
            mut toolkit_p3,
            mut toolkit_p4,
        ) = (
            toolkit_private::slot(&TOOLKIT_P0),
            toolkit_private::slot(&TOOLKIT_P1),
            toolkit_private::slot(&TOOLKIT_P2),
            toolkit_private::slot(&TOOLKIT_P3),
            toolkit_private::slot(&TOOLKIT_P4),
        );
        toolkit_args
            .read(
                &mut [
                    &mut toolkit_p0,
                    &mut toolkit_p1,
                    &mut toolkit_p2,
                    &mut toolkit_p3,
                    &mut toolkit_p4,
                ],
            )?;
        let (toolkit_p0, toolkit_p1, toolkit_p2, toolkit_p3, toolkit_p4) = (
            toolkit_p0.take()?,
            toolkit_p1.take()?,
            toolkit_p2.take()?,
            toolkit_p3.take()?,
            toolkit_p4.take()?,
        );
        let toolkit_s0 = toolkit_call.state::<Desk>(0)?;
        let toolkit_c6 = toolkit_call.context::<Agent>()?;
        let toolkit_s1 = toolkit_call.state::<Clock>(1)?;
        let toolkit_out = toolkit_call.outlet();
        toolkit_private::body(async move {
            let toolkit_result = ToolkitReturned(
                create(
                        toolkit_private::lend(&toolkit_p0),
                        toolkit_private::lend(&toolkit_p1),
                        toolkit_p2,
                        toolkit_p3,
                        toolkit_p4,
                        &toolkit_s0,
                        &toolkit_c6,
                        &toolkit_s1,
                    )
                    .await,
            );
            let toolkit_causes = (&&&toolkit_result).toolkit_causes();
            toolkit_out.reply(toolkit_result.toolkit_split(), toolkit_causes)
        })
    }
    toolkit_private::inventory::submit! {
        toolkit_private::registration(& TOOLKIT_SPEC, & [& TOOLKIT_P0, & TOOLKIT_P1, &
        TOOLKIT_P2, & TOOLKIT_P3, & TOOLKIT_P4], || toolkit_private::id(create),
        toolkit_prepare, toolkit_output,)
    }
};
