//! Tests of `kenning::embed`.

mod golden;
