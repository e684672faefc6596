//! Whether what is said now revises what was said before in the same session: "No, make that Newark" after "I want to
//! fly to Boston".
//!
//! Nobody says so, so it is a guess, from the texts alone: whether both state another value of one kind (a day, a count,
//! a name behind the same preposition), whether they have words in common, whether a word tells of a change, how long
//! they are, and how much was said between them. A logistic function weighs these (`weights`); it is fitted by
//! `benches/memory/fit_revising.py` on dialogues, and on hand-written pairs about other things. Long sayings, of which
//! talk among friends is made, revise little. A guess orders what is found, and hides nothing.
//!
//! `revision` tells which rule a new one replaces: there the texts are alike, here they hardly are.

mod saying;
mod signs;
mod weights;

use saying::Saying;
use signs::KINDS;
use weights::WEIGHTS;

/// How many sayings back something may be that is revised.
pub const MOST_EARLIER: usize = 12;

/// From here on it is taken to be revised. On the dialogues of the fit, cross-validated, more than half of what has this
/// chance is, and seven tenths of what is has it.
const LEAST_CHANCE: f32 = 0.2;

/// More words in common count as this many.
const MOST_COMMON: usize = 2;
/// More sayings between two count as this many.
const MOST_BETWEEN: usize = 8;

/// Places of what `said` revises among what was said earlier in the session, which is given in its order. Only the last
/// [`MOST_EARLIER`] of it are looked at.
pub fn revised(said: &str, earlier: &[&str]) -> Vec<usize> {
    let first = earlier.len().saturating_sub(MOST_EARLIER);
    let all: Vec<Saying> = earlier[first..].iter().map(|text| Saying::new(text)).collect();
    let said = Saying::new(said);
    let is_revised = |place: &usize| chance(&all[*place], &said, &all[place + 1..]) >= LEAST_CHANCE;
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
    /// Surely of the same matter.
    firm: u8,
    /// Perhaps of the same matter.
    loose: u8,
    /// Whether some stand behind the same preposition.
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

    /// What the script that fits the weights says of some pairs.
    #[test]
    fn it_reads_as_the_script_does() {
        for (earlier, later, expected) in [
            ("Please deploy it to staging on Friday.", "Actually, make that Monday.", 0.458),
            ("My sister lives in Leeds.", "My sister has moved to York, she lives there now.", 0.324),
            ("We drink our coffee without sugar.", "Not any more: one spoon of sugar in our coffee, please.", 0.19),
            ("The budget is $400.", "I can go up to $550.", 0.183),
            (
                "My appointment with the doctor is on March 3rd.",
                "They called me: the doctor can only see me on the 10th of March.",
                0.784,
            ),
            ("Our database is MySQL.", "We have switched our database to Postgres.", 0.353),
            ("Send the invoice to Martin.", "Send it to Claudia, not to Martin.", 0.955),
            ("Indent with tabs in this project.", "Please indent with two spaces in this project.", 0.06),
            ("The release is planned for June.", "The release has slipped to August.", 0.34),
            ("My phone number ends in 44.", "No wait, it ends in 47.", 0.955),
            ("Last week I went to the lake with Anna.", "Yesterday I finally finished my painting.", 0.153),
            ("My grandmother was born in Lisbon.", "My boss comes from Dublin.", 0.042),
            ("The build takes ten minutes.", "The tests take four minutes.", 0.729),
            ("I prefer trains to planes.", "I prefer quiet hotels with a view.", 0.115),
            ("My son started school in September.", "My daughter plays chess on Wednesdays.", 0.041),
            ("The staging cluster has five nodes.", "The production cluster has twenty nodes.", 0.1),
            ("Is there a pharmacy nearby?", "Is it open today?", 0.021),
            ("Please book the room for three nights.", "Is there a gym in the hotel?", 0.029),
            ("My favourite dish is lasagne.", "My favourite sport is tennis.", 0.106),
            ("I bought the blue bike for 300 euros.", "I paid 40 euros for a helmet.", 0.691),
            ("I met Carla at the conference in May.", "I met Robert at a wedding last summer.", 0.684),
            ("I'd like to see a play this weekend.", "I'd also like a restaurant that serves sushi.", 0.027),
            ("My knees hurt since last winter.", "My back is better since I swim twice a week.", 0.103),
            ("How was your trip to Greece?", "It was great. I swam every day and ate far too much.", 0.026),
        ] {
            let found = chance(&Saying::new(earlier), &Saying::new(later), &[]);
            assert!((found - expected).abs() < 0.002, "{earlier:?} {later:?}: {found}, not {expected}");
        }
    }
}
