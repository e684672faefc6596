//! Reads text as sh and bash read it, as far as it takes to tell words from what is within words.
//!
//! One pass from left to right. What nests (quotes, substitutions, expansions) is skipped as a whole and its captures
//! are refused, so nothing is read in depth. Where sh and bash read differently, or the end of something nested is
//! not certain, everything from there on is refused. See the POSIX Shell Command Language, chapter 2, and the manual
//! of bash.

use super::Reason;
use super::judge::judge;
use super::word::{HOLE, UNKNOWN, Word};
use std::ops::Range;

/// Where something nested ends: behind its closing mark, or not for sure.
type End = Option<usize>;

/// Reads one text.
pub(super) struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    prose: bool,
    /// Whether it is prose beside code; prose on its own may be a command without backticks.
    is_told: bool,
    holes: &'a [Range<usize>],
    /// For each capture: nothing yet, or what was found (`None` inside is: it may stand there).
    found: Vec<Option<Option<Reason>>>,
    /// Of the command that is being read.
    words: Vec<Word>,
    /// Open parentheses.
    depth: usize,
    /// Ends of here-documents that begin with the next line, and whether tabs before them count.
    pending: Vec<(Vec<u8>, bool)>,
    /// What is between quotes in prose, and everything behind an apostrophe.
    quoted: Vec<Range<usize>>,
}

impl<'a> Reader<'a> {
    /// Reads code from `start` to the end of the text.
    pub fn code(text: &'a [u8], start: usize, holes: &'a [Range<usize>]) -> Self {
        Self { at: start, prose: false, ..Self::prose(text, holes, false) }
    }

    /// Reads prose, beside code or alone: an apostrophe within a word opens nothing, and parentheses need not match.
    pub fn prose(text: &'a [u8], holes: &'a [Range<usize>], is_told: bool) -> Self {
        Self {
            text,
            at: 0,
            prose: true,
            is_told,
            holes,
            found: vec![None; holes.len()],
            words: Vec::new(),
            depth: 0,
            pending: Vec::new(),
            quoted: Vec::new(),
        }
    }

    /// What was found of each capture: why it may not stand there, if so.
    pub fn verdicts(&self) -> impl Iterator<Item = Option<Reason>> {
        self.found.iter().map(|found| found.unwrap_or(Some(Reason::Unclear)))
    }

    /// Whether a quote or an apostrophe of the prose is open at a place.
    pub fn is_loose(&self, at: usize) -> bool {
        self.quoted.iter().any(|range| range.contains(&at))
    }

