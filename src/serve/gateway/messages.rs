//! Reads what servers send. An answer that the protocol does not have fails the one call that it belongs to, at once;
//! a tool that nobody can read costs no other tool of its list.
//!
//! The SDK takes the text "1" for the number 1, and drops what it cannot read, so that a caller waits until its time
//! limit. Both are decided here, before the SDK sees a message.

use rmcp::model::{ErrorCode, ErrorData, JsonRpcMessage, RequestId, Tool};
use rmcp::service::{RoleClient, RxJsonRpcMessage};
use serde_json::{Map, Value, json};

/// Longest message, in bytes.
pub(super) const MESSAGE: usize = 16 << 20;
/// Longest key or id that is looked at in a message that is too long.
const WORD: usize = 32;

/// The code of an error that no server sent: it stands for an answer that cannot be used.
const UNUSABLE: ErrorCode = ErrorCode(-32_097);

/// What an answer to a request becomes that cannot be used.
pub(super) fn unusable(id: i64, why: String) -> RxJsonRpcMessage<RoleClient> {
    JsonRpcMessage::error(ErrorData::new(UNUSABLE, why, None), Some(RequestId::Number(id)))
}

/// Why the answer behind this error could not be used; none for an error that a server sent.
pub(super) fn why_unusable(error: &ErrorData) -> Option<&str> {
    (error.code == UNUSABLE).then_some(&*error.message)
}

/// What becomes of an answer that is too long.
pub(super) fn too_long(id: i64) -> RxJsonRpcMessage<RoleClient> {
    unusable(id, format!("gave an answer of more than {} MiB, which was skipped", MESSAGE >> 20))
}

/// A message; none for a text that is no message of the protocol.
pub(super) fn message(text: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
    // A mark of the byte order, as some servers write it.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut value: Value = serde_json::from_slice(text).ok()?;
    let fields = value.as_object_mut()?;
    let is_answer = !fields.contains_key("method") && (fields.contains_key("result") || fields.contains_key("error"));
    if !is_answer {
        return serde_json::from_value(value).ok();
    }
    if let Some(Value::String(id)) = fields.get("id") {
        // All that is asked here has a number.
        let id = id.parse().ok()?;
        return Some(unusable(id, format!("gave an answer with the id \"{id}\", a text, where {id} was asked")));
    }
    let id = fields.get("id").and_then(Value::as_i64);
    if let Some(result) = fields.get_mut("result").and_then(Value::as_object_mut) {
        readable_tools(result);
    }
    match serde_json::from_value(value) {
        Ok(message) => Some(message),
        Err(_) => id.map(|id| unusable(id, "gave an answer that its protocol does not have".to_owned())),
    }
}

/// Puts a tool without a usable schema in the place of each one that cannot be read: one of them would make the whole
/// list unreadable.
fn readable_tools(result: &mut Map<String, Value>) {
    // What a call gives has contents, and is handed on as it is.
    if result.contains_key("content") {
        return;
    }
    for tool in result.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten() {
        if serde_json::from_value::<Tool>(tool.clone()).is_err() {
            let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
            *tool = json!({"name": name, "inputSchema": {}});
        }
    }
}

/// Finds the request that an overlong message answers. It reads the message byte by byte, and keeps only keys and
/// numbers of the outermost object.
#[derive(Debug, Default)]
pub(super) struct Answered {
    depth: usize,
    is_in_text: bool,
    is_escaped: bool,
    /// The key or number that is being read.
    word: Vec<u8>,
    key: Vec<u8>,
    id: Option<i64>,
    is_answer: bool,
}

