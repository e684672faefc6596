//! Stand-in.
/// r
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alike {
    /// s
    Same,
    /// u
    Update,
    /// n
    Unrelated,
}
/// c
pub struct Closest {
    /// p
    pub place: usize,
    /// q
    pub probability: f32,
    /// r
    pub relation: Alike,
}
/// f
pub fn closest(_: &str, _: &[&str], _: Option<&[f32]>) -> Option<Closest> {
    None
}