    /// Reads to the end.
    pub fn read(&mut self) {
        while let Some(byte) = self.peek(0) {
            match byte {
                b' ' | b'\t' => self.at += 1,
                b'\n' => {
                    self.flush();
                    self.at += 1;
                    self.here_documents();
                }
                b'\\' if self.peek(1) == Some(b'\n') => self.at += 2,
                b'#' => self.comment(),
                b'&' if self.peek(1) == Some(b'>') => self.redirection(),
                b';' | b'&' | b'|' => {
                    self.flush();
                    self.at += 1;
                }
                b'(' => self.open(),
                b')' => self.close(),
                b'<' | b'>' if self.placeholder().is_none() => self.redirection(),
                _ => self.next_word(),
            }
        }
        self.flush();
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn starts_with(&self, mark: &[u8]) -> bool {
        self.text[self.at..].starts_with(mark)
    }

    fn hole_at(&self, at: usize) -> Option<usize> {
        self.holes.binary_search_by_key(&at, |hole| hole.start).ok()
    }

    /// The first reason that is found stays.
    fn refuse(&mut self, number: usize, reason: Reason) {
        if !matches!(self.found[number], Some(Some(_))) {
            self.found[number] = Some(Some(reason));
        }
    }

    fn refuse_range(&mut self, range: Range<usize>, reason: Reason) {
        for number in 0..self.holes.len() {
            if self.holes[number].start < range.end && range.start < self.holes[number].end {
                self.refuse(number, reason);
            }
        }
    }

    /// Refuses everything from here on.
    fn give_up(&mut self, reason: Reason) {
        self.refuse_range(self.at..self.text.len(), reason);
        self.at = self.text.len();
    }

    /// Ends the command that is being read.
    fn flush(&mut self) {
        let words = std::mem::take(&mut self.words);
        for (number, reason) in judge(&words, self.is_told) {
            self.refuse(number, reason);
        }
    }

    fn comment(&mut self) {
        let from = self.at;
        self.at += self.text[from..].iter().position(|&b| b == b'\n').unwrap_or(self.text.len() - from);
        self.refuse_range(from..self.at, Reason::Comment);
        // An interactive zsh knows no comments: to it these are quotes, and reach further.
        if self.text[from..self.at].iter().any(|b| b"'\"`$\\".contains(b)) && !self.prose {
            self.flush();
            self.give_up(Reason::Unclear);
        }
    }

    fn open(&mut self) {
        if self.prose {
            self.flush();
            self.at += 1;
        } else if self.peek(1) == Some(b'(') {
            match self.parentheses(self.at + 1, 0) {
                Some(end) => self.skip(end, Reason::Substitution),
                None => self.give_up(Reason::Unclear),
            }
        } else if self.words.is_empty() {
            self.depth += 1;
            self.at += 1;
        } else {
            self.flush();
            self.give_up(Reason::Unclear);
        }
    }

    fn close(&mut self) {
        self.flush();
        if self.depth == 0 && !self.prose {
            self.give_up(Reason::Unclear);
        } else {
            self.depth = self.depth.saturating_sub(1);
            self.at += 1;
        }
    }

    /// Skips to `end`, refusing what is in between.
    fn skip(&mut self, end: usize, reason: Reason) {
        self.refuse_range(self.at..end, reason);
        self.at = end;
    }

    fn next_word(&mut self) {
        let Some(word) = self.word() else { return };
        // The number of a file in `2>&1`.
        let number = !word.text.is_empty() && word.bare == word.text.len() && word.text.iter().all(u8::is_ascii_digit);
        if number && matches!(self.peek(0), Some(b'<' | b'>')) && self.placeholder().is_none() {
            return;
        }
        let reserved = word.reserved().unwrap_or_default();
        // What follows has a grammar of its own.
        let own_grammar = reserved == "[[" || (reserved == "case" && !self.prose);
        self.words.push(word);
        if own_grammar {
            self.flush();
            self.give_up(Reason::Condition);
        }
    }

    /// `<name>`: a word for a person to replace. What could be two redirections is written with a space in it.
    fn placeholder(&self) -> End {
        let inner = self.text[self.at..].strip_prefix(b"<")?;
        let length = inner.iter().position(|b| !(b.is_ascii_alphanumeric() || b"-_ .".contains(b)))?;
        let fits = inner[0].is_ascii_alphabetic() && inner[length] == b'>' && inner[length - 1].is_ascii_alphanumeric();
        fits.then_some(self.at + length + 2)
    }

    fn redirection(&mut self) {
        let marks: [&[u8]; 13] =
            [b"<<<", b"<<-", b"&>>", b"<<", b"&>", b">>", b">|", b">&", b"<&", b"<>", b"<(", b">(", b"<"];
        let mark = marks.into_iter().find(|mark| self.starts_with(mark)).unwrap_or(b">");
        self.at += mark.len();
        if mark.ends_with(b"(") {
            match self.parentheses(self.at, 0) {
                Some(end) => {
                    self.skip(end, Reason::Substitution);
                    self.words.push(Word { text: vec![UNKNOWN], ..Word::default() });
                    self.rest_of_substitution();
                }
                None => self.give_up(Reason::Unclear),
            }
            return;
        }
        while matches!(self.peek(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let target = match self.peek(0) {
            Some(b'#' | b'\n' | b';' | b'&' | b'|' | b'(' | b')') | None => None,
            Some(b'<' | b'>') if self.placeholder().is_none() => None,
            Some(_) => self.word(),
        };
        let Some(target) = target else {
            if !self.prose {
                self.give_up(Reason::Unclear);
            }
            return;
        };
        for number in &target.holes {
            self.refuse(*number, Reason::Redirection);
        }
        if mark.starts_with(b"<<") && mark != b"<<<" {
            if target.known().is_none() {
                self.give_up(Reason::HereDocument);
            }
            self.pending.push((target.text, mark == b"<<-"));
        }
    }

    /// What stands right behind `<(p)` is of its word, and so, in bash, of a redirection before it: bash expands the
    /// `1<(p){x}` of `>&1<(p){x}` twice, the second time without the quotes of the value.
    fn rest_of_substitution(&mut self) {
        let ends = matches!(self.peek(0), Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')') | None);
        if ends || matches!(self.peek(0), Some(b'<' | b'>') if self.placeholder().is_none()) {
            return;
        }
        if let Some(rest) = self.word() {
            rest.holes.iter().for_each(|number| self.refuse(*number, Reason::Redirection));
        }
    }

    fn here_documents(&mut self) {
        for (end, tabs) in std::mem::take(&mut self.pending) {
            let from = self.at;
            let mut found = false;
            while !found && self.at < self.text.len() {
                let rest = &self.text[self.at..];
                let line = &rest[..rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len())];
                let before = if tabs { line.iter().take_while(|&&b| b == b'\t').count() } else { 0 };
                found = line[before..] == end[..];
                self.at = (self.at + line.len() + 1).min(self.text.len());
            }
            self.refuse_range(from..self.at, Reason::HereDocument);
            // A shell joins such a line with the next, which may be the end.
            if self.text[from..self.at].windows(2).any(|pair| pair == b"\\\n") {
                self.give_up(Reason::HereDocument);
            }
        }
    }

    /// Reads a word; `None` if it could not be read, and then all that follows is refused.
    fn word(&mut self) -> Option<Word> {
        let start = self.at;
        let mut word = Word { escaped: self.peek(0) == Some(b'\\'), ..Word::default() };
        let mut bare = true;
        // What the last byte was part of.
        let (mut after_name, mut after_placeholder) = (false, false);
        // Whether the end of a line stands within, where what it parts is one to a shell: `$\`, then `{x}`.
        let mut joined = false;
        while let Some(byte) = self.peek(0) {
            if bare {
                word.bare = word.text.len();
            }
            if let Some(number) = self.hole_at(self.at) {
                let reason = self.around(number, start, &word).or(match (after_name, after_placeholder) {
                    (true, _) => Some(Reason::Dollar),
                    (_, true) => Some(Reason::Redirection),
                    _ => None,
                });
                match reason {
                    Some(reason) => self.refuse(number, reason),
                    None => self.found[number] = Some(self.found[number].unwrap_or(None)),
                }
                word.holes.push(number);
                word.text.push(HOLE);
                self.at = self.holes[number].end;
                // Shown as <name>, it still stands behind what comes before.
                (after_name, after_placeholder) = (reason == Some(Reason::Dollar), false);
                continue;
            }
            let from = self.at;
            // `$q<n>p`: whoever replaces the placeholder may make one longer name of it all.
            let name_goes_on = byte == b'<' || byte == b'_' || byte.is_ascii_alphanumeric();
            (after_name, after_placeholder) = (after_name && name_goes_on, false);
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' => break,
                b'<' | b'>' => {
                    let Some(end) = self.placeholder() else { break };
                    word.text.extend(&self.text[self.at..end]);
                    self.at = end;
                    after_placeholder = true;
                }
                b'(' => {
                    // A function, an array, a pattern of bash or zsh.
                    word.pattern = true;
                    let end = self.parentheses(self.at + 1, 0);
                    self.nested(end, Reason::Pattern, &word)?;
                    word.text.push(UNKNOWN);
                }
                b'\\' => {
                    bare = false;
                    match self.peek(1) {
                        None => {
                            self.nested(None, Reason::Unclear, &word)?;
                        }
                        Some(b'\n') => {
                            self.at += 2;
                            joined |= !matches!(self.peek(0), Some(b' ' | b'\t' | b'\n') | None);
                        }
                        Some(_) if self.hole_at(self.at + 1).is_some() => self.escaped_hole(&mut word),
                        Some(escaped) => {
                            word.text.push(plain(escaped));
                            self.at += 2;
                        }
                    }
                }
                b'\'' if self.prose && self.apostrophe() => {
                    self.quoted.push(self.at..self.text.len());
                    word.text.push(byte);
                    self.at += 1;
                }
                b'\'' | b'"' => {
                    bare = false;
                    let end = if byte == b'\'' { self.single(self.at + 1) } else { self.double(self.at + 1, 0) };
                    self.quoted.push(from..end.unwrap_or(self.text.len()));
                    let inner = self.at + 1..end.map_or(self.at + 1, |end| end - 1);
                    self.nested(end, Reason::Quotes, &word)?;
                    let expands = byte == b'"' && self.text[inner.clone()].iter().any(|b| b"$`\\".contains(b));
                    word.text.extend(self.text[inner].iter().map(|b| plain(*b)));
                    if expands {
                        word.text.push(UNKNOWN);
                    }
                }
                b'`' => {
                    let end = self.backticks(self.at + 1);
                    self.nested(end, Reason::Substitution, &word)?;
                    word.text.push(UNKNOWN);
                }
                b'$' => after_name = self.dollar(&mut word, &mut bare)?,
                b'*' | b'?' | b'[' | b']' | b'{' | b'}' => {
                    word.pattern = true;
                    word.text.push(byte);
                    self.at += 1;
                }
                _ => {
                    word.text.push(plain(byte));
                    self.at += 1;
                }
            }
        }
        if bare {
            word.bare = word.text.len();
        }
        if joined {
            word.holes.iter().for_each(|number| self.refuse(*number, Reason::Unclear));
        }
        if word.pattern {
            word.holes.iter().for_each(|number| self.refuse(*number, Reason::Pattern));
        }
        Some(word)
    }

