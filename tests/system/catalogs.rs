//! The catalog's bytes: the same for the same tools, however they came together.

use toolkit::TypedTool;
use toolkit::prelude::*;

use crate::schemas::{
    build, echo, labels, limit, mode, nothing, numbers, pause, ping, point, trees,
};

#[test]
fn equal_sets_give_equal_bytes_and_a_new_tool_only_its_own() {
    let bytes = |toolkit: &Toolkit| {
        let catalog = toolkit.catalog(&CallContext::model());
        let declared: Vec<_> =
            catalog.tools().map(|tool| tool.parameters_text().unwrap().to_owned()).collect();
        (declared, catalog.openai_chat().as_str().to_owned())
    };
    let whole = bytes(&build().0);
    for round in 0..100 {
        // Registered at run time, in another order each round.
        let toolkit = Toolkit::builder().only([]).build().unwrap();
        let mut held = Vec::new();
        let mut register = |i: usize| {
            held.push(match i {
                0 => toolkit.register(ping),
                1 => toolkit.register(limit),
                2 => toolkit.register(mode),
                3 => toolkit.register(pause),
                4 => toolkit.register(trees),
                5 => toolkit.register(labels),
                6 => toolkit.register(echo),
                7 => toolkit.register(numbers),
                8 => toolkit.register(point),
                _ => toolkit.register(nothing),
            });
        };
        (0..10).for_each(|i| register((i * 3 + round) % 10));
        assert!(held.iter().all(Result::is_ok));
        assert_eq!(bytes(&toolkit), whole, "round {round}");
    }
    let offers = |toolkit: &Toolkit| {
        toolkit.catalog(&CallContext::model()).openai_chat().to_value().as_array().unwrap().clone()
    };
    let (toolkit, _) = build();
    let before = offers(&toolkit);
    let one_more =
        TypedTool::new("shape.odd", "Take one tool more.", Risk::Read, |(): (), _| async {
            Ok::<_, ToolError>(())
        });
    let _held = toolkit.register_typed(one_more).unwrap();
    let mut after = offers(&toolkit);
    let at = after.iter().position(|offer| offer["function"]["name"] == "shape__odd").unwrap();
    after.remove(at);
    assert_eq!(before, after);
}
