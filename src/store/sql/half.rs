//! A vector with components of 16 bits, as pgvector's type `halfvec` is sent.

use half::f16;

/// The bytes of a vector: the number of components, two zeros, the components; the greatest byte of each first. The
/// type has no infinity and no NaN, which only damage leaves in a vector.
pub fn half_vector(vector: &[f32]) -> Vec<u8> {
    let dims = u16::try_from(vector.len()).unwrap_or(u16::MAX);
    let half = |value: &f32| {
        let value = if value.is_nan() { 0.0 } else { value.clamp(f16::MIN.to_f32(), f16::MAX.to_f32()) };
        f16::from_f32(value).to_be_bytes()
    };
    let head = [dims.to_be_bytes(), [0, 0]];
    head.into_iter().chain(vector.iter().map(half)).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_sent_as_the_type_wants_it() {
        assert_eq!(half_vector(&[1.0, -0.5]), [0, 2, 0, 0, 0x3c, 0, 0xb8, 0]);
        assert_eq!(half_vector(&[f32::NAN, f32::INFINITY]), [0, 2, 0, 0, 0, 0, 0x7b, 0xff]);
    }
}