    /// Whether what stands right beside a capture takes it for something else.
    fn around(&self, number: usize, start: usize, word: &Word) -> Option<Reason> {
        let before = (self.at > start).then(|| self.text[self.at - 1]);
        match (before, self.text.get(self.holes[number].end)) {
            (Some(b'~' | b'!'), _) => Some(Reason::Expanded),
            // zsh looks for the command that follows `=`.
            (Some(b'='), _) if word.text == b"=" => Some(Reason::Expanded),
            (_, Some(b'<' | b'>')) => Some(Reason::Redirection),
            (_, Some(b'(')) => Some(Reason::Pattern),
            _ => None,
        }
    }

    /// Whether a quote in prose is an apostrophe: it follows a letter.
    fn apostrophe(&self) -> bool {
        self.at > 0 && (self.text[self.at - 1].is_ascii_alphanumeric() || b")}>".contains(&self.text[self.at - 1]))
    }

    /// Passes a capture behind a backslash.
    fn escaped_hole(&mut self, word: &mut Word) {
        if let Some(number) = self.hole_at(self.at + 1) {
            self.refuse(number, Reason::Escaped);
            word.text.push(UNKNOWN);
            self.at = self.holes[number].end;
        }
    }

    /// Passes what is nested. If its end is not certain all that follows is refused, and so is the rest of the word.
    fn nested(&mut self, end: End, reason: Reason, word: &Word) -> Option<()> {
        match end {
            Some(end) => {
                self.skip(end, reason);
                Some(())
            }
            None => {
                word.holes.iter().for_each(|number| self.refuse(*number, Reason::Unclear));
                self.flush();
                self.give_up(if reason == Reason::Quotes { reason } else { Reason::Unclear });
                None
            }
        }
    }

