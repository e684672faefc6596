//! Everything that is wrong, told at once.

use std::fmt;

/// Lines of an output that a report shows.
const MOST_LINES: usize = 30;

/// A command that does not do what stands there.
#[derive(Debug)]
pub struct Fault {
    /// Where it stands.
    pub place: String,
    /// The command as it is shown.
    pub command: String,
    /// What should have come.
    pub expected: String,
    /// What came.
    pub got: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.place, self.command)?;
        for (name, text) in [("expected", &self.expected), ("got", &self.got)] {
            writeln!(f, "  {name}")?;
            let lines = text.trim_end().lines();
            lines.clone().take(MOST_LINES).try_for_each(|line| writeln!(f, "    | {line}"))?;
            let more = lines.count().saturating_sub(MOST_LINES);
            if more > 0 {
                writeln!(f, "    ({more} more lines)")?;
            }
        }
        Ok(())
    }
}

/// Fails with all faults.
pub fn none(faults: &[Fault]) {
    let text: Vec<String> = faults.iter().map(Fault::to_string).collect();
    assert!(faults.is_empty(), "{} shown commands do not do what stands there\n\n{}", faults.len(), text.join("\n"));
}
