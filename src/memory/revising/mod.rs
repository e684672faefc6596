//! Guesses whether a saying revises an earlier one of the same session: "No, make that Newark" after "I want to fly to
//! Boston".
//!
//! The guess rests on the two texts: whether they state different values of one kind (a day, a count, a name after the
//! same preposition), whether they share words, whether a word announces a change, how long they are, and how much was
//! said in between. A logistic function weighs these signs (`weights`). `benches/memory/fit_revising.py` fits it on
//! dialogues and on hand-written pairs about other things. Talk among friends consists of long sayings, which seldom
//! revise anything. A guess changes the order of what is found, and hides nothing.
//!
//! `revision` finds the rule that a new rule replaces. Those texts are alike; the ones here hardly are.

mod hints;
mod saying;
mod signs;
mod weights;

use saying::Saying;
use signs::KINDS;
use weights::WEIGHTS;

/// How many sayings back a revised one may lie.
pub const MOST_EARLIER: usize = 12;

/// Least chance for a link where the two state different values of one kind. On the dialogues of the fit,
/// cross-validated, it gives a precision of .55 and a recall of .70.
const LEAST_CHANCE: f32 = 0.2;
/// Least chance where they do not. Then shared words are the only evidence, and general statements share words too.
const LEAST_WITHOUT_VALUE: f32 = 0.3;

/// Shared words that count; more add nothing.
const MOST_COMMON: usize = 2;
/// Sayings in between that count; more add nothing.
const MOST_BETWEEN: usize = 8;

/// The places in `earlier` of the sayings that `said` revises. `earlier` has the session's sayings in their order; only
/// its last [`MOST_EARLIER`] are read.
pub fn revised(said: &str, earlier: &[&str]) -> Vec<usize> {
    let first = earlier.len().saturating_sub(MOST_EARLIER);
    let all: Vec<Saying> = earlier[first..].iter().map(|text| Saying::new(text)).collect();
    let said = Saying::new(said);
    let is_revised = |place: &usize| {
        let held = Compared::new(&all[*place], &said);
        let least = if held.firm | held.loose == 0 { LEAST_WITHOUT_VALUE } else { LEAST_CHANCE };
        chance(&all[*place], &said, &all[place + 1..]) >= least
    };
    (0..all.len()).filter(is_revised).map(|place| first + place).collect()
}

/// How likely it is that the later saying revises the earlier, given what was said between them.
fn chance(earlier: &Saying, later: &Saying, between: &[Saying]) -> f32 {
    let held = Compared::new(earlier, later);
    let is_latest = held.firm != 0 && between.iter().all(|one| Compared::new(one, later).firm & held.firm == 0);
    let is = |holds: bool| f32::from(u8::from(holds));
    let features = [
        1.0,
        is(held.firm != 0),
        is(held.loose != 0 && held.firm == 0),
        is(held.place),
        earlier.words.intersection(&later.words).count().min(MOST_COMMON) as f32,
        between.len().min(MOST_BETWEEN) as f32 / 4.0,
        is(is_latest),
        is(later.changes),
        is(later.values.is_empty()),
        later.length,
        earlier.length,
    ];
    let score: f32 = features.iter().zip(WEIGHTS).map(|(feature, weight)| feature * weight).sum();
    1.0 / (1.0 + (-score).exp())
}

/// The kinds of which two sayings state different values, as bits.
#[derive(Debug, Default)]
struct Compared {
    /// Kinds whose values surely belong to the same matter.
    firm: u8,
    /// Kinds whose values perhaps do.
    loose: u8,
    /// Whether two values stand after the same preposition.
    place: bool,
}

