//! A condition on the attributes of an item, as data: what `where` says after it was read.
//!
//! A comparison with an attribute that is missing, or whose value is of another type, is false, and so its negation is
//! true. A list equals each text that it holds. There is no third value.

/// What an attribute is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// A text.
    Text(String),
    /// A finite number.
    Number(f64),
    /// True or false.
    Boolean(bool),
}

/// How an attribute is compared. Texts are ordered by their bytes in UTF-8; booleans and lists have no order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// The same value; of a list, one of its texts.
    Equal,
    /// A value of the same type that is not equal.
    Unequal,
    /// Less.
    Less,
    /// Less or equal.
    AtMost,
    /// Greater.
    Greater,
    /// Greater or equal.
    AtLeast,
}

/// A condition on attributes.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// The attribute of this key compares so.
    Compare(String, Comparison, Literal),
    /// The attribute of this key equals one of these.
    Within(String, Vec<Literal>),
    /// There is an attribute of this key.
    Exists(String),
    /// This does not hold.
    Not(Box<Condition>),
    /// All of these hold.
    All(Vec<Condition>),
    /// One of these holds.
    Any(Vec<Condition>),
}

// Every number in it is finite, so a condition equals itself.
impl Eq for Condition {}
