//! Reads what documents say of tools: a JSON list, the saved answer of an MCP server to `tools/list`, or an OpenAPI 3
//! document. Everything in them is a stranger's: it is cut, and nothing of it is followed but references inside the
//! document.

use crate::text::sha256_hex;
use crate::types::{Tool, ToolField};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Most tools of one document.
pub const MOST_TOOLS: usize = 10_000;
/// Longest description that is kept, in characters.
const DESCRIPTION: usize = 4_000;
/// Longest name that is kept, in characters.
const NAME: usize = 200;
/// Most parameters, results or tags of one tool.
const FIELDS: usize = 200;
/// How many references in a row are followed.
const REFERENCES: usize = 8;

/// Why a document has no tools.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoTools {
    /// It is no JSON.
    #[error("it is no JSON: {0}")]
    Json(String),
    /// It is JSON of another kind.
    #[error("it is neither a list of tools, nor an answer to tools/list, nor an OpenAPI 3 document")]
    Kind,
    /// One of the tools has no name.
    #[error("tool {0} has no name")]
    Name(usize),
    /// It is no help text.
    #[error("it has neither a line of usage nor options nor commands, as a help text has")]
    Help,
    /// There are none, or too many.
    #[error("it has {0} tools; between 1 and {MOST_TOOLS} are read")]
    Count(usize),
}

/// Reads tools from a document. `server` is for those that name none.
///
/// # Errors
/// [`NoTools`] for anything else.
pub fn read_tools(text: &str, server: &str) -> Result<Vec<Tool>, NoTools> {
    let document: Value = serde_json::from_str(text).map_err(|error| NoTools::Json(error.to_string()))?;
    let is_openapi = document.get("openapi").and_then(Value::as_str).is_some_and(|version| version.starts_with("3."));
    let tools = match &document {
        Value::Array(list) => listed(list, server)?,
        Value::Object(_) if is_openapi => operations(&document, server),
        Value::Object(all) => {
            let inside = all.get("result").unwrap_or(&document);
            listed(inside.get("tools").and_then(Value::as_array).ok_or(NoTools::Kind)?, server)?
        }
        _ => return Err(NoTools::Kind),
    };
    if tools.is_empty() || tools.len() > MOST_TOOLS { Err(NoTools::Count(tools.len())) } else { Ok(tools) }
}

fn cut(text: &str, most: usize) -> String {
    text.chars().filter(|letter| !letter.is_control() || *letter == '\n').take(most).collect()
}

fn said(of: &Value, name: &str, most: usize) -> String {
    of.get(name).and_then(Value::as_str).map(|text| cut(text, most)).unwrap_or_default()
}

/// Equal for what says the same: the order of fields says nothing, and some servers change it at each start.
fn form(value: &Value) -> String {
    let mut sorted = value.clone();
    sorted.sort_all_objects();
    sha256_hex(sorted.to_string().as_bytes())
}

fn listed(list: &[Value], server: &str) -> Result<Vec<Tool>, NoTools> {
    let one = |(at, value): (usize, &Value)| {
        // Lists of functions, as models take them, wrap each one.
        let value = value.get("function").filter(|inside| inside.is_object()).unwrap_or(value);
        let name = said(value, "name", NAME);
        if name.trim().is_empty() {
            return Err(NoTools::Name(at + 1));
        }
        let own = said(value, "server", NAME);
        let schema = ["inputSchema", "input_schema", "parameters"].into_iter().find_map(|name| value.get(name));
        let results = ["outputSchema", "output_schema", "results"].into_iter().find_map(|name| value.get(name));
        let tags = value.get("tags").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        Ok(Tool {
            name,
            server: if own.is_empty() { server.to_owned() } else { own },
            description: said(value, "description", DESCRIPTION),
            parameters: schema.map(fields).unwrap_or_default(),
            results: results.map(fields).unwrap_or_default(),
            tags: tags.take(FIELDS).map(|tag| cut(tag, NAME)).collect(),
            form: form(value),
        })
    };
    list.iter().enumerate().map(one).collect()
}

/// Fields of a JSON schema of an object; or of a list of names or fields, or an object with a value for each.
fn fields(schema: &Value) -> Vec<ToolField> {
    let field = |name: &str, kind: &Value, required: bool| ToolField {
        name: cut(name, NAME),
        kind: kind.get("type").and_then(Value::as_str).map(|kind| cut(kind, NAME)).unwrap_or_default(),
        required,
        ..ToolField::default()
    };
    let of_list = |value: &Value| match value {
        Value::String(name) => Some(field(name, &Value::Null, false)),
        Value::Object(_) => {
            let required = value.get("required").and_then(Value::as_bool).unwrap_or(false);
            Some(field(value.get("name")?.as_str()?, value, required))
        }
        _ => None,
    };
    let mut out: Vec<ToolField> = match schema {
        Value::Array(list) => list.iter().filter_map(of_list).collect(),
        Value::Object(all) => {
            let required = strings(all.get("required"));
            let properties = all.get("properties").and_then(Value::as_object);
            let is_schema = properties.is_some() || all.get("type").is_some_and(Value::is_string);
            match properties {
                Some(all) => {
                    all.iter().map(|(name, kind)| field(name, kind, required.contains(name.as_str()))).collect()
                }
                None if is_schema => Vec::new(),
                None => all.iter().map(|(name, kind)| field(name, kind, false)).collect(),
            }
        }
        _ => Vec::new(),
    };
    out.truncate(FIELDS);
    out
}

