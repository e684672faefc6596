//! How close a candidate is to a question, by meaning and words together, and how likely it is right.
//!
//! Closeness is `-ln(1.01 - cosine) + w * k`. The logarithm is steep where a text says nearly the same and flat where
//! cosines are vague, so near-duplicates are left to the vectors. `k` is BM25 as it is: stretched to \[0, 1\] by
//! question it would make the noise of short questions as loud as evidence. `w` is `weight * clamp(1 - nearest, 0.04,
//! 0.3) / sqrt(reach)`: words count the less the nearer the nearest candidate is, and stand between a share of what
//! could be reached and the plain sum. Of a question that says more than a text of middle length could hold, what such
//! a text could reach is taken. Where it is known what share `c` of the question's words a text holds, `k`
//! counts `1 + c^16` times: whoever asks in keywords wants the text that has all of them. How it was found:
//! docs/retrieval.md.

use super::background::Background;
use crate::lexical::{Naming, Reach};
use crate::types::{Fit, Logistic};
use serde::Serialize;

/// Keeps the logarithm finite where two texts are the same.
const BEYOND: f32 = 1.01;
/// Weight of words where nothing else is fitted.
pub const WORD_WEIGHT: f32 = 0.875;
/// How steeply words gain as a text comes to hold all of them.
const STEEP: i32 = 16;
/// Behind how many candidates the one lies that the closest of a few keywords is compared with.
const CROWD: usize = 30;
/// Texts up to which it says nothing that none holds a word, and from which on it says all that it can.
const VOCABULARY: (f32, f32) = (20.0, 200.0);
/// Texts up to which their number does not matter.
const FEW: f32 = 2_000.0;
/// How likely a text is right because it holds the name that is asked for, and because it declares it. Where many texts
/// hold a name, it says little as a word. Yet no text about something else holds `max_attempts`.
const OF_NAME: (f32, f32) = (0.5, 0.8);
/// Bounds of the room that the nearest candidate leaves to words.
const ROOM: (f32, f32) = (0.04, 0.3);

/// From a share of words to a probability, for answers without a model; fitted on the built-in set like the models'
/// own.
pub const WORDS_ALONE: Logistic = Logistic { slope: 14.0, offset: -6.2 };

/// `-ln(1.01 - cosine)`, in \[-0.7, 4.6\].
fn nearness(cosine: f32) -> f32 {
    -(BEYOND - cosine.clamp(-1.0, 1.0)).ln()
}

/// What speaks for one candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Evidence {
    /// Cosine to the question, in \[-1, 1\]; none without a vector.
    pub cosine: Option<f32>,
    /// Cosine to the question as it was moved towards what it found first; see [`super::moved`].
    pub moved: Option<f32>,
    /// Greatest cosine to a part of a question that has several; it counts as much as that to the whole.
    pub part: Option<f32>,
    /// BM25 of the words it shares; none where words do not count.
    pub words: Option<f32>,
    /// How much of what the question says it says too, by weight, in \[0, 1\]; none where that is not known.
    pub covered: Option<f32>,
    /// Whether it holds the name that is asked for.
    pub naming: Naming,
    /// Log-odds that are added: of a pattern that points here but proves nothing, of the question's kind, and of how
    /// much noise its collection answers with.
    pub hint: f32,
}

impl Evidence {
    /// How near it is to the question, a cosine; none without a vector.
    pub fn near(&self) -> Option<f32> {
        self.cosine.map(|cosine| self.with_part(cosine))
    }

    fn with_part(&self, whole: f32) -> f32 {
        self.part.map_or(whole, |part| (whole + part) / 2.0)
    }

    /// Relevance with what the name says: either may be right (noisy or; Pearl, "Probabilistic Reasoning in Intelligent
    /// Systems", 1988, 4.3.2).
    fn with_name(&self, relevance: f32) -> f32 {
        let of_name = match self.naming {
            Naming::Absent => return relevance,
            Naming::Held => OF_NAME.0,
            Naming::Declared => OF_NAME.1,
        };
        1.0 - (1.0 - relevance) * (1.0 - of_name)
    }

    /// How many times its words count; once where nothing else speaks, so that words alone are BM25.
    fn lift(&self) -> f32 {
        let covered = self.covered.filter(|_| self.cosine.is_some());
        covered.map_or(1.0, |covered| 1.0 + covered.powi(STEEP))
    }
}

