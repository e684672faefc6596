//! What an entry says, and for which of its messages: patterns with names, sentences and steps with conditions.
//!
//! In a pack each is a plain text where nothing else is to be said, and an object otherwise.

use crate::types::Platform;
use serde::{Deserialize, Serialize};

/// A pattern of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryPattern {
    /// The variant of the problem that it shows, in a few words joined by dashes. Several patterns may share one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A regular expression.
    pub pattern: String,
}

/// A sentence on the cause.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remark {
    /// The sentence.
    pub text: String,
    /// Variants for which it holds; all, if none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<String>,
}

/// A step of a fix.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What to do; `{name}` of a declared capture is replaced by the quoted value.
    pub text: String,
    /// Variants for which it helps; all, if none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<String>,
    /// Platforms on which it can be done; all, if none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<Platform>,
    /// What cannot be got back after it; completes the sentence "Loses ...".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loses: Option<String>,
}

/// What a tool printed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The output.
    pub text: String,
    /// Where it was seen: an address, or a tool and the place in its sources that prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<String>,
}

/// What may be written as a plain text.
pub(super) trait Said: Serialize + for<'de> Deserialize<'de> + From<String> {
    /// The text, if nothing else is to be said.
    fn plain(&self) -> Option<&str>;
}

macro_rules! said {
    ($type:ident, $text:ident, |$own:ident| $is_plain:expr) => {
        impl From<String> for $type {
            fn from($text: String) -> Self {
                Self { $text, ..Self::default() }
            }
        }

        impl From<&str> for $type {
            fn from(text: &str) -> Self {
                text.to_owned().into()
            }
        }

        impl Said for $type {
            fn plain(&self) -> Option<&str> {
                let $own = self;
                $is_plain.then_some(self.$text.as_str())
            }
        }
    };
}

said!(EntryPattern, pattern, |own| own.name.is_none());
said!(Remark, text, |own| own.when.is_empty());
said!(Step, text, |own| own.when.is_empty() && own.on.is_empty() && own.loses.is_none());
said!(Example, text, |own| own.seen.is_none());

/// Lists of it in JSON.
pub(super) mod list {
    use super::Said;
    use super::form::TextOr;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<T: Said, S: Serializer>(all: &[T], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(all.iter().map(super::form::Written))
    }

    pub fn deserialize<'de, T: Said, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
        Ok(Vec::<TextOr<T>>::deserialize(from)?.into_iter().map(|one| one.0).collect())
    }
}

/// A list in JSON that is a plain text where it is one.
pub(super) mod one_or_many {
    use super::Said;
    use super::form::ListOr;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<T: Said, S: Serializer>(all: &[T], to: S) -> Result<S::Ok, S::Error> {
        match all {
            [one] if one.plain().is_some() => one.plain().serialize(to),
            all => super::list::serialize(all, to),
        }
    }

    pub fn deserialize<'de, T: Said, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
        Ok(ListOr::<T>::deserialize(from)?.0)
    }
}

/// How texts and objects are told apart.
mod form {
    use super::Said;
    use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
    use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
    use serde::{Serialize, Serializer};
    use std::fmt;
    use std::marker::PhantomData;

    pub struct Written<'a, T>(pub &'a T);

    impl<T: Said> Serialize for Written<'_, T> {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            match self.0.plain() {
                Some(text) => to.serialize_str(text),
                None => self.0.serialize(to),
            }
        }
    }

    pub struct TextOr<T>(pub T);

    impl<'de, T: Said> Deserialize<'de> for TextOr<T> {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            from.deserialize_any(One(PhantomData)).map(Self)
        }
    }

    struct One<T>(PhantomData<T>);

    impl<'de, T: Said> Visitor<'de> for One<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text or an object")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            Ok(text.to_owned().into())
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }

    pub struct ListOr<T>(pub Vec<T>);

    impl<'de, T: Said> Deserialize<'de> for ListOr<T> {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            from.deserialize_any(Many(PhantomData)).map(Self)
        }
    }

    struct Many<T>(PhantomData<T>);

    impl<'de, T: Said> Visitor<'de> for Many<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text or a list")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Vec<T>, E> {
            Ok(vec![text.to_owned().into()])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Vec<T>, A::Error> {
            super::list::deserialize(SeqAccessDeserializer::new(seq))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Holder {
        #[serde(with = "one_or_many")]
        cause: Vec<Remark>,
        #[serde(with = "list")]
        fix: Vec<Step>,
    }

    #[test]
    fn what_is_plain_is_written_plainly() {
        for value in [
            json!({"cause": "It is full.", "fix": ["Empty it."]}),
            json!({"cause": ["It is full.", {"text": "By logs.", "when": ["logs"]}],
                "fix": ["Look.", {"text": "Empty it.", "when": ["logs"], "on": ["debian"], "loses": "all"}]}),
        ] {
            let read: Holder = serde_json::from_value(value.clone()).unwrap();
            assert_eq!(serde_json::to_value(&read).unwrap(), value);
        }
    }

    #[test]
    fn what_is_unknown_is_named() {
        let fault = |value| serde_json::from_value::<Holder>(value).unwrap_err().to_string();
        assert!(fault(json!({"cause": "c", "fix": [{"text": "a", "wen": []}]})).contains("unknown field `wen`"));
        assert!(
            fault(json!({"cause": "c", "fix": [{"text": "a", "on": ["beos"]}]})).contains("unknown variant `beos`")
        );
        assert!(fault(json!({"cause": 7, "fix": []})).contains("a text or a list"));
    }
}
