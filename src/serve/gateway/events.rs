//! A stream of events as servers send it over HTTP (`text/event-stream`): bytes in pieces of any size become the data
//! of events. Names, numbers and comments of events say nothing here and are left out.

/// Why a stream cannot be read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum BrokenEvents {
    /// One event is longer than it may be.
    #[error("it sent an event longer than {0} bytes")]
    Long(usize),
    /// Its bytes are no text.
    #[error("it sent an event that is no UTF-8")]
    Text,
}

/// What has come of an event that is not complete.
pub(super) struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// A line feed that follows belongs to the line before.
    after_return: bool,
    /// Nothing has come yet: a byte order mark may.
    is_first: bool,
    most: usize,
}

impl Events {
    /// At the beginning of a stream whose events are at most `most` bytes long.
    pub(super) fn new(most: usize) -> Self {
        let (line, data) = (Vec::new(), Vec::new());
        Self { line, data, has_data: false, after_return: false, is_first: true, most }
    }

    /// Takes the next bytes; gives the data of the events that are complete now. An event that the stream breaks off
    /// in the middle of is none.
    ///
    /// # Errors
    /// [`BrokenEvents`]; the stream is not to be read on then.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<Vec<String>, BrokenEvents> {
        let (mut out, mut rest) = (Vec::new(), bytes);
        while let Some(&first) = rest.first() {
            if std::mem::take(&mut self.after_return) && first == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (piece, more) = rest.split_at(end.unwrap_or(rest.len()));
            if self.line.len() + self.data.len() + piece.len() > self.most {
                return Err(BrokenEvents::Long(self.most));
            }
            self.line.extend_from_slice(piece);
            rest = more;
            if let Some((ending, more)) = more.split_first() {
                self.after_return = *ending == b'\r';
                rest = more;
                out.extend(self.end_of_line()?);
            }
        }
        Ok(out)
    }

    fn end_of_line(&mut self) -> Result<Option<String>, BrokenEvents> {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_first) && line.starts_with("\u{feff}".as_bytes()) {
            line.drain(..3);
        }
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            let is_event = std::mem::take(&mut self.has_data);
            return match String::from_utf8(data) {
                Ok(text) => Ok(is_event.then_some(text)),
                Err(_) => Err(BrokenEvents::Text),
            };
        }
        let value = match line.strip_prefix(b"data") {
            Some([]) => Some(&[][..]),
            Some([b':', b' ', value @ ..] | [b':', value @ ..]) => Some(value),
            _ => None,
        };
        if let Some(value) = value {
            if std::mem::replace(&mut self.has_data, true) {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(value);
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The rules read one after another, over the whole text.
    fn plainly(text: &str) -> Vec<String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let mut out = Vec::new();
        let mut data: Vec<&str> = Vec::new();
        let complete = text.rfind('\n').map_or("", |end| &text[..end]);
        for line in complete.split('\n') {
            if line.is_empty() {
                if !data.is_empty() {
                    out.push(data.join("\n"));
                }
                data.clear();
            } else if line == "data" {
                data.push("");
            } else if let Some(value) = line.strip_prefix("data:") {
                data.push(value.strip_prefix(' ').unwrap_or(value));
            }
        }
        out
    }

    #[test]
    fn events_are_read_by_the_rules() {
        let read = |text: &str| Events::new(100).take(text.as_bytes());
        let told = |text: &str| read(text).unwrap();
        assert_eq!(told("\u{feff}event: message\nid: 1\ndata: {\"a\":\ndata:1}\n\n: still here\n\n"), ["{\"a\":\n1}"]);
        assert_eq!(told("data: a\r\n\r\ndata: b\r\rdata\n\n"), ["a", "b", ""]);
        assert_eq!(told("data: not complete\n"), [""; 0]);
        assert_eq!(told("database: x\n\n"), [""; 0]);
        assert_eq!(read(&format!("data: {}\n\n", "x".repeat(100))), Err(BrokenEvents::Long(100)));
        assert_eq!(read(&format!("data: {0}\ndata: {0}\n\n", "x".repeat(60))), Err(BrokenEvents::Long(100)));
        assert_eq!(Events::new(100).take(b"data: \xff\n\n"), Err(BrokenEvents::Text));
    }

    proptest! {
        #[test]
        fn pieces_of_any_size_say_the_same(
            text in "(\u{feff}|data|data:|:|id| |a|\u{e9}|\n|\r|\r\n){0,40}",
            cuts in proptest::collection::vec(1..9usize, 0..40),
        ) {
            let mut events = Events::new(10_000);
            let (mut rest, mut out) = (text.as_bytes(), Vec::new());
            for cut in cuts {
                let (piece, more) = rest.split_at(cut.min(rest.len()));
                out.extend(events.take(piece).unwrap());
                rest = more;
            }
            out.extend(events.take(rest).unwrap());
            prop_assert_eq!(out, plainly(&text));
        }
    }
}
