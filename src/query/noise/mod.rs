//! What an index answers to questions that have nothing to do with it: asked when it has changed, so that the gate of
//! its texts fits it without a single label.

use super::SearchError;
use super::collections::ItemCollection;
use super::options::SearchOptions;
use super::question::{Question, QuestionVectors, ROLES, embed_with_parts, is_short};
use super::rank::{Fused, fuse};
use super::relevance::{Evidence, WORDS_ALONE};
use super::search::SearchContext;
use crate::embed::{EmbedError, Encoder};
use crate::types::{FamilyNoise, SignalNoise};

/// Share of foreign questions that indexed texts may answer.
pub const DEFAULT_MAX_NOISE: f64 = 0.03;

/// Questions of everyday life and of scholarship, and questions, messages and sentences of software, a line each;
/// `\n` in a line is a line feed. Programs, products and people in messages are made up, so that no index is about
/// them. The families are apart because an index is near to one of them, and its gate is to fit that one.
const FAMILIES: [&str; 2] = [include_str!("everyday.txt"), include_str!("software.txt")];

/// A question that hardly any index speaks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignQuestion {
    /// What is asked.
    pub text: String,
    /// Place of its family.
    pub family: usize,
}

impl ForeignQuestion {
    /// What of it is embedded by itself.
    pub fn parts(&self) -> Vec<String> {
        Question::new(&self.text).parts
    }
}

/// The log-odds of the closest text to one foreign question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForeignOdds {
    /// By vectors and words; none without a model.
    pub both: Option<f32>,
    /// By words alone.
    pub words: f32,
}

/// All foreign questions, a family after the other.
pub fn foreign_questions() -> Vec<ForeignQuestion> {
    let family = |(family, lines): (usize, &'static str)| {
        lines.lines().map(move |line| ForeignQuestion { text: line.replace("\\n", "\n"), family })
    };
    FAMILIES.into_iter().enumerate().flat_map(family).collect()
}

/// The unit vectors of foreign questions and of their parts, as a search would embed them.
///
/// # Errors
/// [`EmbedError`] when the model fails.
pub fn embed_foreign(questions: &[ForeignQuestion], encoder: &dyn Encoder) -> Result<Vec<QuestionVectors>, EmbedError> {
    let questions: Vec<Question> = questions.iter().map(|one| Question::new(&one.text)).collect();
    embed_with_parts(&questions.iter().collect::<Vec<_>>(), ROLES, encoder)
}

/// Asks the items one foreign question. `vectors` are its unit vectors; none without a model.
///
/// # Errors
/// [`SearchError`] when the database fails.
pub fn foreign_odds(
    context: SearchContext<'_>,
    items: &ItemCollection<'_>,
    question: &ForeignQuestion,
    vectors: Option<QuestionVectors>,
) -> Result<ForeignOdds, SearchError> {
    let options = SearchOptions::default();
    let posed = context.posed(Question::new(&question.text), is_short(&question.text), vectors, &options);
    let canon = posed.canon();
    let query = posed.query();
    let Fused { gathered, grounds, background } = fuse(&query, &[&canon, items], None, options.feedback)?;
    let found = gathered.into_iter().next_back().map(|one| one.found).unwrap_or_default();
    let ground = grounds.last().copied().unwrap_or_default();
    let evidence: Vec<Evidence> = found.into_iter().map(|one| Evidence { hint: 0.0, ..one.evidence }).collect();
    let share = evidence.iter().filter_map(|one| one.words).map(|words| ground.share(words)).fold(0.0, f32::max);
    let both = query.calibration.map(|calibration| match ground.closest(&evidence) {
        Some(closest) => ground.odds(&closest, &background, calibration.of_documents()),
        None => f32::MIN,
    });
    Ok(ForeignOdds { both, words: WORDS_ALONE.slope * share + WORDS_ALONE.offset })
}

/// What the answers to all foreign questions, in their order, say of one set of signals.
pub fn signal_noise(questions: &[ForeignQuestion], odds: impl Fn(usize) -> f32) -> SignalNoise {
    let family = |family: usize, short: bool| {
        let own = |at: &usize| questions[*at].family == family && is_short(&questions[*at].text) == short;
        FamilyNoise::new((0..questions.len()).filter(own).map(&odds).collect())
    };
    let all = |short| (0..FAMILIES.len()).map(|at| family(at, short)).collect();
    SignalNoise { short: all(true), long: all(false) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn foreign_questions_are_many_and_differ() {
        let all = foreign_questions();
        let texts: HashSet<&str> = all.iter().map(|one| one.text.as_str()).collect();
        assert!(all.len() > 900 && texts.len() == all.len() && !texts.contains(""));
        for family in 0..FAMILIES.len() {
            for short in [true, false] {
                let of = all.iter().filter(|one| one.family == family && is_short(&one.text) == short).count();
                assert!(of > 150, "{of} questions of family {family}, short: {short}");
            }
        }
        assert!(all.iter().any(|one| one.text.contains('\n')));
    }

    #[test]
    fn each_family_and_length_has_noise_of_its_own() {
        let all = foreign_questions();
        let noise = signal_noise(&all, |at| if is_short(&all[at].text) { 1.0 } else { all[at].family as f32 });
        assert_eq!((noise.threshold(true, 0.03), noise.threshold(false, 0.03)), (Some(1.0), Some(1.0)));
        let of = |families: &[FamilyNoise]| families.iter().map(|one| one.questions).sum::<usize>();
        assert_eq!(of(&noise.short) + of(&noise.long), all.len());
    }
}
