//! The texts that are an entry's own, its examples and symptoms, and whether a problem's text equals one of them.

use crate::canon::{Canon, Example, PatternHit};
use crate::text::{clean, mask, shape};
use crate::triage::blocks;
use std::sync::OnceLock;

/// Letters in a row that are looked for at least. Where a mask shortens a path, a few letters may have come together
/// that did not stand so in the text.
const LEAST_LETTERS: usize = 4;

/// What an entry's own texts are compared with.
pub(super) struct Told<'a> {
    /// The problem's fingerprint.
    pub fingerprint: &'a str,
    /// Its masked text, in words of lower case.
    salient: Vec<String>,
    /// Runs of letters that every equal text holds.
    letters: Vec<String>,
}

impl<'a> Told<'a> {
    /// Of a problem's fingerprint and the masked text that it is made of.
    pub fn new(fingerprint: &'a str, salient: &str) -> Self {
        Self { fingerprint, salient: lower_words(salient), letters: kept_letters(salient) }
    }

    /// Whether a text in lower case may equal the problem's once both are masked. Masks take most of the time, and
    /// nearly all texts are told apart without them.
    fn may_equal(&self, lower: &str) -> bool {
        self.letters.iter().all(|letters| lower.contains(letters.as_str()))
    }
}

/// An example, with what is known of it once it has been asked for.
struct Sample {
    /// In lower case, without what logs put around lines.
    lower: String,
    block: OnceLock<Option<Single>>,
}

/// The block of an example that is a single one. An example of several blocks is told by one of them, and which is not
/// known here.
struct Single {
    fingerprint: String,
    /// Its lines.
    text: String,
    /// Whether a pattern of the entry matches these lines. Lines that no pattern matches, such as "exit code 1", say
    /// too little to be compared.
    matches: OnceLock<bool>,
}

/// The texts of an entry.
pub(super) struct Tells {
    entry: usize,
    /// The symptoms in lower case, with their masked words once they have been asked for.
    symptoms: Vec<(String, OnceLock<Vec<String>>)>,
    examples: Vec<Sample>,
}

impl Tells {
    /// Of the entry at this place.
    pub fn new(canon: &Canon, entry: usize) -> Self {
        let known = canon.entries()[entry].entry();
        let sample =
            |example: &Example| Sample { lower: clean(&example.text).text.to_lowercase(), block: OnceLock::new() };
        Self {
            entry,
            symptoms: known.symptoms.iter().map(|symptom| (symptom.to_lowercase(), OnceLock::new())).collect(),
            examples: known.examples.iter().map(sample).collect(),
        }
    }

    /// Whether one of them equals the problem's text.
    pub fn has(&self, canon: &Canon, told: &Told<'_>) -> bool {
        let known = canon.entries()[self.entry].entry();
        // In people's own words a number matters ("nginx answers 504"), which a fingerprint leaves out.
        let mut symptoms = known.symptoms.iter().zip(&self.symptoms);
        let mut examples = known.examples.iter().zip(&self.examples);
        symptoms.any(|(symptom, (lower, words))| {
            told.may_equal(lower) && *words.get_or_init(|| lower_words(&mask(symptom))) == told.salient
        }) || examples.any(|(example, sample)| {
            let block = || sample.block.get_or_init(|| single(example)).as_ref();
            let is_ours = |hit: &PatternHit| hit.entry == self.entry;
            // Patterns take longest, so they come last.
            told.may_equal(&sample.lower)
                && block().is_some_and(|block| {
                    block.fingerprint == told.fingerprint
                        && *block.matches.get_or_init(|| canon.find(&block.text).iter().any(is_ours))
                })
        })
    }
}

fn single(example: &Example) -> Option<Single> {
    let cleaned = clean(&example.text);
    let mut blocks = blocks(&cleaned);
    let block = blocks.pop().filter(|_| blocks.is_empty())?;
    let lines: Vec<&str> = (block.first..=block.last).map(|line| cleaned.line(line)).collect();
    Some(Single { fingerprint: block.fingerprint, text: lines.join("\n"), matches: OnceLock::new() })
}

/// The words of a text in lower case: what makes two texts equal, white space aside.
fn lower_words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_lowercase).collect()
}

/// Runs of letters in those words of a masked text that no mark stands for and none is in. Whoever has the same
/// fingerprint has these words too. What stands before a closing bracket may be the name of a secret that was taken
/// out.
fn kept_letters(salient: &str) -> Vec<String> {
    let shape = shape(salient).to_lowercase();
    let plain = shape.rfind(']').map_or(shape.as_str(), |at| &shape[at..]);
    let kept = plain.split_whitespace().filter(|word| !word.contains('<'));
    let runs = kept.flat_map(|word| word.split(|c: char| !c.is_ascii_alphabetic()));
    runs.filter(|run| run.len() >= LEAST_LETTERS).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built_in() -> Canon {
        Canon::load(&[]).0
    }

    // Texts with one fingerprint have the same letters. So a text that has its own is found by every equal one.
    #[test]
    fn every_example_and_symptom_is_compared_with_itself() {
        let canon = built_in();
        let (mut examples, mut symptoms) = (0, 0);
        for (at, stored) in canon.entries().iter().enumerate() {
            let tells = Tells::new(&canon, at);
            for (example, sample) in stored.entry().examples.iter().zip(&tells.examples) {
                let cleaned = clean(&example.text);
                for block in blocks(&cleaned) {
                    assert!(
                        Told::new(&block.fingerprint, &block.salient).may_equal(&sample.lower),
                        "{}: {:?}",
                        stored.id(),
                        block.salient
                    );
                    examples += 1;
                }
            }
            for (symptom, (lower, _)) in stored.entry().symptoms.iter().zip(&tells.symptoms) {
                let masked = mask(symptom);
                assert!(Told::new("", &masked).may_equal(lower), "{}: {masked:?}", stored.id());
                symptoms += 1;
            }
        }
        assert!(examples > 3_000 && symptoms > 3_000, "{examples}, {symptoms}");
    }

    #[test]
    fn an_entry_tells_its_own_texts_and_no_others() {
        let canon = built_in();
        let at = canon.entries().iter().position(|stored| stored.id() == "git-ssh/unrelated-histories").unwrap();
        let tells = Tells::new(&canon, at);
        let told = |text: &str| {
            let block = blocks(&clean(text)).remove(0);
            tells.has(&canon, &Told::new(&block.fingerprint, &block.salient))
        };
        assert!(canon.entries()[at].entry().examples.iter().any(|example| told(&example.text)));
        assert!(!told("fatal: refusing to merge unrelated mysteries"));
        assert!(!told("fatal: nothing of this is known"));
    }
}
