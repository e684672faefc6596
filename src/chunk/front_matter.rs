//! Front matter: what a text says about itself between two rows of dashes, in YAML.

use serde::Deserialize;

/// Longest front matter that is read, in bytes.
const MAX_BYTES: usize = 64 << 10;

/// What is read of it; everything else is let be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontMatter {
    /// The text's title.
    pub title: Option<String>,
    /// Its tags or keywords.
    pub tags: Vec<String>,
    /// Whose software it is about.
    pub provider: Option<String>,
}

/// As YAML has it: people write a list of tags or one line of them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Fields {
    title: Option<Scalar>,
    tags: Option<Tags>,
    keywords: Option<Tags>,
    provider: Option<Scalar>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Tags {
    List(Vec<Scalar>),
    Line(String),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Scalar {
    Text(String),
    Whole(i64),
    Number(f64),
    Truth(bool),
}

impl Scalar {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text.trim().to_owned(),
            Self::Whole(number) => number.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Truth(truth) => truth.to_string(),
        }
    }
}

/// What stands between the rows of dashes at the beginning of a text, if both are there.
pub fn yaml(text: &str) -> Option<&str> {
    let body = text.strip_prefix("---")?;
    let body = &body[body.find('\n').filter(|at| body[..*at].trim().is_empty())? + 1..];
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        if at > MAX_BYTES {
            return None;
        }
        if matches!(line.trim_end(), "---" | "...") {
            return Some(&body[..at]);
        }
        at += line.len();
    }
    None
}

/// Reads the front matter of a text; what is no YAML says nothing.
pub fn front_matter(text: &str) -> FrontMatter {
    let Some(yaml) = yaml(text) else { return FrontMatter::default() };
    let Ok(fields) = serde_saphyr::from_str::<Fields>(yaml) else { return FrontMatter::default() };
    let filled = |text: String| Some(text).filter(|text| !text.is_empty());
    let tags = [fields.tags, fields.keywords].into_iter().flatten().flat_map(|tags| match tags {
        Tags::List(list) => list.into_iter().map(Scalar::text).collect::<Vec<_>>(),
        Tags::Line(line) => line.split(',').map(|tag| tag.trim().to_owned()).collect(),
    });
    FrontMatter {
        title: fields.title.map(Scalar::text).and_then(filled),
        tags: tags.filter(|tag| !tag.is_empty()).collect(),
        provider: fields.provider.map(Scalar::text).and_then(filled),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_people_write() {
        let text = "---\ntitle: \"Retry: how\"\ntags: [aws, 3]\nkeywords: s3, acl\nlayout: {a: 1}\n---\n# x\n";
        let expected = FrontMatter {
            title: Some("Retry: how".into()),
            tags: ["aws", "3", "s3", "acl"].map(str::to_owned).into(),
            provider: None,
        };
        assert_eq!(front_matter(text), expected);
        for other in ["# x", "---\ntitle: [\n---\n", "---\ntitle: x\n", "---x\ntitle: x\n---\n", ""] {
            assert_eq!(front_matter(other), FrontMatter::default(), "{other}");
        }
    }
}