impl Compared {
    fn new(earlier: &Saying, later: &Saying) -> Self {
        let mut out = Self::default();
        for one in &earlier.values {
            for other in later.values.iter().filter(|other| other.kind == one.kind && other.text != one.text) {
                let stands_as = one.stands_as(other);
                let counts_alike = !one.behind.is_empty() && one.behind == other.behind;
                out.place |= stands_as;
                let bit = 1 << one.kind;
                match stands_as || counts_alike || KINDS[one.kind].alone {
                    true => out.firm |= bit,
                    false => out.loose |= bit,
                }
            }
        }
        out.loose &= !out.firm;
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_later_revises_what_states_the_same_kind_of_thing() {
        let earlier = ["Fly me to Boston.", "Two seats, please.", "Is there a gym?"];
        for (said, revised_by_it) in [
            ("No, to Newark.", &[0][..]),
            ("Actually, make it three seats.", &[1]),
            ("Thank you, goodbye.", &[]),
            ("I like the colour of the sea in winter, and my aunt once had a dog there.", &[]),
        ] {
            assert_eq!(revised(said, &earlier), revised_by_it, "{said}");
        }
        assert_eq!(revised("No, to Newark.", &[]), Vec::<usize>::new());
    }

    #[test]
    fn what_is_further_back_is_revised_less() {
        let revises = |between: usize| {
            let mut earlier = vec!["Fly me to Boston."];
            earlier.extend(std::iter::repeat_n("Yes.", between));
            revised("No, to Newark.", &earlier).contains(&0)
        };
        let first_not = (0..20).find(|between| !revises(*between)).expect("it ends");
        assert!(first_not > 0 && (first_not..20).all(|between| !revises(between)), "{first_not}");
    }

    /// Chances of some pairs, as the script that fits the weights computes them.
    #[test]
    fn it_reads_as_the_script_does() {
        for (earlier, later, expected) in [
            ("Please deploy it to staging on Friday.", "Actually, make that Monday.", 0.449),
            ("My sister lives in Leeds.", "My sister has moved to York, she lives there now.", 0.361),
            ("We drink our coffee without sugar.", "Not any more: one spoon of sugar in our coffee, please.", 0.069),
            ("The budget is $400.", "I can go up to $550.", 0.179),
            (
                "My appointment with the doctor is on March 3rd.",
                "They called me: the doctor can only see me on the 10th of March.",
                0.797,
            ),
            ("Our database is MySQL.", "We have switched our database to Postgres.", 0.394),
            ("Send the invoice to Martin.", "Send it to Claudia, not to Martin.", 0.857),
            ("Indent with tabs in this project.", "Please indent with two spaces in this project.", 0.075),
            ("The release is planned for June.", "The release has slipped to August.", 0.376),
            ("My phone number ends in 44.", "No wait, it ends in 47.", 0.96),
            ("I prefer tabs in this project.", "I changed my mind: I prefer spaces in this project.", 0.344),
            ("Please use the short names.", "I meant the long names.", 0.391),
            (
                "I ran ten kilometres on Sunday and felt great.",
                "Next Friday we have a concert at school, and the kids are excited.",
                0.34,
            ),
            ("I use Vim for notes.", "I write mails in Outlook.", 0.044),
            ("Thanks, that was really helpful!", "You are welcome. Did it work on Windows too?", 0.006),
            ("Our API listens on port 443.", "The metrics are served on port 9100.", 0.369),
            (
                "In 2019 I lived in Oslo for a while.",
                "In 2021 I worked on a farm in Chile, which taught me a lot.",
                0.797,
            ),
            (
                "I read a wonderful book about castles by a French author.",
                "That sounds wonderful! I read little these days, but last night I watched a film about bees.",
                0.073,
            ),
            ("I want to leave from Hamburg.", "And I want to arrive in Munich by noon.", 0.127),
            ("Congratulations on the new job, Paul!", "Thank you, Maria! I start on Monday.", 0.022),
            ("The config is in config.toml.", "The log is in var/log.", 0.134),
            ("Tell me about the weather in Madrid tomorrow.", "Yes, that is fine.", 0.038),
            ("Our standup is at nine.", "Lunch is at noon.", 0.087),
            ("Alice owns the billing service.", "Bob owns the search service.", 0.134),
            ("For dates use ISO 8601.", "For money use integers in cents.", 0.131),
            ("The function parse returns an error.", "The function render never fails.", 0.128),
            (
                "I dislike long emails and prefer a short call.",
                "I strongly dislike bright screens and prefer dark themes.",
                0.1,
            ),
            (
                "I love old maps and the stories that they tell.",
                "I would rather walk than take a taxi in a city that I know.",
                0.091,
            ),
            (
                "I try to avoid plastic and prefer glass.",
                "I try to read before I sleep, and prefer paper to a screen.",
                0.095,
            ),
            ("We do not use mocks in these tests.", "We do not log the bodies of requests.", 0.108),
        ] {
            let found = chance(&Saying::new(earlier), &Saying::new(later), &[]);
            assert!((found - expected).abs() < 0.002, "{earlier:?} {later:?}: {found}, not {expected}");
        }
    }
}
