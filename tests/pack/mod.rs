//! Frames, phrases, and knowledge as Markdown: the binary as a process.

mod ask;
mod frame;
mod markdown;
mod refresh;
