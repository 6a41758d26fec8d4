//! Lints on a description, alone, beside its risk, and beside others.

use std::collections::HashSet;

use super::super::words::{is_latin, words};
use super::{Finding, Lint, about};
use crate::risk::Risk;
use crate::toolkit::Tool;

/// Verbs with which descriptions begin, in their plain form.
const VERBS: &str = "\
    accept acknowledge activate add adjust aggregate alert allocate analyse analyze annotate answer \
    append apply approve archive arrange ask assign attach authenticate authorise authorize backup \
    bind block book browse build buy calculate call cancel capture cast change charge chart check \
    choose classify clean clear click clone close collect combine commit compare compile complete \
    compose compress compute concatenate configure confirm connect consult contact continue control \
    convert copy correct count create crop cut deactivate debug decode decrease decrypt deduct dedupe \
    deduplicate define delete deliver deploy derive describe design destroy detach detect determine \
    dial diff disable disconnect discover dismiss dispatch display distribute divide download draft \
    draw drop dump duplicate echo edit email embed emit enable encode encrypt end enqueue enrich \
    enroll ensure enter enumerate erase escalate escape establish estimate evaluate examine exchange \
    execute expand explain export extend extract fetch fill filter find finish fix flag flush follow \
    forecast format forward freeze gather generate geocode get give grade grant group guess halt hash \
    hide highlight hold identify implement import increase index infer inform initialise initialize \
    initiate insert inspect install integrate invert invite invoke issue join keep kill label launch \
    lead leave like link lint list listen load locate lock log look lookup lower make map mark match \
    measure merge message minimise minimize mirror mock modify monitor mount move multiply mute name \
    navigate normalise normalize notify observe obtain offer open order organise organize override \
    pack parse patch pause pay peek perform pick pin ping place plan play plot poll post predict \
    prepare present preview print prioritise prioritize process produce promote propose prune publish \
    pull purchase purge push put quantise query quote raise rank rate reach read reboot rebuild \
    receive recognise recognize recommend reconcile record redeem redirect reduce refine reformat \
    refresh refund register reindex reject release reload remind remove rename render reopen repair \
    repeat replace reply report request rerun reschedule reserve reset resize resolve respond restart \
    restore resume retrieve retry return reverse revert review revoke rewind rewrite roll rotate round \
    route run sample save scale scan schedule score scrape scroll search seek select sell send serve \
    set share shorten show shut sign simulate skip sleep slice solve sort spawn speak split stage \
    start stop store stream strip submit subscribe subtract suggest sum summarise summarize suspend \
    swap switch sync synchronise synchronize tag tail take tell terminate test throttle toggle \
    tokenise tokenize trace track train transcribe transfer transform translate traverse trigger trim \
    truncate turn type unblock uninstall unlock unpack unsubscribe unzip update upgrade upload upsert \
    use validate verify view visit wait wake walk warn watch weigh wipe withdraw wrap write zip";

/// Words by which a text says what a tool isn't for, or when.
const LIMITS: [&str; 12] = [
    "not", "never", "only", "instead", "unless", "except", "rather", "avoid", "cannot", "don't",
    "without", "nor",
];

/// What a first verb says of the world, and a risk of which one must be there.
const EFFECTS: [(&str, &[Risk]); 3] = [
    (
        "cancel delete destroy drop erase kill pay purge refund remove terminate uninstall wipe",
        &[Risk::Write, Risk::Destructive, Risk::Send],
    ),
    ("email message notify post publish reply send", &[Risk::Send, Risk::Destructive]),
    (
        "add append archive assign book buy change close create disable edit enable insert install \
         modify move order purchase put register rename replace reschedule reset restore save set \
         store update upload write",
        &[Risk::Write, Risk::Destructive, Risk::Send],
    ),
];

/// From this share of common words on, two descriptions say the same.
const SAME: f64 = 0.8;