    /// Reads what begins with a dollar sign; true if a name without braces ends there.
    fn dollar(&mut self, word: &mut Word, bare: &mut bool) -> Option<bool> {
        let next = self.peek(1);
        let from = self.at + 2;
        let (end, reason) = match next {
            Some(b'(') => (self.parentheses(from, 0), Reason::Substitution),
            Some(b'{') => (self.braces(from, 0), Reason::Substitution),
            Some(b'[') => (self.brackets(from), Reason::Substitution),
            Some(b'\'') => {
                *bare = false;
                // In sh it is a dollar sign before quotes, which an escaped quote ends.
                let end = self.single(from).filter(|end| self.text[*end - 2] != b'\\');
                (end, Reason::Quotes)
            }
            Some(b'"') => {
                *bare = false;
                (self.double(from, 0), Reason::Quotes)
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                let rest = &self.text[self.at + 1..];
                let length = rest.iter().position(|b| !(b.is_ascii_alphanumeric() || *b == b'_')).unwrap_or(rest.len());
                self.at += 1 + length;
                word.text.push(UNKNOWN);
                return Some(true);
            }
            Some(byte) if byte.is_ascii_digit() || b"@*#?-$!".contains(&byte) => {
                self.at += 2;
                word.text.push(UNKNOWN);
                return Some(true);
            }
            _ => {
                word.text.push(b'$');
                self.at += 1;
                return Some(false);
            }
        };
        self.nested(end, reason, word)?;
        word.text.push(UNKNOWN);
        Some(false)
    }