/// What holds for all candidates of a question.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ground {
    /// Weight of words.
    pub weight: f32,
    /// Greatest cosine of a candidate.
    pub nearest: f32,
    /// The most that BM25 could reach.
    pub reach: Reach,
    /// How many texts there are to choose from.
    pub texts: usize,
    /// Whether the question is a few keywords.
    pub is_short: bool,
}

/// The closest of a question's candidates.
#[derive(Debug, Clone, Copy)]
pub struct Closest<'e> {
    /// What speaks for it.
    pub evidence: &'e Evidence,
    /// How much closer it is than the candidate thirty places behind it, or than the last; at least 0.
    pub ahead: f32,
}

/// What a candidate's evidence comes to.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Judged {
    /// What orders candidates of one sort; see the module.
    pub closeness: f32,
    /// Cosine to the question as it was asked, in \[-1, 1\].
    pub cosine: Option<f32>,
    /// Probability of being right as far as meaning alone can tell, in \[0, 1\].
    pub semantic: Option<f32>,
    /// Words as a share of what could be reached, in \[0, 1\].
    pub keyword: Option<f32>,
    /// How many times its words count.
    pub lift: f32,
    /// Probability of being right, in \[0, 1\].
    pub relevance: f32,
}

impl Judged {
    /// Closeness as a similarity in \[0, 1\]: `1 - (1.01 - cosine) * exp(-w * words)`.
    pub fn similar(&self) -> f32 {
        (1.0 - (-self.closeness).exp()).clamp(0.0, 1.0)
    }
}

impl Default for Ground {
    fn default() -> Self {
        Self { weight: WORD_WEIGHT, nearest: 0.0, reach: Reach::default(), texts: 0, is_short: false }
    }
}

impl Ground {
    /// The factor of words in closeness.
    pub fn word_weight(&self) -> f32 {
        let room = (1.0 - self.nearest).clamp(ROOM.0, ROOM.1);
        let reach = self.reach.held;
        if reach > 0.0 { self.weight * room / reach.sqrt() } else { 0.0 }
    }

    /// The factor of the keyword signal in closeness.
    pub fn keyword_weight(&self) -> f32 {
        self.word_weight() * self.reach.specific
    }

    /// How close a candidate is.
    pub fn closeness(&self, evidence: &Evidence) -> f32 {
        let cosine = evidence.moved.or(evidence.cosine).unwrap_or(0.0);
        nearness(evidence.with_part(cosine)) + self.word_weight() * evidence.lift() * evidence.words.unwrap_or(0.0)
    }

