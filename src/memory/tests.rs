//! Random histories: what holds whatever happens in which order.

use super::*;
use crate::types::{
    Author, Authority, Change, Kind, Memory, MemoryEvent, MemorySource, MemoryState, Observation, Relation, Scope,
    Wording,
};
use proptest::prelude::*;

fn observation(kind: Kind, authority: Authority) -> Observation {
    Observation {
        kind,
        scope: Scope::repository("here"),
        authority,
        source: MemorySource::Said,
        worked: (kind == Kind::Tactic).then_some(true),
        until: None,
        anchored: false,
    }
}

fn event(number: i64, memory: &str, session: &str, change: Change) -> MemoryEvent {
    MemoryEvent {
        number,
        at: 1_000 + number,
        memory: memory.to_owned(),
        session: session.to_owned(),
        author: Author::Person,
        change,
        words: Some(Wording { text: format!("words of event {number}"), ..Wording::default() }),
    }
}

fn replayed(events: &[MemoryEvent]) -> Memories {
    let mut all = Memories::default();
    for event in events {
        let Ok(()) = apply(&mut all, event);
    }
    all
}

fn one(all: &Memories, id: &str) -> Memory {
    let Ok(found) = all.get(id);
    found.unwrap()
}

fn after(changes: &[(&str, Change)]) -> Memory {
    let mut events = vec![event(1, "m", "s1", Change::Observed(observation(Kind::Tactic, Authority::Personal)))];
    for (number, (session, change)) in (2..).zip(changes) {
        events.push(event(number, "m", session, change.clone()));
    }
    one(&replayed(&events), "m")
}

const REINFORCED: Change = Change::Reinforced { worked: Some(true) };

/// What happens after a memory was observed once, in which sessions, and how sure it is then (in hundredths).
#[test]
fn the_table_of_session_spread() {
    let corrected = || Change::Corrected { until: None };
    for (changes, sure_now) in [
        (vec![], 50),
        (vec![("s1", REINFORCED)], 60),
        (vec![("s1", REINFORCED), ("s1", REINFORCED)], 70),
        (vec![("s1", REINFORCED), ("s1", REINFORCED), ("s1", REINFORCED)], 70),
        (vec![("s2", REINFORCED)], 65),
        (vec![("s2", REINFORCED), ("s3", REINFORCED)], 80),
        (vec![("s2", REINFORCED), ("s3", REINFORCED), ("s2", REINFORCED)], 80),
        (vec![("s2", REINFORCED), ("s3", REINFORCED), ("s4", REINFORCED)], 85),
        (vec![("s2", REINFORCED), ("s3", REINFORCED), ("s4", REINFORCED), ("s5", REINFORCED)], 90),
        (vec![("s2", REINFORCED), ("s3", REINFORCED), ("s4", REINFORCED), ("s5", REINFORCED), ("s6", REINFORCED)], 90),
        (vec![("s1", corrected())], 70),
        (vec![("s1", corrected()), ("s1", corrected())], 70),
        (vec![("s2", corrected()), ("s3", corrected())], 80),
        (vec![("s1", Change::Contradicted)], 30),
        (vec![("s2", REINFORCED), ("s3", REINFORCED), ("s4", Change::Contradicted)], 30),
        (vec![("s1", Change::Contradicted), ("s1", REINFORCED)], 40),
        (vec![("s1", Change::Contradicted), ("s2", REINFORCED)], 45),
        (vec![("s1", Change::Contradicted), ("s1", corrected())], 50),
        (vec![("s2", Change::Confirmed)], 50),
    ] {
        assert_eq!(sure(&after(&changes)), sure_now, "{changes:?}");
    }
}