    /// Behind the closing quote.
    fn single(&self, from: usize) -> End {
        Some(from + self.text.get(from..)?.iter().position(|&b| b == b'\'')? + 1)
    }

    fn double(&self, from: usize, depth: usize) -> End {
        let inner = deeper(depth)?;
        let mut at = from;
        loop {
            at = match self.text.get(at)? {
                b'"' => return Some(at + 1),
                b'\\' => at + 2,
                b'`' => self.backticks(at + 1)?,
                b'$' if self.text.get(at + 1) == Some(&b'(') => self.parentheses(at + 2, inner)?,
                b'$' if self.text.get(at + 1) == Some(&b'{') => self.braces(at + 2, inner)?,
                _ => at + 1,
            };
        }
    }

    /// Behind the closing backtick. Quotes do not protect one.
    fn backticks(&self, from: usize) -> End {
        let mut at = from;
        loop {
            at = match self.text.get(at)? {
                b'`' => return Some(at + 1),
                b'\\' => at + 2,
                _ => at + 1,
            };
        }
    }

    /// Behind the parenthesis that closes one; not certain with comments, here-documents and `case` within.
    fn parentheses(&self, from: usize, depth: usize) -> End {
        let inner = deeper(depth)?;
        let (mut at, mut open) = (from, 0_usize);
        loop {
            at = match self.text.get(at)? {
                b')' if open == 0 => return Some(at + 1),
                b')' => {
                    open -= 1;
                    at + 1
                }
                b'(' => {
                    open += 1;
                    at + 1
                }
                b'\'' => self.single(at + 1)?,
                b'"' => self.double(at + 1, inner)?,
                b'`' => self.backticks(at + 1)?,
                b'\\' => at + 2,
                b'$' if self.text.get(at + 1) == Some(&b'{') => self.braces(at + 2, inner)?,
                b'$' if self.text.get(at + 1) == Some(&b'\'') => return None,
                b'#' if self.text[at - 1].is_ascii_whitespace() || b"(;|&".contains(&self.text[at - 1]) => return None,
                b'<' if self.text.get(at + 1) == Some(&b'<') => return None,
                b'c' if self.text[at..].starts_with(b"case") => return None,
                _ => at + 1,
            };
        }
    }

    /// Behind the brace that closes `${`; not certain with quotes within, which shells read differently.
    fn braces(&self, from: usize, depth: usize) -> End {
        let inner = deeper(depth)?;
        let mut at = from;
        loop {
            if let Some(number) = self.hole_at(at) {
                at = self.holes[number].end;
                continue;
            }
            at = match self.text.get(at)? {
                b'}' => return Some(at + 1),
                b'\'' | b'"' | b'`' | b'\\' | b'{' | b'\n' => return None,
                b'$' if self.text.get(at + 1) == Some(&b'{') => self.braces(at + 2, inner)?,
                b'$' if self.text.get(at + 1) == Some(&b'(') => self.parentheses(at + 2, inner)?,
                _ => at + 1,
            };
        }
    }

    /// Behind the bracket that closes `$[`, the old arithmetic of bash, where nothing nests. In sh it is text.
    fn brackets(&self, from: usize) -> End {
        let inner = self.text.get(from..)?;
        let length = inner.iter().position(|b| b"'\"`\\$[]".contains(b))?;
        (inner[length] == b']').then_some(from + length + 1)
    }
}

/// How deep what lies within what has come; `None` where nobody writes so: it would only fill the stack.
fn deeper(depth: usize) -> Option<usize> {
    (depth < 100).then_some(depth + 1)
}

/// A byte of a text that is not one of ours.
fn plain(byte: u8) -> u8 {
    if byte == HOLE || byte == UNKNOWN { b'?' } else { byte }
}
