//! Packs weights into the panels that the products read.
//!
//! Bytes are symmetric per output: the greatest weight of an output becomes 127 or -127. Weights that were bytes
//! before, with a scale per output or tensor, nearly come back as they were.

use super::lanes::PANEL;

/// Packs `outputs` x `inputs` weights as bytes; gives panels, sums and scales as [`super::PackedI8`] wants them.
/// `inputs` is a multiple of 4. Weights that are not finite make the scale of their output a NaN.
pub fn pack_i8(weights: &[f32], inputs: usize) -> (Vec<i8>, Vec<i32>, Vec<f32>) {
    let outputs = weights.len() / inputs;
    let whole = outputs.next_multiple_of(PANEL);
    let (mut panels, mut sums, mut scales) = (vec![0i8; whole * inputs], vec![0; whole], vec![1.0; whole]);
    for (output, row) in weights.chunks_exact(inputs).enumerate() {
        let most = row.iter().fold(0.0f32, |most, w| most.max(w.abs()));
        let odd: f32 = row.iter().map(|w| w * 0.0).sum(); // 0, or NaN if any weight is not finite.
        let (scale, inverse) = if most > 1e-30 { (most / 127.0, 127.0 / most) } else { (1.0, 1.0) };
        scales[output] = scale + odd;
        let panel = &mut panels[output / PANEL * PANEL * inputs..][..PANEL * inputs];
        for (k, w) in row.iter().enumerate() {
            let byte = (w * inverse).round_ties_even() as i8;
            panel[k / 4 * 4 * PANEL + output % PANEL * 4 + k % 4] = byte;
            sums[output] += i32::from(byte);
        }
    }
    (panels, sums, scales)
}

/// Packs `outputs` x `inputs` weights as f32 into panels as [`super::PackedF32`] wants them.
pub fn pack_f32(weights: &[f32], inputs: usize) -> Vec<f32> {
    let outputs = weights.len() / inputs;
    let mut panels = vec![0.0; outputs.next_multiple_of(PANEL) * inputs];
    for (output, row) in weights.chunks_exact(inputs).enumerate() {
        let panel = &mut panels[output / PANEL * PANEL * inputs..][..PANEL * inputs];
        for (k, w) in row.iter().enumerate() {
            panel[k * PANEL + output % PANEL] = *w;
        }
    }
    panels
}
