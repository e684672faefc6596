//! Items that programs put in, as the programs know them.
//!
//! A program names its items by ids of its own, which are unique within a scope. Inside they have an [`Item`] like all
//! others, whose uid is made of scope and id, so that no two ever meet, and none meets a file or an entry of a pack.

use super::limits::{ITEM_ID_BYTES, ITEM_TAGS, ITEM_TEXT_BYTES, ITEM_TITLE_BYTES};
use super::{Attributes, Authority, Item, Kind, Scope, State};
use serde::Serialize;
use serde_json::{Value, json};

/// How the uids of such items begin.
pub const EXTERNAL_PREFIX: &str = "item/";

/// Where an item keeps the id that its program gave it.
pub const EXTERNAL_ID: &str = "external_id";

/// Where an item keeps the attributes that filters of `where` look at.
pub const FIELDS: &str = "fields";

/// An item as a program puts it in.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExternalItem {
    /// The program's id: 1 to 256 bytes without control characters, unique within the scope.
    pub id: String,
    /// Where it counts.
    pub scope: Scope,
    /// What it is; never an entry of a pack.
    pub kind: Kind,
    /// May be empty.
    pub title: String,
    /// Its text.
    pub text: String,
    /// Tags.
    pub tags: Vec<String>,
    /// Whose software it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// What `where` filters by.
    pub attributes: Attributes,
}

/// An item as it is stored, with its times.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StoredItem {
    /// The item.
    #[serde(flatten)]
    pub item: ExternalItem,
    /// When it was put in first, milliseconds since 1970.
    pub created_at: i64,
    /// When its text came to be as it is, milliseconds since 1970.
    pub updated_at: i64,
}

/// What is known of an item from a program beside its text, for whoever found it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct External {
    /// The program's id.
    pub id: String,
    /// Where it counts.
    pub scope: Scope,
    /// Its attributes.
    pub attributes: Attributes,
}

/// Whether a text can be the id of an item or the name of a scope.
///
/// # Errors
/// What is wrong with it.
pub fn check_name(what: &str, text: &str) -> Result<(), String> {
    match text.len() {
        0 => Err(format!("{what} is empty")),
        length if length > ITEM_ID_BYTES => Err(format!("{what} has {length} bytes, {ITEM_ID_BYTES} are allowed")),
        _ if text.chars().any(char::is_control) => Err(format!("{what} holds control characters")),
        _ => Ok(()),
    }
}

impl ExternalItem {
    /// Whether it can be stored.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), String> {
        check_name("the id", &self.id)?;
        check_name("the scope", self.scope.as_str())?;
        let short = |what: &str, text: &str, most: usize| match text.len() {
            length if length > most => Err(format!("{what} has {length} bytes, {most} are allowed")),
            _ => Ok(()),
        };
        if self.kind == Kind::Canon {
            return Err("entries of packs are no items; choose another kind".to_owned());
        }
        short("the title", &self.title, ITEM_TITLE_BYTES)?;
        short("the text", &self.text, ITEM_TEXT_BYTES)?;
        if self.text.trim().is_empty() {
            return Err("the text is empty".to_owned());
        }
        if self.tags.len() > ITEM_TAGS {
            return Err(format!("there are {} tags, {ITEM_TAGS} are allowed", self.tags.len()));
        }
        self.tags.iter().try_for_each(|tag| check_name("a tag", tag))?;
        self.provider.iter().try_for_each(|provider| check_name("the provider", provider))
    }

    /// The item that is stored of it. `uid` is made of its scope and id (`store::external_uid`).
    pub fn into_item(self, uid: String, created_at: i64, updated_at: i64) -> Item {
        let mut attributes = json!({ EXTERNAL_ID: self.id });
        if let Value::Object(fields) = &mut attributes {
            let mut put = |key: &str, value: Value| drop(fields.insert(key.to_owned(), value));
            if !self.tags.is_empty() {
                put("tags", self.tags.into());
            }
            if let Some(provider) = self.provider {
                put("provider", provider.into());
            }
            if !self.attributes.is_empty() {
                put(FIELDS, self.attributes.to_json());
            }
        }
        Item {
            uid,
            kind: self.kind,
            scope: self.scope,
            authority: Authority::Personal,
            state: State::Active,
            title: self.title,
            body: self.text,
            attributes,
            path: None,
            span: None,
            created_at,
            updated_at,
        }
    }
}

impl StoredItem {
    /// What a program put in, of the item that is stored; none for an item of another source.
    pub fn of(item: Item) -> Option<Self> {
        let External { id, scope, attributes } = External::of(&item)?;
        let Item { kind, title, body, created_at, updated_at, .. } = item;
        let tags = item.attributes.get("tags").and_then(Value::as_array).into_iter().flatten();
        let tags = tags.filter_map(|tag| tag.as_str().map(str::to_owned)).collect();
        let provider = item.attributes.get("provider").and_then(Value::as_str).map(str::to_owned);
        let item = ExternalItem { id, scope, kind, title, text: body, tags, provider, attributes };
        Some(Self { item, created_at, updated_at })
    }
}

impl External {
    /// What is known of an item from a program; none for an item of another source.
    pub fn of(item: &Item) -> Option<Self> {
        let id = item.attributes.get(EXTERNAL_ID)?.as_str()?.to_owned();
        let attributes = fields(&item.attributes).unwrap_or_default();
        Some(Self { id, scope: item.scope.clone(), attributes })
    }
}

/// The attributes that `where` looks at, from all that is known of an item.
///
/// # Errors
/// What is wrong with them.
pub fn fields(attributes: &Value) -> Result<Attributes, String> {
    attributes.get(FIELDS).map_or_else(|| Ok(Attributes::default()), Attributes::read)
}
