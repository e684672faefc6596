//! Cuts a text into turns: who said what, and in which lines.
//!
//! Tried in this order: transcripts in JSON (`json`), the history of aider (`aider`), transcripts with labels or
//! headings (`labels`), and any other text, whose paragraphs are turns of nobody known (`paragraphs`). Every turn's
//! `text` begins in `line_start`.

mod aider;
mod blocks;
mod json;
mod labels;
mod paragraphs;

/// Turns that are read at most. The longest sessions have some thousands; what comes after is not looked at.
pub const MAX_TURNS: usize = 20_000;

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The person.
    User,
    /// The program that talks.
    Assistant,
    /// What a command or tool printed, or what a program put into the person's mouth.
    Tool,
    /// The text does not say who.
    Unknown,
}

/// What was said at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Who said it.
    pub role: Role,
    /// What was said. Never empty.
    pub text: String,
    /// The line in which `text` begins, from 1.
    pub line_start: usize,
    /// The line in which it ends.
    pub line_end: usize,
}

/// Cuts a text into at most [`MAX_TURNS`] turns, in order. A text of white space has none.
#[must_use]
pub fn read_turns(text: &str) -> Vec<Turn> {
    let text = text.trim_start_matches('\u{feff}');
    let read = json::turns(text).or_else(|| aider::turns(text)).or_else(|| labels::turns(text));
    let mut turns = read.unwrap_or_else(|| paragraphs::turns(text, 1));
    turns.truncate(MAX_TURNS);
    turns
}

/// The role that a word names, as transcripts call it.
fn role_of(word: &str) -> Option<Role> {
    const USERS: [&str; 8] = ["user", "human", "me", "you", "customer", "developer", "you said", "prompt"];
    const ASSISTANTS: [&str; 16] = [
        "assistant",
        "ai",
        "agent",
        "bot",
        "model",
        "claude",
        "claude code",
        "chatgpt",
        "chatgpt said",
        "gpt",
        "copilot",
        "github copilot",
        "cursor",
        "gemini",
        "codex",
        "ai assistant",
    ];
    const TOOLS: [&str; 7] = ["tool", "tool result", "tool output", "tool_result", "function", "system", "output"];
    let is_in = |words: &[&str]| words.iter().any(|one| one.eq_ignore_ascii_case(word));
    let roles = [(Role::User, &USERS[..]), (Role::Assistant, &ASSISTANTS), (Role::Tool, &TOOLS)];
    roles.iter().find(|(_, words)| is_in(words)).map(|(role, _)| *role)
}

/// A turn of these lines without blank ones around them, if anything is left. `first` is the number of the first line.
fn turn(role: Role, lines: &[&str], first: usize) -> Option<Turn> {
    let is_blank = |line: &&str| line.trim().is_empty();
    let skipped = lines.iter().take_while(|line| is_blank(line)).count();
    let after = lines.len() - lines.iter().rev().take_while(|line| is_blank(line)).count();
    let text = lines.get(skipped..after)?.join("\n");
    let made = Turn { role, text, line_start: first + skipped, line_end: first + after.max(1) - 1 };
    (!made.text.is_empty()).then_some(made)
}