#[test]
fn the_table_of_states() {
    use MemoryState::{Active, Disputed, Forgotten, Superseded};
    let by = || Change::Superseded { by: "n".to_owned() };
    for (changes, state) in [
        (vec![], Active),
        (vec![Change::Disputed], Disputed),
        (vec![Change::Disputed, Change::Disputed], Disputed),
        (vec![Change::Disputed, Change::Withdrawn], Active),
        (vec![Change::Withdrawn], Active),
        (vec![by()], Superseded),
        (vec![by(), Change::Withdrawn], Superseded),
        (vec![by(), Change::Disputed], Superseded),
        (vec![Change::Approved], Active),
        (vec![Change::Rejected], Active),
        (vec![Change::Forgotten], Forgotten),
        (vec![Change::Forgotten, REINFORCED], Forgotten),
        (vec![Change::Forgotten, Change::Withdrawn], Forgotten),
        (vec![Change::Disputed, Change::Forgotten, Change::Withdrawn], Forgotten),
    ] {
        let changes: Vec<(&str, Change)> = changes.into_iter().map(|change| ("s1", change)).collect();
        assert_eq!(after(&changes).state, state, "{changes:?}");
    }
}

/// A memory expires with its moment, and not before.
#[test]
fn the_table_of_expiry() {
    for (until, now, served) in [
        (None, i64::MAX, true),
        (Some(10), 9, true),
        (Some(10), 10, false),
        (Some(10), 11, false),
        (Some(-5), -6, true),
        (Some(-5), 0, false),
    ] {
        let memory = Memory { until, ..after(&[]) };
        assert_eq!(memory.is_served(now), served, "{until:?} at {now}");
    }
}

#[test]
fn what_was_derived_is_held_back_and_comes_back() {
    let observed =
        |number, id: &str| event(number, id, "s", Change::Observed(observation(Kind::Fact, Authority::Personal)));
    let derived = |number, id: &str, to: &str| {
        event(number, id, "s", Change::Linked { to: to.to_owned(), relation: Relation::DerivedFrom })
    };
    // b and d from a, c from b, e from a and x, f from a and met elsewhere.
    let mut events = vec![observed(1, "a"), observed(2, "x")];
    for (number, id) in (3..).zip(["b", "c", "d", "e", "f"]) {
        events.push(observed(number, id));
    }
    let links = [("b", "a"), ("c", "b"), ("d", "a"), ("e", "a"), ("e", "x"), ("f", "a")];
    events.extend((8..).zip(links).map(|(number, (id, to))| derived(number, id, to)));
    events.push(event(14, "f", "other", Change::Reinforced { worked: None }));
    let before = replayed(&events);
    events.push(event(15, "a", "s", Change::Disputed));
    let all = replayed(&events);
    let held = |all: &Memories| -> Vec<String> {
        all.iter().filter(|memory| !memory.held_by.is_empty()).map(|memory| memory.id.clone()).collect()
    };
    assert_eq!(held(&all), ["b", "c", "d"]);
    assert_eq!(one(&all, "c").held_by, ["b"]);
    // The other source of e is disputed too; that of f is not what it rests on.
    events.push(event(16, "x", "s", Change::Disputed));
    assert_eq!(held(&replayed(&events)), ["b", "c", "d", "e"]);
    events.push(event(17, "x", "s", Change::Withdrawn));
    events.push(event(18, "a", "s", Change::Withdrawn));
    assert_eq!(replayed(&events), before);
    // A circle is refused: what is older is not derived from what is younger.
    events.push(derived(19, "a", "c"));
    assert_eq!(replayed(&events), before);
}