fn strings(value: Option<&Value>) -> BTreeSet<&str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// What a reference in the document leads to.
fn followed<'v>(document: &'v Value, mut value: &'v Value) -> &'v Value {
    for _ in 0..REFERENCES {
        let Some(path) = value.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#')) else {
            break;
        };
        let Some(found) = document.pointer(path) else { break };
        value = found;
    }
    value
}

/// The operations of an OpenAPI document. They are called by method and path, and say what they are by their summary.
fn operations(document: &Value, server: &str) -> Vec<Tool> {
    const METHODS: [&str; 7] = ["get", "put", "post", "delete", "options", "head", "patch"];
    let title = document.pointer("/info/title").and_then(Value::as_str).unwrap_or_default();
    let server = if server.is_empty() { cut(title, NAME) } else { server.to_owned() };
    let none = Map::new();
    let mut out = Vec::new();
    for (path, item) in document.get("paths").and_then(Value::as_object).unwrap_or(&none) {
        let item = followed(document, item);
        for method in METHODS {
            let Some(operation) = item.get(method) else { continue };
            let summary = said(operation, "summary", DESCRIPTION);
            let description = said(operation, "description", DESCRIPTION);
            let id = said(operation, "operationId", NAME);
            // What it is called stands before what else is to be known, in a paragraph of its own.
            let joined = |texts: [String; 2], between: &str| {
                texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(between)
            };
            let description = joined([joined([id, summary], ". "), description], "\n\n");
            let shared = item.get("parameters").and_then(Value::as_array).into_iter().flatten();
            let own = operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
            let mut parameters: Vec<ToolField> = Vec::new();
            for value in own.chain(shared).map(|value| followed(document, value)) {
                let name = said(value, "name", NAME);
                if name.is_empty() || parameters.iter().any(|known| known.name == name) {
                    continue;
                }
                let schema = value.get("schema").map(|schema| followed(document, schema)).unwrap_or(&Value::Null);
                let required = value.get("required").and_then(Value::as_bool).unwrap_or(false);
                parameters.push(ToolField { name, kind: said(schema, "type", NAME), required, ..ToolField::default() });
            }
            let body = operation.get("requestBody").map(|body| followed(document, body));
            parameters.extend(body.map(|body| content(document, body)).unwrap_or_default());
            parameters.truncate(FIELDS);
            let answers = operation.get("responses").and_then(Value::as_object).unwrap_or(&none);
            let ok =
                answers.iter().find(|(code, _)| code.starts_with('2')).map(|(_, answer)| followed(document, answer));
            let tags = strings(operation.get("tags")).into_iter().take(FIELDS).map(|tag| cut(tag, NAME)).collect();
            out.push(Tool {
                name: format!("{} {}", method.to_uppercase(), cut(path, NAME)),
                server: server.clone(),
                description: cut(&description, DESCRIPTION),
                parameters,
                results: ok.map(|answer| content(document, answer)).unwrap_or_default(),
                tags,
                form: form(operation),
            });
        }
    }
    out
}

