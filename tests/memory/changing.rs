use super::{ken_in, remember, repository};
use crate::support::ken::User;

/// Values that follow each other; of each only the last is true.
const VALUES: &[&str] = &["five", "eleven", "forty", "ninety"];

/// Three hundred facts and preferences, each changed up to three times in an order that looks like chance: what a
/// search shows is the last value, and never one before it.
#[test]
fn the_current_value_is_served_and_an_old_one_never() {
    let many = crate::support::long::amount("KEN_CHANGES", 300, 40) as usize;
    let user = User::new();
    let here = repository(&user, "one");
    let lines = |round: usize| -> String {
        let one = |at: usize| {
            let value = VALUES[round];
            match at % 2 {
                0 => format!("{at}\tfact\tservice{at}\tThe limit of service{at} is {value} requests\n"),
                _ => format!("{at}\tpreference\ttopic{at}\tIn topic{at} we use {value} columns\n"),
            }
        };
        (0..many).filter(|at| at % VALUES.len() >= round).map(one).collect()
    };
    for round in 0..VALUES.len() {
        for line in lines(round).lines() {
            let [_, kind, about, text] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
            match kind {
                "fact" => remember(&user, &here, &[text, "--service", about, "--subject", "limit"]),
                _ => remember(&user, &here, &[text, "--category", about, "--pattern", "columns"]),
            };
        }
    }
    let mut first = 0;
    for at in 0..many {
        let (name, current) = (if at % 2 == 0 { "service" } else { "topic" }, VALUES[at % VALUES.len()]);
        let asked = format!("{name}{at}");
        let ran = ken_in(&user, &here, &["search", "--json", "--min-relevance", "0", "--full", "-n", "5", &asked]);
        let hits = ran.json()["results"][0]["hits"].as_array().unwrap().clone();
        let about: Vec<&str> = hits
            .iter()
            .filter_map(|hit| hit["text"].as_str())
            .filter(|text| text.split(' ').any(|word| word == asked))
            .collect();
        assert!(about.iter().all(|text| text.contains(current)), "{asked} {current}: {about:?}");
        first +=
            usize::from(hits.first().and_then(|hit| hit["text"].as_str()).is_some_and(|text| about.contains(&text)));
    }
    assert!(first * 100 >= many * 99, "{first} of {many}");
    let expired =
        remember(&user, &here, &["The staging site is down", "--service", "staging", "--until", "2020-01-01"]);
    assert_eq!(expired["memory"]["served"], false);
    let ran = ken_in(&user, &here, &["search", "--json", "--min-relevance", "0", "staging site down"]);
    assert!(!ran.out.contains("The staging site is down"), "{ran:?}");
}