impl Answered {
    /// Takes the next bytes; gives the request, once it is known that this answers one.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Option<i64> {
        bytes.iter().for_each(|byte| self.next(*byte));
        self.id.filter(|_| self.is_answer)
    }

    fn next(&mut self, byte: u8) {
        if self.is_in_text {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.is_in_text = false,
                _ => self.keep(byte),
            }
            return;
        }
        match byte {
            b'"' => self.is_in_text = true,
            b'{' | b'[' => self.depth += 1,
            b':' if self.depth == 1 => {
                self.key = std::mem::take(&mut self.word);
                self.is_answer |= self.key == b"result" || self.key == b"error";
            }
            b',' | b'}' | b']' => {
                if self.depth == 1 {
                    let word = std::mem::take(&mut self.word);
                    if self.key == b"id" {
                        self.id = std::str::from_utf8(&word).ok().and_then(|id| id.parse().ok());
                    }
                }
                if byte != b',' {
                    self.depth = self.depth.saturating_sub(1);
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            byte => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.word.len() < WORD {
            self.word.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{ServerResult, Tool};

    fn read(value: &Value) -> Option<RxJsonRpcMessage<RoleClient>> {
        message(value.to_string().as_bytes())
    }

    /// The id and the words of an answer that cannot be used.
    fn unused(message: Option<RxJsonRpcMessage<RoleClient>>) -> (RequestId, String) {
        match message {
            Some(JsonRpcMessage::Error(error)) => (error.id.unwrap(), why_unusable(&error.error).unwrap().to_owned()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn one_tool_that_cannot_be_read_costs_no_other() {
        let good = json!({"name": "good", "inputSchema": {"type": "object"}});
        let tools = json!([
            {"name": "bare"},
            good,
            {"name": "null", "inputSchema": null},
            {"inputSchema": {"type": "object"}},
            {"name": "hints", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": "yes"}},
            7
        ]);
        let read = read(&json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools, "nextCursor": "5"}}));
        let Some(JsonRpcMessage::Response(response)) = read else { panic!("{read:?}") };
        let ServerResult::ListToolsResult(listed) = response.result else { panic!("{:?}", response.result) };
        assert_eq!(listed.next_cursor.as_deref(), Some("5"));
        let named = |tool: &Tool| (tool.name.to_string(), tool.input_schema.len());
        assert_eq!(
            listed.tools.iter().map(named).collect::<Vec<_>>(),
            [("bare", 0), ("good", 1), ("null", 0), ("", 0), ("hints", 0), ("", 0)]
                .map(|(name, fields)| (name.to_owned(), fields))
        );
    }

    #[test]
    fn a_result_of_a_call_stays_as_it_is() {
        let result = json!({"content": [{"type": "text", "text": "x"}], "tools": [1]});
        let read = read(&json!({"jsonrpc": "2.0", "id": 1, "result": result}));
        assert!(matches!(read, Some(JsonRpcMessage::Response(_))), "{read:?}");
    }

    #[test]
    fn an_answer_with_an_id_of_another_type_fails_its_call() {
        let content = json!({"content": []});
        let (id, why) = unused(read(&json!({"jsonrpc": "2.0", "id": "3", "result": content})));
        assert_eq!(id, RequestId::Number(3));
        assert!(why.contains("a text"), "{why}");
        assert!(read(&json!({"jsonrpc": "2.0", "id": "three", "result": content})).is_none());
        let error = json!({"code": -1, "message": "x"});
        unused(read(&json!({"jsonrpc": "2.0", "id": "3", "error": error})));
        // The right one.
        assert!(matches!(
            read(&json!({"jsonrpc": "2.0", "id": 3, "error": error})),
            Some(JsonRpcMessage::Error(error)) if why_unusable(&error.error).is_none()
        ));
        // What a server asks has the id that the server chose.
        assert!(matches!(
            read(&json!({"jsonrpc": "2.0", "id": "3", "method": "ping"})),
            Some(JsonRpcMessage::Request(_))
        ));
    }

    #[test]
    fn what_is_no_answer_fails_its_call_and_noise_is_nothing() {
        let (id, _) = unused(read(&json!({"id": 4, "result": {}})));
        assert_eq!(id, RequestId::Number(4));
        for noise in ["", "Listening on port 3", "[1]", "7", "{}", "{\"id\": 4}"] {
            assert!(message(noise.as_bytes()).is_none(), "{noise}");
        }
    }

    #[test]
    fn a_long_answer_is_known_by_its_outermost_id() {
        let of = |text: &str| Answered::default().take(text.as_bytes());
        assert_eq!(of(r#"{"jsonrpc":"2.0","id":7,"result":{"content":"#), Some(7));
        assert_eq!(of(r#"{"result": {"id": 1, "x": "\"id\": 2, {["}, "id" : 7 }"#), Some(7));
        assert_eq!(of(r#"{"id": "7", "error": {"#), Some(7));
        assert_eq!(of(r#"{"method": "a", "params": {"id": 7, "result": 1}}"#), None);
        assert_eq!(of(r#"{"method": "sampling/createMessage", "id": 7, "params": {"#), None);
        assert_eq!(of(r#"{"result": {"id": 1"#), None);
        let text = r#"{"id":7,"result":{"a":"\\"}}"#;
        // However it is cut.
        for at in 0..text.len() {
            let mut answered = Answered::default();
            answered.take(&text.as_bytes()[..at]);
            assert_eq!(answered.take(&text.as_bytes()[at..]), Some(7), "{at}");
        }
    }
}
