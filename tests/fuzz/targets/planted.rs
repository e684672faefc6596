//! Readers that do what no reader may, each when it meets two bytes.

use crate::fuzz::{Reader, Target, about, outcome};
use std::hint::black_box;
use std::path::Path;

pub const ALL: &[Target] = &[
    Target { name: "planted-panic", reader: |_| planted(|| panic!("met")), ..PLAIN },
    Target { name: "planted-hang", reader: |_| planted(|| while black_box(true) {}), ..PLAIN },
    Target { name: "planted-wait", reader: |_| planted(|| std::thread::sleep(std::time::Duration::MAX)), ..PLAIN },
    Target { name: "planted-memory", reader: |_| planted(memory), ..PLAIN },
    Target { name: "planted-addresses", reader: |_| planted(addresses), ..PLAIN },
    Target { name: "planted-stack", reader: |_| planted(|| assert!(deep(0) > 0)), ..PLAIN },
    Target { name: "planted-broken-promise", reader: round_trip, ..PLAIN },
];

const PLAIN: Target = Target {
    name: "",
    seeds: || vec![b"Kenning finds what is known!".to_vec()],
    words: &["K", "!"],
    longest: 4096,
    reader: |_| planted(|| {}),
};

fn met(input: &[u8]) -> bool {
    input.windows(2).any(|pair| pair == b"K!")
}

fn planted(fault: fn()) -> Reader {
    Box::new(move |input| {
        if met(input) {
            fault();
        }
        outcome(about(input.len()))
    })
}

fn memory() {
    drop(black_box(vec![1u8; 400 << 20]));
}

fn addresses() {
    drop(black_box(Vec::<u8>::with_capacity(8 << 30)));
}

#[expect(unconditional_recursion, reason = "this is the fault")]
fn deep(depth: usize) -> usize {
    black_box(deep(black_box(depth) + 1)) + 1
}

/// A writer that loses what the reader took.
fn round_trip(_: &Path) -> Reader {
    Box::new(|input| {
        let written = if met(input) { Vec::new() } else { input.to_vec() };
        assert_eq!(written, input, "what was read is written again");
        outcome(about(input.len()))
    })
}