    /// Words as a share of what could be reached, in \[0, 1\].
    pub fn share(&self, words: f32) -> f32 {
        if self.reach.specific > 0.0 { (words / self.reach.specific).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// All candidates of one sort, in their order. `fit` is none without a model.
    pub fn judge(&self, all: &[Evidence], background: &Background, fit: Option<&Fit>) -> Vec<Judged> {
        let best = fit.zip(self.closest(all));
        let best = best.map(|(fit, one)| (self.odds(&one, background, fit), self.closeness(one.evidence)));
        let judged = all.iter().map(|one| {
            let closeness = self.closeness(one);
            let semantic = fit.zip(one.near()).map(|(fit, cosine)| fit.semantic.at(cosine));
            let keyword = one.words.map(|words| self.share(words));
            let relevance = match (fit.zip(best), semantic, keyword) {
                (Some((fit, (odds, best))), Some(_), Some(_)) => {
                    probability(odds - fit.fall * (best - closeness) + one.hint)
                }
                (_, Some(semantic), None) => semantic,
                (_, _, keyword) => {
                    let alone = Logistic { offset: WORDS_ALONE.offset + one.hint, ..WORDS_ALONE };
                    alone.at(keyword.unwrap_or(0.0))
                }
            };
            let relevance = one.with_name(relevance);
            Judged { closeness, cosine: one.cosine, semantic, keyword, lift: one.lift(), relevance }
        });
        judged.collect()
    }

    /// The closest of those that both signals speak for.
    pub fn closest<'e>(&self, all: &'e [Evidence]) -> Option<Closest<'e>> {
        let both = all.iter().filter(|one| one.cosine.is_some() && one.words.is_some());
        let both: Vec<(f32, &Evidence)> = both.map(|one| (self.closeness(one), one)).collect();
        let (best, evidence) = both.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0))?;
        let mut all: Vec<f32> = both.into_iter().map(|(closeness, _)| closeness).collect();
        let behind = CROWD.min(all.len() - 1);
        let (_, crowd, _) = all.select_nth_unstable_by(behind, |a, b| b.total_cmp(a));
        Some(Closest { evidence, ahead: best - *crowd })
    }

    /// Log-odds that the closest candidate is right.
    pub fn odds(&self, closest: &Closest<'_>, background: &Background, fit: &Fit) -> f32 {
        let [cosine, share, length, crowd] = self.features(closest.evidence, background);
        let evidence = fit.cosine * cosine + fit.words * share - fit.length * length - fit.crowd * crowd;
        fit.offset + evidence + self.given(closest, fit)
    }

    /// The part of the log-odds that is not fitted on labels of one corpus: what many texts cost, what words cost that
    /// no text has, and what a few keywords gain whose best text stands out.
    pub fn given(&self, closest: &Closest<'_>, fit: &Fit) -> f32 {
        let ahead = if self.is_short { fit.ahead * closest.ahead } else { 0.0 };
        self.vocabulary() * (ahead - fit.unknown * self.reach.unknown) - fit.size * self.excess()
    }

    /// How far the texts can be trusted to hold the words of what they are about: 0 up to 20 texts, 1 from 200 on.
    fn vocabulary(&self) -> f32 {
        let range = (VOCABULARY.1 / VOCABULARY.0).ln();
        ((self.texts.max(1) as f32 / VOCABULARY.0).ln() / range).clamp(0.0, 1.0)
    }

    /// How many times e there are more texts than 2,000, in powers; 0 for fewer.
    pub fn excess(&self) -> f32 {
        (self.texts as f32 / FEW).max(1.0).ln()
    }

    /// What the log-odds are made of: cosine, share of words, words against the length of the question, background.
    pub fn features(&self, closest: &Evidence, background: &Background) -> [f32; 4] {
        let (cosine, words) = (closest.near().unwrap_or(0.0), closest.words.unwrap_or(0.0));
        [cosine, self.share(words), words / (1.0 + self.reach.all).sqrt(), background.without(cosine)]
    }
}

/// A probability whose log-odds change by `by`, in \[0, 1\].
pub fn shifted(chance: f32, by: f32) -> f32 {
    let chance = chance.clamp(f32::EPSILON, 1.0 - f32::EPSILON);
    probability((chance / (1.0 - chance)).ln() + by)
}

