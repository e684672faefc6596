//! What a question asks: the text that is embedded, and its words.
//!
//! A few lines are taken as they stand. Of more, the lines that carry meaning are taken: their words as they are, those
//! of the headline three times over, and for the vector with everything masked that changes from one occurrence to the
//! next. Both were measured, see docs/retrieval.md.

use super::relevance::mean;
use crate::embed::{EmbedError, Encoder};
use crate::lexical::QueryTerms;
use crate::text::{clauses, headline, is_identifier, mask, salient};
use crate::triage::MAX_QUESTION_LINES;
use crate::types::Role;

/// Most parts of a question that are embedded by themselves.
const MOST_PARTS: usize = 12;
/// Most characters of a long question that are looked at: what models take, and more.
const MAX_CHARS: usize = 4_000;
/// Words up to which a question is short.
const SHORT_WORDS: usize = 3;
/// How often the headline counts beside standing in the text.
const HEADLINE: f32 = 2.0;

/// As what questions are embedded: near a text unlike themselves, which is what a query prefix is for, and near one
/// like themselves. The mean of both serves errors, duplicates and questions alike.
pub const ROLES: &[Role] = &[Role::Passage, Role::Query];

/// A question, ready to be asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What is embedded.
    pub text: String,
    /// What is looked for by words. All of a few keywords count again in the heading of a text, and so do names of
    /// things in programs: whoever asks for `close_redir` wants where that is declared.
    pub terms: QueryTerms,
    /// What is embedded besides, each by itself: the needs that one sentence names, or the lines of a long report. None
    /// where it asks for one thing.
    pub parts: Vec<String>,
}

/// The unit vectors of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionVectors {
    /// Of all that it says.
    pub whole: Vec<f32>,
    /// Of its parts, in their order.
    pub parts: Vec<Vec<f32>>,
}

impl Question {
    /// Of a text that is searched for.
    pub fn new(text: &str) -> Self {
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        if lines.len() <= MAX_QUESTION_LINES {
            let is_short = is_short(text);
            let named = text.split_whitespace().filter(|word| is_short || is_identifier(word));
            let terms = QueryTerms::of(text).with_headings(named);
            let terms = match name_of(text).filter(|_| is_short) {
                Some(name) => terms.with_name(name),
                None => terms,
            };
            return Self { text: text.to_owned(), terms, parts: clauses(text) };
        }
        let said = salient(&lines, MAX_CHARS);
        let text = mask(&said);
        let parts = text.lines().take(MOST_PARTS).map(str::to_owned).collect();
        Self { terms: QueryTerms::of_all(&[(&said, 1.0), (&headline(&lines), HEADLINE)]), text, parts }
    }

    /// Of the salient lines of an error, which are masked already.
    pub fn of_error(salient: &str) -> Self {
        let terms = match salient.lines().count() > MAX_QUESTION_LINES {
            true => QueryTerms::of_all(&[(salient, 1.0), (salient.lines().next().unwrap_or(""), HEADLINE)]),
            false => QueryTerms::of(salient),
        };
        Self { text: salient.to_owned(), terms, parts: Vec::new() }
    }
}

/// Whether a question is one of a few keywords, which are answered with other noise than sentences are.
pub(super) fn is_short(question: &str) -> bool {
    question.split_whitespace().nth(SHORT_WORDS).is_none()
}

/// The one name of a question: its only word that looks like something declared.
fn name_of(question: &str) -> Option<&str> {
    let mut names = question.split_whitespace().filter(|word| is_identifier(word));
    names.next().filter(|_| names.next().is_none())
}

/// The questions' unit vectors, in order: the mean of each one's vectors under these roles.
///
/// # Errors
/// [`EmbedError`] when the model fails.
pub fn embed(questions: &[&Question], roles: &[Role], encoder: &dyn Encoder) -> Result<Vec<Vec<f32>>, EmbedError> {
    let texts: Vec<&str> = questions.iter().map(|question| question.text.as_str()).collect();
    let mut all: Vec<Vec<Vec<f32>>> = vec![Vec::new(); texts.len()];
    for side in encoder.encode_roles(&texts, &distinct(roles, encoder))? {
        all.iter_mut().zip(side).for_each(|(all, encoded)| all.push(encoded.vector));
    }
    Ok(all.iter().map(|all| mean(all)).collect())
}

