//! How bytes are multiplied, where processors with the same registers differ in it.

use super::lanes::{Lanes, Op, PANEL, QUAD, ROWS, TileI8};

/// The part of [`Lanes`] that multiplies bytes; constants and methods are those of the same names there. A value proves
/// that the processor has the instructions.
pub(super) trait Multiply: Copy {
    const ROW_NUMBERS: usize = 0;
    const WEIGHT_NUMBERS: usize = 0;

    /// The proof, if the processor has what it takes.
    fn new() -> Option<Self>;
    fn prepare_row(self, _bytes: &[u8], _zero: i32, _out: &mut [i32]) {}
    fn prepare_panel(self, _panel: &[i8], _out: &mut [i32]) {}
    fn tile_i8<const R: usize>(self, tile: &TileI8<'_>, out: &mut [[i32; PANEL]; ROWS]);
    fn dot_quad<const Q: usize>(
        self,
        rows: [&[u8]; QUAD],
        queries: [&[i8]; Q],
        ahead: Option<[&[u8]; QUAD]>,
    ) -> [[i32; QUAD]; Q];
    /// Runs `op` where the compiler may use these instructions, and those of the registers that `s` speaks for.
    fn run<S: Lanes, O: Op>(self, s: S, op: O) -> O::Out;
}
