//! The history that aider keeps of a project (`.aider.chat.history.md`). A line of the person begins with `#### `, a
//! line of aider itself with `> `, and all other lines are the model's.
//!
//! Not all lines with `#### ` are the person's words. Commands such as `/add` speak to aider. What a linter or a
//! command printed stands there too, because aider hands it to the model in the person's name.

use super::{MAX_TURNS, Role, Turn, turn};

/// The line that each start of the program writes.
const STARTED: &str = "# aider chat started at ";

/// How a line of the person begins.
const SAYS: &str = "#### ";

/// What aider writes in the person's name, at the start of a message.
const WRITTEN: [&str; 4] = ["# Fix any errors below", "I ran this command:", "[Output truncated", "<blank>"];

/// Commands that hand on what follows them as said to the model.
const SAID: [&str; 3] = ["/ask ", "/code ", "/architect "];

/// Commands that run another program.
const RUN: [&str; 4] = ["/run ", "/test ", "/git ", "!"];

/// The turns of a history, or nothing if the text is none: a history begins with a start of the program.
pub(super) fn turns(text: &str) -> Option<Vec<Turn>> {
    if !text.trim_start().starts_with(STARTED) {
        return None;
    }
    // aider ends each line of the person with two spaces. A heading of the model's has none, unless an editor has taken
    // them from all lines.
    let are_spaced = text.lines().any(|line| line.starts_with(SAYS) && line.ends_with("  "));
    let mut out = Vec::new();
    let mut said: Vec<&str> = Vec::new();
    let mut speaks = Role::Assistant;
    for (at, line) in text.lines().chain([STARTED]).enumerate() {
        let (role, rest) = spoken(line, are_spaced);
        if role != Some(speaks) {
            finish(speaks, &said, at + 1 - said.len(), &mut out);
            said.clear();
            if out.len() > MAX_TURNS {
                break;
            }
        }
        if let Some(role) = role {
            speaks = role;
            said.push(rest);
        }
    }
    Some(out)
}

/// Who wrote a line and what, or nobody where a session starts.
fn spoken(line: &str, are_spaced: bool) -> (Option<Role>, &str) {
    let said = line.strip_prefix(SAYS).or_else(|| (line == SAYS.trim_end()).then_some(""));
    if let Some(said) = said.filter(|_| !are_spaced || line.ends_with("  ")) {
        return (Some(Role::User), said.trim_end());
    }
    if line.starts_with(STARTED) {
        return (None, "");
    }
    match line.strip_prefix("> ") {
        Some(rest) => (Some(Role::Tool), rest.trim_end()),
        None => (Some(Role::Assistant), line),
    }
}

/// Appends what was said in lines of one kind, the first of them `first`.
fn finish(role: Role, lines: &[&str], first: usize, out: &mut Vec<Turn>) {
    let Some(mut made) = turn(role, lines, first) else { return };
    if role == Role::User {
        if let Some(said) = SAID.iter().find_map(|command| made.text.strip_prefix(command)) {
            made.text = said.trim_start().to_owned();
        } else if let Some(command) = RUN.iter().find_map(|command| made.text.strip_prefix(command)) {
            (made.role, made.text) = (Role::Tool, format!("$ {}", command.trim_start()));
        } else if made.text.starts_with('/') || WRITTEN.iter().any(|start| made.text.starts_with(start)) {
            made.role = Role::Tool;
        }
    }
    if !made.text.is_empty() {
        out.push(made);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(Role, String, usize, usize)> {
        let text = format!("# aider chat started at 2024-08-05 19:33:02\n\n{text}");
        turns(&text).unwrap().into_iter().map(|t| (t.role, t.text, t.line_start, t.line_end)).collect()
    }

    #[test]
    fn everybody_has_their_own_lines() {
        let found =
            read("> Added a.py to the chat  \n\n#### always use tabs  \n#### here  \n\nI will.\n\n### Why\n\nYes.\n");
        assert_eq!(
            found,
            [
                (Role::Tool, "Added a.py to the chat".to_owned(), 3, 3),
                (Role::User, "always use tabs\nhere".to_owned(), 5, 6),
                (Role::Assistant, "I will.\n\n### Why\n\nYes.".to_owned(), 8, 12),
            ]
        );
    }

    #[test]
    fn commands_and_what_aider_writes_are_not_the_person_s() {
        for (line, role, said) in [
            ("/ask why?", Role::User, "why?"),
            ("/run cargo test", Role::Tool, "$ cargo test"),
            ("! ls", Role::Tool, "$ ls"),
            ("/add src/a.rs", Role::Tool, "/add src/a.rs"),
            ("/chat-mode ask", Role::Tool, "/chat-mode ask"),
            ("<blank>", Role::Tool, "<blank>"),
            ("# Fix any errors below, if possible.", Role::Tool, "# Fix any errors below, if possible."),
            ("I ran this command:", Role::Tool, "I ran this command:"),
        ] {
            assert_eq!(read(&format!("#### {line}  \n")), [(role, said.to_owned(), 3, 3)]);
        }
    }

    #[test]
    fn headings_of_the_model_are_its_own() {
        let heading = read("#### why?  \n\nSo.\n\n#### A heading\n\nText.\n");
        assert_eq!(heading[1], (Role::Assistant, "So.\n\n#### A heading\n\nText.".to_owned(), 5, 9));
        // Without the spaces there is no telling.
        let bare = read("#### why\n####\n#### so?\n\nSo.\n");
        assert_eq!(bare[0], (Role::User, "why\n\nso?".to_owned(), 3, 5));
    }

    #[test]
    fn a_new_session_ends_a_turn_and_other_texts_are_none() {
        let text = "a\n# aider chat started at 2024-08-05 19:33:03\nb\n";
        assert_eq!(read(text).len(), 2);
        assert!(turns("#### a\n\n> b\n").is_none() && turns("").is_none());
    }
}