/// The questions' unit vectors with those of their parts, in order.
///
/// # Errors
/// [`EmbedError`] when the model fails.
pub fn embed_with_parts(
    questions: &[&Question],
    roles: &[Role],
    encoder: &dyn Encoder,
) -> Result<Vec<QuestionVectors>, EmbedError> {
    let whole = embed(questions, roles, encoder)?;
    let texts: Vec<&str> = questions.iter().flat_map(|question| &question.parts).map(String::as_str).collect();
    let parts = if texts.is_empty() { Vec::new() } else { encoder.encode(&texts, Role::Query, &mut |_| {})? };
    let mut parts = parts.into_iter().map(|encoded| encoded.vector);
    let with_parts = |(question, whole): (&&Question, Vec<f32>)| QuestionVectors {
        whole,
        parts: parts.by_ref().take(question.parts.len()).collect(),
    };
    Ok(questions.iter().zip(whole).map(with_parts).collect())
}

/// The parts of texts that are asked, and their unit vectors as a search would embed them, in order.
///
/// # Errors
/// [`EmbedError`] when the model fails.
pub fn embed_questions(
    texts: &[&str],
    encoder: &dyn Encoder,
) -> Result<Vec<(Vec<String>, QuestionVectors)>, EmbedError> {
    let questions: Vec<Question> = texts.iter().map(|text| Question::new(text)).collect();
    let vectors = embed_with_parts(&questions.iter().collect::<Vec<_>>(), ROLES, encoder)?;
    Ok(questions.into_iter().map(|question| question.parts).zip(vectors).collect())
}

/// Roles with one prefix are one.
fn distinct(roles: &[Role], encoder: &dyn Encoder) -> Vec<Role> {
    let mut out: Vec<Role> = Vec::new();
    for role in roles {
        if !out.iter().any(|other| encoder.prefix(*other) == encoder.prefix(*role)) {
            out.push(*role);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_lines_are_taken_as_they_stand() {
        let text = "cannot open /home/ann/x.conf\n  at line 3";
        assert_eq!(
            Question::new(text),
            Question { text: text.to_owned(), terms: QueryTerms::of(text), parts: Vec::new() }
        );
    }

    #[test]
    fn a_long_one_is_what_it_says() {
        let text = "error[E0382]: use of moved value: `x`\n --> src/main.rs:4:20\n  |\n\
            3 |     let t = x;\n  |             - value moved here\n";
        let question = Question::new(text);
        assert_eq!(question.text, "error[E0382]: use of moved value: `x`\nvalue moved here");
        assert_eq!(question.parts, ["error[E0382]: use of moved value: `x`", "value moved here"]);
        let weight = |word| question.terms.iter().find(|(w, _)| *w == word).map(|(_, weight)| weight);
        assert_eq!(weight("e0382"), Some(2.0), "in the text and twice as headline");
        assert_eq!((weight("here"), weight("let")), (Some(1.0), None));
    }

    #[test]
    fn a_name_among_a_few_words_is_asked_for() {
        let name = |question| Question::new(question).terms.name().map(str::to_owned);
        for question in ["url_for", "fn url_for", "url_for()", "`url_for` function"] {
            assert_eq!(name(question).as_deref(), Some("url_for"), "{question}");
        }
        assert_eq!(name("--no-pager").as_deref(), Some("no-pager"));
        for question in ["templates", "-Wall", "url_for send_file", "how do I use url_for"] {
            assert_eq!(name(question), None, "{question}");
        }
    }

    #[test]
    fn three_words_are_short() {
        assert!(is_short("config file") && is_short(" a b  c ") && !is_short("a b c d"));
    }
}
