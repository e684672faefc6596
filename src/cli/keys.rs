//! One key of a terminal, without Enter; a line where nobody sits at one.

use super::output::{Failure, Output};
use crate::engine::face::system::{END_KEYS, RawTerminal};
use std::io::{self, BufRead, Read};

/// Longest answer that is read, in bytes.
const ANSWER_BYTES: u64 = 16 << 10;

/// Asks for one letter. On a terminal the key alone is enough; from a pipe it is a line. None at the end of the input.
pub(super) fn letter(question: &str, output: &Output) -> Result<Option<char>, Failure> {
    if let Some(raw) = RawTerminal::of_input() {
        output.ask(question);
        let mut key = [0];
        let count = io::stdin().lock().read(&mut key).map_err(|error| Failure::io("the key", &error))?;
        drop(raw);
        let key = key[0];
        let shown = if key.is_ascii_graphic() { char::from(key).to_string() } else { String::new() };
        output.tell(&format!("{shown}\n"));
        return Ok((count > 0 && !END_KEYS.contains(&key)).then(|| char::from(key)));
    }
    Ok(line(question, output)?.map(|line| line.chars().next().unwrap_or('\n')))
}

/// Asks for a line; none at the end of the input.
pub(super) fn line(question: &str, output: &Output) -> Result<Option<String>, Failure> {
    output.ask(question);
    let mut answer = String::new();
    let count = io::stdin()
        .lock()
        .take(ANSWER_BYTES)
        .read_line(&mut answer)
        .map_err(|error| Failure::io("the answer", &error))?;
    Ok((count > 0).then(|| answer.trim().to_owned()))
}