/// Fields of a body in JSON; of a list those of its members.
fn content(document: &Value, body: &Value) -> Vec<ToolField> {
    let kinds = body.get("content").and_then(Value::as_object);
    let json = kinds.and_then(|kinds| kinds.iter().find(|(kind, _)| kind.contains("json")));
    let Some(schema) = json.and_then(|(_, kind)| kind.get("schema")) else { return Vec::new() };
    let mut schema = followed(document, schema);
    if let Some(members) = schema.get("items") {
        schema = followed(document, members);
    }
    let none = Map::new();
    let required = strings(schema.get("required"));
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let field = |(name, kind): (&String, &Value)| ToolField {
        name: cut(name, NAME),
        kind: said(followed(document, kind), "type", NAME),
        required: required.contains(name.as_str()),
        ..ToolField::default()
    };
    properties.iter().take(FIELDS).map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: &Value) -> Vec<Tool> {
        let read = read_tools(&value.to_string(), "").unwrap();
        assert!(read.iter().all(|tool| tool.form.len() == 64));
        read.into_iter().map(|tool| Tool { form: String::new(), ..tool }).collect()
    }

    #[test]
    fn a_change_anywhere_changes_the_form() {
        let with = |text: &str| {
            let inside = json!({"type": "object", "properties": {"b": {"description": text}}});
            let tool = json!({"name": "a", "inputSchema": {"type": "object", "properties": {"deep": inside}}});
            read_tools(&json!([tool]).to_string(), "").unwrap().remove(0)
        };
        assert_eq!(with("x"), with("x"));
        assert_ne!(with("x"), with("y"));
        let read = |text: &str| read_tools(text, "").unwrap();
        let ordered = read(r#"[{"name": "a", "inputSchema": {"properties": {"x": {}, "y": {"type": "string"}}}}]"#);
        let other = read(r#"[{"inputSchema": {"properties": {"y": {"type": "string"}, "x": {}}}, "name": "a"}]"#);
        assert_eq!(ordered[0].form, other[0].form);
    }

    #[test]
    fn lists_are_read_in_all_their_forms() {
        let schema =
            json!({"type": "object", "properties": {"path": {"type": "string"}, "deep": {}}, "required": ["path"]});
        let tool = json!({"name": "ls", "description": "List\u{7} files", "inputSchema": schema, "tags": ["fs"]});
        let wanted = Tool {
            name: "ls".into(),
            description: "List files".into(),
            parameters: vec![
                ToolField { name: "path".into(), kind: "string".into(), required: true, ..ToolField::default() },
                ToolField { name: "deep".into(), ..ToolField::default() },
            ],
            tags: vec!["fs".into()],
            ..Tool::default()
        };
        for document in [
            json!([tool]),
            json!({"tools": [tool]}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool]}}),
            json!([{"type": "function", "function": tool}]),
        ] {
            assert_eq!(read(&document), std::slice::from_ref(&wanted));
        }
        assert_eq!(read_tools(&json!([tool]).to_string(), "disk").unwrap()[0].key(), "disk/ls");
        assert_eq!(
            read(&json!([{"name": "x", "parameters": ["a", {"name": "b", "type": "t"}]}]))[0].parameters.len(),
            2
        );
    }

    #[test]
    fn operations_take_and_give_what_their_schemas_say() {
        let document = json!({
            "openapi": "3.0.1", "info": {"title": "Zoo"},
            "paths": {"/animals/{animal_id}": {
                "parameters": [{"$ref": "#/components/parameters/animal"}],
                "get": {"operationId": "getAnimal", "summary": "Read one", "description": "All of it",
                    "tags": ["animals"],
                    "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/animal"}}}}}},
                "post": {"requestBody": {"content": {"application/json": {"schema":
                    {"type": "array", "items": {"$ref": "#/components/schemas/animal"}}}}}}
            }},
            "components": {
                "parameters": {"animal": {"name": "animal_id", "in": "path", "required": true, "schema": {"type": "integer"}}},
                "schemas": {"animal": {"required": ["name"], "properties": {"name": {"type": "string"}, "age": {"$ref": "#/x"}}}}
            }
        });
        let tools = read(&document);
        assert_eq!(
            tools.iter().map(Tool::key).collect::<Vec<_>>(),
            ["Zoo/GET /animals/{animal_id}", "Zoo/POST /animals/{animal_id}"]
        );
        assert_eq!(tools[0].description, "getAnimal. Read one\n\nAll of it");
        assert_eq!(
            tools[0].parameters,
            [ToolField { name: "animal_id".into(), kind: "integer".into(), required: true, ..ToolField::default() }]
        );
        let names =
            |fields: &[ToolField]| fields.iter().map(|one| (one.name.clone(), one.required)).collect::<Vec<_>>();
        assert_eq!(names(&tools[0].results), [("name".to_owned(), true), ("age".to_owned(), false)]);
        assert_eq!(names(&tools[1].parameters).len(), 3);
    }

    #[test]
    fn anything_else_is_refused_by_what_it_is() {
        assert!(matches!(read_tools("{", ""), Err(NoTools::Json(_))));
        assert_eq!(read_tools("{}", ""), Err(NoTools::Kind));
        assert_eq!(read_tools("3", ""), Err(NoTools::Kind));
        assert_eq!(read_tools("[]", ""), Err(NoTools::Count(0)));
        assert_eq!(read_tools("[{\"name\": \"a\"}, {\"description\": \"b\"}]", ""), Err(NoTools::Name(2)));
        let deep = "[".repeat(100_000);
        assert!(matches!(read_tools(&deep, ""), Err(NoTools::Json(_))));
        let around = json!({"openapi": "3.1.0", "paths": {"/a": {"$ref": "#/paths/~1a"}, "/b": {"get": {}}}});
        assert_eq!(read(&around).len(), 1, "a reference to itself ends");
    }
}
