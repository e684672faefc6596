//! What a program says of its items beside their text: a flat map from keys to texts, numbers, booleans and lists of
//! texts.

use super::limits::{ITEM_ATTRIBUTE_BYTES, ITEM_ATTRIBUTES, ITEM_KEY_BYTES, ITEM_LIST, ITEM_VALUE_BYTES};
use serde::{Serialize, Serializer};
use serde_json::{Number, Value};
use std::collections::BTreeMap;

/// Whole numbers below this are exact as `f64`, and are written without a fraction.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum AttributeValue {
    /// A text.
    Text(String),
    /// A finite number.
    Number(f64),
    /// True or false.
    Boolean(bool),
    /// Texts, in their order.
    List(Vec<String>),
}

/// Attributes by key.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Attributes(BTreeMap<String, AttributeValue>);

impl Attributes {
    /// Reads them from a JSON object; null is none.
    ///
    /// # Errors
    /// What is wrong, with the key.
    pub fn read(value: &Value) -> Result<Self, String> {
        let fields = match value {
            Value::Null => return Ok(Self::default()),
            Value::Object(fields) => fields,
            _ => return Err("attributes are an object of keys and values".to_owned()),
        };
        if fields.len() > ITEM_ATTRIBUTES {
            return Err(format!("there are {} attributes, {ITEM_ATTRIBUTES} are allowed", fields.len()));
        }
        let read = |(key, value): (&String, &Value)| {
            if !is_key(key) {
                let wrong = format!(
                    "{key:?} is no key: a letter or _ comes first, then letters, digits, _, . and -, \
                     {ITEM_KEY_BYTES} bytes in all"
                );
                return Err(wrong);
            }
            Ok((key.clone(), value_of(value).map_err(|what| format!("attribute {key}: {what}"))?))
        };
        let all: BTreeMap<String, AttributeValue> = fields.iter().map(read).collect::<Result<_, _>>()?;
        let bytes: usize = all.iter().map(|(key, value)| key.len() + value.bytes()).sum();
        if bytes > ITEM_ATTRIBUTE_BYTES {
            return Err(format!("the attributes have {bytes} bytes, {ITEM_ATTRIBUTE_BYTES} are allowed"));
        }
        Ok(Self(all))
    }

    /// As JSON.
    pub fn to_json(&self) -> Value {
        Value::Object(self.0.iter().map(|(key, value)| (key.clone(), value.to_json())).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&AttributeValue> {
        self.0.get(key)
    }

    /// All of them, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &AttributeValue)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }
}

impl Serialize for Attributes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(to)
    }
}

impl AttributeValue {
    fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Number(_) | Self::Boolean(_) => 8,
            Self::List(texts) => texts.iter().map(String::len).sum(),
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => text.clone().into(),
            Self::Number(number) if number.fract() == 0.0 && number.abs() < EXACT => (*number as i64).into(),
            Self::Number(number) => Number::from_f64(*number).into(),
            Self::Boolean(value) => (*value).into(),
            Self::List(texts) => texts.clone().into(),
        }
    }
}

fn value_of(value: &Value) -> Result<AttributeValue, String> {
    let text = |text: &str| match text.len() {
        length if length > ITEM_VALUE_BYTES => {
            Err(format!("a text has {length} bytes, {ITEM_VALUE_BYTES} are allowed"))
        }
        _ => Ok(text.to_owned()),
    };
    match value {
        Value::String(one) => text(one).map(AttributeValue::Text),
        Value::Bool(value) => Ok(AttributeValue::Boolean(*value)),
        Value::Number(number) => match number.as_f64().filter(|number| number.is_finite()) {
            // There is one zero.
            // A whole number beyond this would come back as another one.
            Some(float) if !number.is_f64() && float.abs() >= EXACT => {
                Err("a whole number beyond 2^53 would not be kept exactly; give it as a text".to_owned())
            }
            Some(number) => Ok(AttributeValue::Number(number + 0.0)),
            None => Err("a number is out of range".to_owned()),
        },
        Value::Array(all) if all.len() > ITEM_LIST => {
            Err(format!("a list has {} texts, {ITEM_LIST} are allowed", all.len()))
        }
        Value::Array(all) => {
            let one =
                |value: &Value| value.as_str().ok_or_else(|| "a list holds texts alone".to_owned()).and_then(text);
            all.iter().map(one).collect::<Result<_, _>>().map(AttributeValue::List)
        }
        Value::Null | Value::Object(_) => Err("a value is a text, a number, true, false or a list of texts".to_owned()),
    }
}

/// Whether this can be the key of an attribute: `[A-Za-z_][A-Za-z0-9_.-]{0,63}`.
pub fn is_key(text: &str) -> bool {
    let first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let later = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    let bytes = text.as_bytes();
    bytes.len() <= ITEM_KEY_BYTES && bytes.first().is_some_and(|byte| first(*byte)) && bytes.iter().all(|b| later(*b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_read_is_written() {
        let all = json!({"a": "x", "b.c-d": 3, "_e": 2.5, "f": true, "g": ["x", "y"], "h": [], "i": -0.0, "j": 1e300});
        let read = Attributes::read(&all).unwrap();
        assert_eq!(read.get("b.c-d"), Some(&AttributeValue::Number(3.0)));
        assert_eq!(Attributes::read(&read.to_json()), Ok(read.clone()));
        assert_eq!(read.to_json()["i"], json!(0), "there is one zero");
        assert!(Attributes::read(&Value::Null).unwrap().is_empty());
    }

    #[test]
    fn what_is_no_attribute_is_said_with_its_key() {
        let large = Attributes::read(&json!({"user": 1_146_352_342_345_678_901_i64})).unwrap_err();
        assert!(large.contains("user") && large.contains("2^53"), "{large}");
        let many: serde_json::Map<String, Value> = (0..65).map(|at| (format!("k{at}"), json!(1))).collect();
        for (value, what) in [
            (json!([]), "an object"),
            (json!({"": 1}), "is no key"),
            (json!({"1a": 1}), "\"1a\" is no key"),
            (json!({"a b": 1}), "is no key"),
            (json!({"ä": 1}), "is no key"),
            (json!({"k".repeat(65): 1}), "is no key"),
            (json!({"a": null}), "attribute a: a value is"),
            (json!({"a": {"b": 1}}), "attribute a: a value is"),
            (json!({"a": ["x", 1]}), "attribute a: a list holds texts alone"),
            (json!({"a": "x".repeat(ITEM_VALUE_BYTES + 1)}), "bytes"),
            (json!({"a": vec!["x"; ITEM_LIST + 1]}), "a list has"),
            (many.into(), "there are 65 attributes"),
            (json!({"a": vec!["x".repeat(1 << 10); 65]}), "the attributes have"),
        ] {
            let error = Attributes::read(&value).unwrap_err();
            assert!(error.contains(what), "{error}");
        }
        assert!(is_key(&"k".repeat(64)));
    }
}
