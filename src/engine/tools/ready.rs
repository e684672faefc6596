//! What depends on the tools alone is kept between requests: their index of words, and the evidence of the foreign
//! questions, which sets the gate.

use crate::store::StoredTool;
use crate::tools::discover::ToolTexts;
use crate::types::Tool;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// A model's name, and the evidence of the best tool for each foreign question.
type ByModel = (Option<String>, Arc<Vec<f64>>);

/// The tools of one request, ready to be compared with a task.
#[derive(Debug)]
pub(in crate::engine) struct ReadyTools {
    /// Key and digest of each, in order.
    of: Vec<(String, String)>,
    pub texts: ToolTexts,
    /// For each model, the evidence of the best tool for each foreign question. Without a model's name: by words alone.
    foreign: Mutex<Vec<ByModel>>,
}

impl ReadyTools {
    /// Of these tools, which say `tools`.
    ///
    /// # Errors
    /// As [`ToolTexts::of`].
    pub fn of(stored: &[StoredTool], tools: &[Tool]) -> io::Result<Self> {
        let of = stored.iter().map(|one| (one.tool.key(), one.digest.clone())).collect();
        Ok(Self { of, texts: ToolTexts::of(tools)?, foreign: Mutex::default() })
    }

    /// Whether these tools, in this order, say the same.
    pub fn is_of(&self, stored: &[StoredTool]) -> bool {
        let same =
            |(one, (key, digest)): (&StoredTool, &(String, String))| one.digest == *digest && one.tool.key() == *key;
        stored.len() == self.of.len() && stored.iter().zip(&self.of).all(same)
    }

    /// The evidence of the best tool for each foreign question, with this model. `make` is called at the first request.
    ///
    /// # Errors
    /// Those of `make`; the next request tries again.
    pub fn foreign<E>(
        &self,
        model: Option<&str>,
        make: impl FnOnce() -> Result<Vec<f64>, E>,
    ) -> Result<Arc<Vec<f64>>, E> {
        // A panic elsewhere leaves the list whole. Whoever makes the same meanwhile makes the same.
        let held = || self.foreign.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = held().iter().find(|(known, _)| known.as_deref() == model) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(make()?);
        held().push((model.map(str::to_owned), Arc::clone(&made)));
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Scope;

    fn tool(name: &str, digest: &str) -> StoredTool {
        StoredTool {
            scope: Scope::global(),
            tool: Tool { name: name.to_owned(), ..Tool::default() },
            digest: digest.to_owned(),
            approved: digest.to_owned(),
            source: String::new(),
            changed_at: 0,
        }
    }

    fn ready(stored: &[StoredTool]) -> ReadyTools {
        ReadyTools::of(stored, &stored.iter().map(|one| one.tool.clone()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn another_tool_or_another_text_is_noticed() {
        let tools = [tool("a", "1"), tool("b", "2")];
        let ready = ready(&tools);
        assert!(ready.is_of(&tools));
        let others = [
            vec![tool("a", "1")],
            vec![tool("b", "2"), tool("a", "1")],
            vec![tool("a", "1"), tool("b", "3")],
            vec![tool("a", "1"), tool("c", "2")],
        ];
        assert!(others.iter().all(|other| !ready.is_of(other)));
    }

    #[test]
    fn foreign_questions_are_asked_once_for_each_model() {
        let ready = ready(&[tool("a", "1")]);
        assert_eq!(ready.foreign(Some("m"), || Err("no")), Err("no"));
        assert_eq!(*ready.foreign(Some("m"), || Ok::<_, ()>(vec![1.0])).unwrap(), [1.0]);
        assert_eq!(*ready.foreign(Some("m"), || Err("asked again")).unwrap(), [1.0]);
        assert_eq!(*ready.foreign(None, || Ok::<_, ()>(vec![2.0])).unwrap(), [2.0]);
    }
}
