//! One key of a terminal, without Enter; a line where nobody sits at one.

use super::output::{Failure, Output};
use std::io::{self, BufRead, Read};

/// Longest answer that is read, in bytes.
const ANSWER_BYTES: u64 = 16 << 10;

/// What Ctrl-C and Ctrl-D send while keys are read one by one.
#[cfg(unix)]
const ENDS: [u8; 2] = [3, 4];

/// Asks for one letter. On a terminal the key alone is enough; from a pipe it is a line. None at the end of the input.
pub(super) fn letter(question: &str, output: &Output) -> Result<Option<char>, Failure> {
    #[cfg(unix)]
    if let Some(raw) = unix::Raw::of_terminal() {
        output.ask(question);
        let mut key = [0];
        let count = io::stdin().lock().read(&mut key).map_err(|error| Failure::io("the key", &error))?;
        drop(raw);
        let key = key[0];
        let shown = if key.is_ascii_graphic() { char::from(key).to_string() } else { String::new() };
        output.tell(&format!("{shown}\n"));
        return Ok((count > 0 && !ENDS.contains(&key)).then(|| char::from(key)));
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

#[cfg(unix)]
mod unix {
    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

    /// A terminal that gives each key as it is pressed. It is as before once this is dropped.
    pub(super) struct Raw(Termios);

    impl Raw {
        /// None if standard input is no terminal, or one that cannot do this.
        pub(super) fn of_terminal() -> Option<Self> {
            let before = tcgetattr(rustix::stdio::stdin()).ok()?;
            let mut keys = before.clone();
            // Ctrl-C comes as a key too: the terminal must not stay as it is now when the program ends.
            keys.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
            tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &keys).ok()?;
            Some(Self(before))
        }
    }

    impl Drop for Raw {
        fn drop(&mut self) {
            // A terminal that is gone needs no mode.
            let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &self.0);
        }
    }
}