pub(super) fn check(tool: &Tool, verbs: &HashSet<String>, find: &mut dyn FnMut(Finding)) {
    let text = tool.description();
    let first = first_word(text);
    let judged = is_latin(text);
    if judged && !is_verb(&first) && !verbs.contains(&first) {
        let what = format!("begins with {}, not with what the tool does", quoted(&first));
        let cure = match plain_form(&first) {
            Some(verb) => format!("begin with the verb in its plain form: `{}`", capital(verb)),
            None => format!(
                "begin with a verb, e.g. `Search …`; if {} is one, name it by `Lints::verb`",
                quoted(&first)
            ),
        };
        find(about(tool, Lint::NoVerb, "description", what, cure));
    }
    if judged && !says_limits(text) {
        let what = "doesn't say when not to use the tool";
        let cure = "add a sentence such as `Not for …; use … instead.`";
        find(about(tool, Lint::NoLimits, "description", what, cure));
    }
    if !tool.risk_is_stated() {
        let what = "isn't stated, so that it is `read`";
        find(about(tool, Lint::RiskUnstated, "risk", what, "state it, e.g. `risk = \"read\"`"));
    }
    let verb = if is_verb(&first) { Some(&*first) } else { plain_form(&first) };
    let effect =
        EFFECTS.iter().find(|(verbs, _)| verbs.split_whitespace().any(|v| Some(v) == verb));
    if let Some((_, risks)) = effect
        && !risks.iter().any(|risk| tool.risk().contains(*risk))
    {
        let what = format!("is {}, though the description says {}", tool.risk(), quoted(&first));
        let cure =
            format!("declare what it does (`risk = \"{}\"` …), or say it as it is", risks[0]);
        find(about(tool, Lint::RiskUnlikeText, "risk", what, cure));
    }
    if tool.runs_in_place() && tool.timeout().is_some() {
        let what = "a plain `fn` runs in place, so that no timeout can interrupt it";
        let cure =
            "make it an `async fn`, or `blocking = \"wait\"` or `\"abandon\"`, unless it is quick";
        find(about(tool, Lint::RunsInPlace, "timeout", what, cure));
    }
}

/// Two descriptions that say nearly the same.
pub(super) fn check_pairs(tools: &[Tool], find: &mut dyn FnMut(Finding)) {
    let sets: Vec<HashSet<String>> = tools.iter().map(|tool| set(tool.description())).collect();
    for (at, (tool, own)) in tools.iter().zip(&sets).enumerate() {
        for (other, others) in tools.iter().zip(&sets).take(at) {
            let common = own.intersection(others).count();
            // Counts of words are far below what a float holds.
            let share = common as f64 / (own.len() + others.len() - common).max(1) as f64;
            if share >= SAME {
                let what = format!("says nearly the same as that of `{}`", other.name());
                let cure = "say in both what only this one does, and when to use the other";
                find(about(tool, Lint::NearIdentical, "description", what, cure));
            }
        }
    }
}

fn set(text: &str) -> HashSet<String> {
    let mut all = HashSet::new();
    words(text, &mut |word| {
        all.insert(word);
    });
    all
}

fn first_word(text: &str) -> String {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '\'');
    let text = text.trim_start_matches(|c| !word(c));
    let end = text.find(|c| !word(c)).unwrap_or(text.len());
    // `Re-open` is a verb if `open` is.
    let first = text[..end].to_lowercase();
    first.strip_prefix("re-").map_or(first.clone(), str::to_owned)
}

fn is_verb(word: &str) -> bool {
    VERBS.split_whitespace().any(|verb| verb == word)
}

/// The verb that this is another form of: `searches`, `searching`.
fn plain_form(word: &str) -> Option<&'static str> {
    let is_of = |verb: &&str| {
        let without_e = verb.strip_suffix('e').unwrap_or(verb);
        let twice = verb.chars().next_back().map(|last| format!("{verb}{last}ing"));
        word == format!("{verb}s")
            || word == format!("{verb}es")
            || verb.strip_suffix('y').is_some_and(|stem| word == format!("{stem}ies"))
            || word == format!("{verb}ing")
            || word == format!("{without_e}ing")
            || twice.is_some_and(|twice| word == twice)
    };
    VERBS.split_whitespace().find(is_of)
}

fn says_limits(text: &str) -> bool {
    let text = text.to_lowercase().replace('\u{2019}', "'");
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.any(|word| LIMITS.contains(&word) || word.ends_with("n't"))
}

fn capital(verb: &str) -> String {
    let mut letters = verb.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn quoted(word: &str) -> String {
    if word.is_empty() { "no word".to_owned() } else { format!("`{word}`") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_is_known_in_its_plain_form_alone() {
        for (text, first, verb, plain) in [
            ("Search the base.", "search", true, None),
            ("**Re-open** a ticket.", "open", true, None),
            ("Searches the base.", "searches", false, Some("search")),
            ("Retrieving tickets", "retrieving", false, Some("retrieve")),
            ("Getting it", "getting", false, Some("get")),
            ("Queries it", "queries", false, Some("query")),
            ("The tool", "the", false, None),
            ("", "", false, None),
            ("  …", "", false, None),
            ("検索する", "検索する", false, None),
        ] {
            assert_eq!(first_word(text), first);
            assert_eq!((is_verb(first), plain_form(first)), (verb, plain), "{text}");
        }
    }

    #[test]
    fn verbs_of_effects_are_verbs() {
        let effects = EFFECTS.iter().flat_map(|(verbs, _)| verbs.split_whitespace());
        let unknown: Vec<_> = effects.filter(|verb| !is_verb(verb)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn a_limit_is_any_word_that_sets_one() {
        for (text, says) in [
            ("Search. Not for customers.", true),
            ("Search; don’t use it for customers.", true),
            ("Only on request.", true),
            ("Search notes and nothing.", false),
            ("", false),
        ] {
            assert_eq!(says_limits(text), says, "{text}");
        }
    }
}