fn probability(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FIT: Fit = Fit {
        weight: 0.875,
        offset: -14.0,
        cosine: 16.0,
        words: 5.0,
        length: 0.5,
        crowd: 1.0,
        size: 0.2,
        unknown: 3.0,
        ahead: 2.0,
        fall: 3.0,
        semantic: Logistic { slope: 4.0, offset: -5.0 },
        gate: 0.4,
    };

    fn ground() -> Ground {
        Ground {
            weight: 0.875,
            nearest: 0.8,
            reach: Reach { all: 30.0, held: 30.0, specific: 40.0, unknown: 0.0 },
            texts: 1_000,
            is_short: false,
        }
    }

    #[test]
    fn words_count_less_where_something_is_near() {
        let near = Ground { nearest: 0.99, ..ground() };
        let far = Ground { nearest: 0.5, ..ground() };
        assert!((far.word_weight() / near.word_weight() - 0.3 / 0.04).abs() < 1e-3);
        assert_eq!(Ground::default().word_weight(), 0.0);
    }

    #[test]
    fn who_asks_in_keywords_gets_the_text_that_has_them_all() {
        let one = |cosine, words, covered| Evidence { cosine, words: Some(words), covered, ..Evidence::default() };
        let far = Ground { nearest: 0.7, ..ground() };
        let [all, most] = [one(Some(0.66), 9.0, Some(1.0)), one(Some(0.70), 8.0, Some(0.8))];
        assert!(far.closeness(&all) > far.closeness(&most));
        let plain = |evidence: Evidence| far.closeness(&Evidence { covered: None, ..evidence });
        assert!(plain(all) < plain(most), "which closeness would not see without");
        // Words alone are BM25.
        assert_eq!(far.closeness(&one(None, 9.0, Some(1.0))), far.closeness(&one(None, 9.0, None)));
    }

    #[test]
    fn the_best_of_many_must_be_better() {
        let evidence = [Evidence { cosine: Some(0.9), words: Some(9.0), ..Evidence::default() }];
        let of = |texts| Ground { texts, ..ground() }.judge(&evidence, &Background::default(), Some(&FIT))[0].relevance;
        assert_eq!(of(10), of(2_000));
        let odds = |p: f32| (p / (1.0 - p)).ln();
        assert!((odds(of(2_000)) - odds(of(200_000)) - 0.2 * 100f32.ln()).abs() < 1e-3);
    }

    #[test]
    fn foreign_words_cost_and_keywords_gain_where_one_text_stands_out() {
        let one = |cosine| Evidence { cosine: Some(cosine), words: Some(9.0), ..Evidence::default() };
        let of = |ground: Ground, all: &[Evidence]| ground.judge(all, &Background::default(), Some(&FIT))[0].relevance;
        let foreign = Ground { reach: Reach { unknown: 0.5, ..ground().reach }, ..ground() };
        assert!(of(foreign, &[one(0.8)]) < of(ground(), &[one(0.8)]));
        let short = Ground { is_short: true, ..ground() };
        let (alone, among): (Vec<Evidence>, Vec<Evidence>) =
            ([0.8].into_iter().chain(vec![0.5; CROWD]).map(one).collect(), vec![one(0.8); CROWD + 1]);
        assert!(of(short, &alone) > of(short, &among));
        assert_eq!(of(ground(), &alone), of(ground(), &among), "of a sentence that says nothing");
        let few = Ground { texts: 20, ..foreign };
        assert_eq!(of(few, &[one(0.8)]), of(ground(), &[one(0.8)]), "a few texts lack most words");
    }

    #[test]
    fn one_of_several_needs_is_half_of_what_counts() {
        let one = |part| Evidence { cosine: Some(0.5), words: Some(0.0), part, ..Evidence::default() };
        let of = |part| ground().closeness(&one(part));
        assert!(of(Some(0.9)) > of(None) && of(Some(0.1)) < of(None));
        assert_eq!((one(Some(0.9)).near(), one(None).near()), (Some(0.7), Some(0.5)));
    }

    #[test]
    fn whoever_asks_for_a_name_gets_the_texts_that_hold_it() {
        let one = |naming| Evidence { cosine: Some(0.5), words: Some(0.1), naming, ..Evidence::default() };
        let all = [one(Naming::Absent), one(Naming::Held), one(Naming::Declared)];
        for fit in [None, Some(&FIT)] {
            let judged = ground().judge(&all, &Background::default(), fit);
            let [absent, held, declared] = [0, 1, 2].map(|at| judged[at].relevance);
            assert!(absent < 0.1 && 0.5 <= held && held < declared && declared < 1.0, "{absent} {held} {declared}");
        }
    }

    #[test]
    fn what_is_missing_is_not_a_zero() {
        let nothing = Background::default();
        let meaning = Evidence { cosine: Some(0.9), ..Evidence::default() };
        let one = ground().judge(&[meaning], &nothing, Some(&FIT))[0];
        assert_eq!((one.relevance, one.keyword), (FIT.semantic.at(0.9), None));
        let words = Evidence { words: Some(20.0), ..Evidence::default() };
        let one = ground().judge(&[words], &nothing, None)[0];
        assert_eq!((one.relevance, one.semantic), (WORDS_ALONE.at(0.5), None));
    }

    proptest! {
        /// Whoever is closer is at least as relevant, and what a pattern hints at gains.
        #[test]
        fn relevance_follows_closeness(
            pairs in prop::collection::vec((-1.0f32..=1.0, 0.0f32..40.0), 1..20),
            fit in prop::bool::ANY,
        ) {
            let evidence: Vec<Evidence> = pairs
                .iter()
                .map(|(cosine, words)| Evidence { cosine: fit.then_some(*cosine), words: Some(*words), ..Evidence::default() })
                .collect();
            let background = Background::new(pairs.iter().map(|pair| pair.0).collect(), 5);
            let judged = ground().judge(&evidence, &background, fit.then_some(&FIT));
            for a in &judged {
                prop_assert!((0.0..=1.0).contains(&a.relevance) && (0.0..=1.0).contains(&a.similar()));
                for b in &judged {
                    prop_assert!(a.closeness <= b.closeness || a.relevance >= b.relevance);
                }
            }
            let mut hinted = evidence;
            hinted[0].hint = 2.0;
            let after = ground().judge(&hinted, &background, fit.then_some(&FIT));
            prop_assert!(after[0].relevance >= judged[0].relevance);
        }
    }
}