#[test]
fn what_revises_stands_before_what_was_not_said_again_and_is_trusted_no_more() {
    let observed =
        |number, id: &str| event(number, id, "s", Change::Observed(observation(Kind::Fact, Authority::Personal)));
    let link = |number, id: &str, to: &str| {
        event(number, id, "s", Change::Linked { to: to.to_owned(), relation: Relation::Revises })
    };
    let events = vec![observed(1, "old"), observed(2, "new"), link(3, "new", "old"), link(4, "new", "new")];
    let stands = |more: &[(&str, Change)]| {
        let more = (5..).zip(more).map(|(number, (id, change))| event(number, id, "s", change.clone()));
        let all = replayed(&events.iter().cloned().chain(more).collect::<Vec<_>>());
        (one(&all, "new").stands_before(&one(&all, "old")), one(&all, "old").stands_before(&one(&all, "new")))
    };
    assert_eq!(one(&replayed(&events), "new").revises().collect::<Vec<_>>(), ["old"], "nothing revises itself");
    let again = Change::Reinforced { worked: None };
    let promoted = Change::Promoted { authority: Authority::Team };
    for (more, is_before) in [
        (vec![], true),
        (vec![("old", again.clone())], false),
        (vec![("old", again.clone()), ("new", again)], true),
        (vec![("old", promoted.clone())], false),
        (vec![("old", promoted.clone()), ("new", promoted.clone())], true),
        (vec![("new", promoted)], true),
        (vec![("old", Change::Confirmed)], false),
        (vec![("old", Change::Confirmed), ("new", Change::Confirmed)], true),
        (vec![("new", Change::Disputed), ("new", Change::Withdrawn)], true),
        (vec![("new", Change::Forgotten)], false),
    ] {
        assert_eq!(stands(&more), (is_before, false), "{more:?}");
    }
}

#[test]
fn a_program_raises_no_authority_and_validates_nothing() {
    let program = |number, change| MemoryEvent {
        author: Author::Program("an agent".to_owned()),
        ..event(number, "m", "s", change)
    };
    let validated = Observation { source: MemorySource::Validated, ..observation(Kind::Tactic, Authority::Org) };
    let mut events = vec![program(1, Change::Observed(validated))];
    events.push(program(2, Change::Confirmed));
    events.push(program(3, Change::Promoted { authority: Authority::Team }));
    let memory = one(&replayed(&events), "m");
    assert_eq!((memory.authority, memory.validated), (Authority::Personal, false));
    events.push(event(4, "m", "s", Change::Confirmed));
    // Other words are not what was confirmed.
    let mut changed = events.clone();
    changed.push(program(5, Change::Corrected { until: None }));
    let memory = one(&replayed(&changed), "m");
    assert_eq!((memory.validated, memory.words.text.as_str()), (false, "words of event 5"));
    events.push(event(5, "m", "s", Change::Promoted { authority: Authority::Team }));
    let memory = one(&replayed(&events), "m");
    assert_eq!((memory.authority, memory.validated), (Authority::Team, true));
    events.push(program(6, Change::Corrected { until: None }));
    assert_eq!(one(&replayed(&events), "m"), memory, "a program changes nothing that a team stands behind");
}

fn change() -> impl Strategy<Value = Change> {
    let id = || (0..6u8).prop_map(|id| format!("m{id}"));
    prop_oneof![
        4 => prop_oneof![Just(Kind::Fact), Just(Kind::Tactic), Just(Kind::Preference)]
            .prop_map(|kind| Change::Observed(observation(kind, Authority::Personal))),
        1 => Just(Change::Proposed(observation(Kind::Fact, Authority::Team))),
        3 => prop_oneof![Just(None), any::<bool>().prop_map(Some)].prop_map(|worked| Change::Reinforced { worked }),
        2 => prop_oneof![Just(None), (0..3_000i64).prop_map(Some)].prop_map(|until| Change::Corrected { until }),
        1 => Just(Change::Contradicted),
        1 => Just(Change::Confirmed),
        2 => Just(Change::Disputed),
        2 => Just(Change::Withdrawn),
        1 => id().prop_map(|by| Change::Superseded { by }),
        4 => id().prop_map(|to| Change::Linked { to, relation: Relation::DerivedFrom }),
        1 => id().prop_map(|to| Change::Linked { to, relation: Relation::SolvedBy }),
        1 => id().prop_map(|to| Change::Linked { to, relation: Relation::Revises }),
        1 => prop_oneof![Just(Authority::Team), Just(Authority::Org)]
            .prop_map(|authority| Change::Promoted { authority }),
        1 => Just(Change::Approved),
        1 => Just(Change::Rejected),
        1 => Just(Change::Forgotten),
    ]
}

