//! When a planned change of infrastructure is likely to meet an entry's error.

use crate::types::{Action, Risk};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Which of a change's values is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// As it is now.
    Before,
    /// As it is to be.
    After,
}

/// What is known of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Known {
    /// It is given, and neither null, empty nor false.
    Set,
    /// It is null, empty, false or not given.
    Unset,
    /// It is known only after the run.
    Unknown,
}

/// One thing that must hold of an attribute. Of several fields all must hold; of several values (a path with `*`) one
/// that fits is enough.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    /// Names joined by dots; `*` is every element of a list or map.
    pub path: String,
    /// After a change, and before a deletion, unless it says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// What is known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is: Option<Known>,
    /// Equal to one of these values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<Value>,
    /// A regular expression that a text matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matches: Option<String>,
    /// A number is above this, a text or list longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<f64>,
    /// A number is below this, a text or list shorter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under: Option<f64>,
    /// Whether its value before and after differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<bool>,
    /// Whether it is a reason that the resource is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<bool>,
}

/// A condition under which a planned change is likely to meet the entry's error.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Types of resources, such as `aws_s3_bucket`.
    pub resource: Vec<String>,
    /// What is done to them.
    pub actions: Vec<Action>,
    /// All of these hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub all: Vec<Test>,
    /// None of these holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub none: Vec<Test>,
    /// No resource of these types belongs to it: refers to it in the configuration, or has its id or name as a value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// Whether it and another resource of its types refer to each other, perhaps through more of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub circle: bool,
    /// The variant of the entry whose steps help, if they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// How bad it is.
    pub risk: Risk,
    /// What is likely to happen, in a sentence; `{path}` is replaced by the value of that attribute.
    pub text: String,
}
