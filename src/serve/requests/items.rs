//! Items from programs: put in, read, listed, deleted.

use super::place::{any_scope, kind, places};
use super::{Asker, RequestError};
use crate::engine::face::asking::ItemFilter;
use crate::types::{Attributes, ExternalItem, Kind, Scope, check_name};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Items of a page where a request says nothing.
const PAGE: u32 = 100;

/// A batch of items, of which all are stored or none.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PutItemsRequest {
    /// The items.
    #[schemars(length(max = 1000), description = "The items; all of them are stored, or none")]
    pub items: Vec<PutItem>,
}

/// An item as a program puts it in.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PutItem {
    /// The program's own id.
    #[schemars(description = "Your own id, unique within the scope; an item that has it is replaced")]
    pub id: String,
    /// Its text.
    #[schemars(description = "The text, at most 65536 bytes; cut longer ones into several items")]
    pub text: String,
    /// Its title.
    #[serde(default)]
    #[schemars(description = "The title, at most 1024 bytes")]
    pub title: String,
    /// What it is; `chunk` where nothing is said.
    #[serde(default)]
    #[schemars(description = "What it is: chunk (default), preference, fact, tactic, problem or tool")]
    pub kind: Option<String>,
    /// Where it counts; `global` where nothing is said.
    #[serde(default)]
    #[schemars(description = "The scope, which others call a collection (default global)")]
    pub scope: Option<String>,
    /// Tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Whose software it is about.
    #[serde(default)]
    pub provider: Option<String>,
    /// What `where` filters by.
    #[serde(default)]
    #[schemars(description = "Keys with texts, numbers, true, false or lists of texts, to filter by with where")]
    pub attributes: Map<String, Value>,
}

/// One item by its id.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ItemRequest {
    /// The program's own id.
    #[schemars(description = "The id that it was put in with")]
    pub id: String,
    /// Its scope; `global` where nothing is said.
    #[serde(default)]
    #[schemars(description = "Its scope (default global)")]
    pub scope: Option<String>,
}

/// A page of the items that pass.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListItemsRequest {
    /// Only items of whose attributes this holds.
    #[serde(default, rename = "where")]
    #[schemars(description = "Only items of whose attributes this holds: lang = \"rust\" and stars >= 100")]
    pub condition: Option<String>,
    /// Only items of these kinds.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Only items of these scopes.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Only items with all of these tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Where the page begins.
    #[serde(default)]
    #[schemars(description = "The next of the page before; without it the list begins")]
    pub after: Option<String>,
    /// Most items of the page.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000), description = "Most items of the page (default 100)")]
    pub limit: Option<u32>,
}

/// Deletes what passes; at least one filter is needed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteItemsRequest {
    /// Only items of whose attributes this holds.
    #[serde(default, rename = "where")]
    #[schemars(description = "Only items of whose attributes this holds: lang = \"rust\" and stars >= 100")]
    pub condition: Option<String>,
    /// Only items of these kinds.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Only items of these scopes.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Only items with all of these tags.
    #[serde(default)]
    pub tags: Vec<String>,
}

impl PutItemsRequest {
    /// The items as the engine takes them.
    ///
    /// # Errors
    /// [`RequestError`] with the number of an item whose kind, scope or attributes mean nothing.
    pub fn items(self, asker: Asker<'_>) -> Result<Vec<ExternalItem>, RequestError> {
        let numbered = (1..).zip(self.items);
        numbered.map(|(number, item)| item.read(asker).map_err(|error| error.within(number))).collect()
    }
}

impl PutItem {
    fn read(self, asker: Asker<'_>) -> Result<ExternalItem, RequestError> {
        let wrong = |what: String| RequestError::usage(what, "nothing of the batch was stored; correct it");
        Ok(ExternalItem {
            scope: scope_or_global(self.scope.as_deref(), asker)?,
            kind: self.kind.as_deref().map_or(Ok(Kind::Chunk), kind)?,
            attributes: Attributes::read(&Value::Object(self.attributes)).map_err(wrong)?,
            id: self.id,
            title: self.title,
            text: self.text,
            tags: self.tags,
            provider: self.provider,
        })
    }
}

impl ItemRequest {
    /// The scope and the id.
    ///
    /// # Errors
    /// [`RequestError`] for what can be neither.
    pub fn place(self, asker: Asker<'_>) -> Result<(Scope, String), RequestError> {
        let wrong = |what: String| RequestError::usage(what, "give the id that it was put in with");
        check_name("the id", &self.id).map_err(wrong)?;
        Ok((scope_or_global(self.scope.as_deref(), asker)?, self.id))
    }
}

impl ListItemsRequest {
    /// Which items are listed.
    ///
    /// # Errors
    /// [`RequestError`] for a kind or a scope that can be none, or a condition that cannot be read.
    pub fn filter(&self, asker: Asker<'_>) -> Result<ItemFilter, RequestError> {
        filter(asker, &self.kinds, &self.scopes, &self.tags, self.condition.as_deref())
    }

    /// Most items of the page.
    pub fn most(&self) -> usize {
        self.limit.unwrap_or(PAGE) as usize
    }
}

impl DeleteItemsRequest {
    /// Which items are deleted.
    ///
    /// # Errors
    /// As [`ListItemsRequest::filter`].
    pub fn filter(&self, asker: Asker<'_>) -> Result<ItemFilter, RequestError> {
        filter(asker, &self.kinds, &self.scopes, &self.tags, self.condition.as_deref())
    }
}

/// A scope that is empty is there too: a program may have deleted all that was in it.
fn filter(
    asker: Asker<'_>,
    kinds: &[String],
    scopes: &[String],
    tags: &[String],
    condition: Option<&str>,
) -> Result<ItemFilter, RequestError> {
    Ok(ItemFilter {
        scopes: scopes.iter().map(|name| any_scope(name, asker)).collect::<Result<_, _>>()?,
        tags: tags.to_vec(),
        ..places(asker, kinds, &[], [&[], &[]], condition)?
    })
}

fn scope_or_global(name: Option<&str>, asker: Asker<'_>) -> Result<Scope, RequestError> {
    name.map_or_else(|| Ok(Scope::global()), |name| any_scope(name, asker))
}