fn history(most: usize) -> impl Strategy<Value = Vec<MemoryEvent>> {
    let one = (0..6u8, 0..5u8, any::<bool>(), -2_000i64..2_000, change());
    prop::collection::vec(one, 0..most).prop_map(|all| {
        let made = (1..).zip(all).map(|(number, (memory, session, person, jump, change))| MemoryEvent {
            at: 1_000 + jump,
            author: if person { Author::Person } else { Author::Program("p".to_owned()) },
            ..event(number, &format!("m{memory}"), &format!("s{session}"), change)
        });
        made.collect()
    })
}

/// What is held back, by its definition: a naive twin of the propagation.
fn held_by_definition(all: &Memories) -> Vec<(String, Vec<String>)> {
    let memories: Vec<Memory> = all.iter().cloned().collect();
    let mut held: Vec<(String, Vec<String>)> = memories.iter().map(|m| (m.id.clone(), Vec::new())).collect();
    loop {
        let next: Vec<(String, Vec<String>)> = memories
            .iter()
            .map(|memory| {
                let sources: Vec<&str> = memory.derived_from().collect();
                let withheld = |id: &&str| {
                    let of = |m: &&Memory| m.id == **id;
                    memories.iter().find(of).is_some_and(|m| m.state == MemoryState::Disputed)
                        || held.iter().any(|(other, by)| other == *id && !by.is_empty())
                };
                let is_held = !memory.independent && !sources.is_empty() && sources.iter().all(withheld);
                let by = if is_held { sources.iter().map(|id| (*id).to_owned()).collect() } else { Vec::new() };
                (memory.id.clone(), by)
            })
            .collect();
        if next == held {
            return held;
        }
        held = next;
    }
}

proptest! {
    #[test]
    fn what_is_held_is_what_the_definition_says(events in history(120)) {
        let all = replayed(&events);
        let held: Vec<(String, Vec<String>)> = all.iter().map(|m| (m.id.clone(), m.held_by.clone())).collect();
        prop_assert_eq!(held, held_by_definition(&all));
    }

    #[test]
    fn a_dispute_and_its_withdrawal_change_nothing(events in history(80), which in 0..6u8) {
        let before = replayed(&events);
        let number = events.len() as i64 + 1;
        let id = format!("m{which}");
        let Ok(known) = before.get(&id);
        prop_assume!(known.is_none_or(|memory| memory.state != MemoryState::Disputed));
        let mut more = events.clone();
        more.push(event(number, &id, "s", Change::Disputed));
        more.push(event(number + 1, &id, "s", Change::Withdrawn));
        prop_assert_eq!(replayed(&more), before);
    }

    #[test]
    fn programs_alone_raise_no_authority_and_validate_nothing(events in history(120)) {
        let events: Vec<MemoryEvent> = events
            .into_iter()
            .map(|event| MemoryEvent { author: Author::Program("p".to_owned()), ..event })
            .collect();
        for memory in replayed(&events).iter() {
            prop_assert_eq!(memory.authority, Authority::Personal);
            prop_assert!(!memory.validated);
        }
    }

    #[test]
    fn words_that_are_gone_leave_the_rest_as_it_was(events in history(120)) {
        // Forgetting takes the words of a memory's events away; a later replay gives the same.
        let live = replayed(&events);
        let gone: Vec<String> = live
            .iter()
            .filter(|memory| memory.state == MemoryState::Forgotten)
            .map(|memory| memory.id.clone())
            .collect();
        let without: Vec<MemoryEvent> = events
            .into_iter()
            .map(|event| match gone.contains(&event.memory) {
                true => MemoryEvent { words: None, ..event },
                false => event,
            })
            .collect();
        prop_assert_eq!(replayed(&without), live);
    }

    #[test]
    fn confidence_stays_within_its_bounds(events in history(200)) {
        for memory in replayed(&events).iter() {
            prop_assert!((confidence::CONTRADICTED..=confidence::CEILING).contains(&memory.raw_confidence));
            prop_assert!(sure(memory) <= 90);
        }
    }
}
