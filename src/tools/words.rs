//! Words of names: `getPullRequest`, `get_pull_request` and `GET /pulls/{pull_id}` are made of words like a sentence.

use crate::types::Tool;

/// The words of a name, in small letters. What stands in braces is a parameter, and left out.
pub fn name_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut depth, mut was_small) = (0usize, false);
    for letter in name.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_part = letter.is_alphanumeric() && depth == 0;
        if !is_part || (letter.is_uppercase() && was_small) {
            words.push(String::new());
        }
        if is_part && let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
        was_small = is_part && !letter.is_uppercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The words of what a tool is called. An operation of an HTTP interface has its method and path for a name; where its
/// description begins with an id, such as `issues/create`, it is called by that and by what its path ends in.
pub(super) fn called(tool: &Tool) -> Vec<String> {
    let id = operation_id(tool).map(name_words).unwrap_or_default();
    if id.is_empty() {
        return name_words(&tool.name);
    }
    let ends_in = tool.name.rsplit('/').find(|part| !part.is_empty() && !part.starts_with('{'));
    id.into_iter().chain(ends_in.map(name_words).unwrap_or_default()).collect()
}

/// The id of an operation: a word of letters at the beginning of its description, before what says more.
pub(super) fn operation_id(tool: &Tool) -> Option<&str> {
    const METHODS: [&str; 7] = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH"];
    let (method, _) = tool.name.split_once(" /")?;
    let id = tool.description.split([' ', '\n']).next()?;
    let id = id.strip_suffix('.').unwrap_or(id);
    let is_id = name_words(id).len() > 1 && !id.contains([',', ':', '(', '\'']);
    (METHODS.contains(&method) && is_id).then_some(id)
}

/// The singular of an English word, judged by its ending, so that `issues` and `issue` compare as equal. The result
/// need not be a word: `status` stays, but `gas` becomes `ga`, and does so everywhere.
pub(super) fn singular(word: &str) -> &str {
    match word {
        _ if word.len() < 4 || word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") => word,
        _ if word.ends_with("ies") => word.strip_suffix("ies").unwrap_or(word),
        _ if ["ches", "shes", "xes", "sses"].iter().any(|end| word.ends_with(end)) => {
            word.strip_suffix("es").unwrap_or(word)
        }
        _ if word.ends_with('y') => word.strip_suffix('y').unwrap_or(word),
        _ => word.strip_suffix('s').unwrap_or(word),
    }
}

/// Names of parameters that stand in braces, as in `/pulls/{pull_id}`.
pub(super) fn braced(name: &str) -> impl Iterator<Item = &str> {
    name.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_called_by_its_id_and_what_its_path_ends_in() {
        let called = |name: &str, description: &str| {
            let (name, description) = (name.to_owned(), description.to_owned());
            called(&Tool { name, description, ..Tool::default() }).join(" ")
        };
        let path = "POST /repos/{owner}/{repo}/issues";
        assert_eq!(called(path, "issues/create. Create an issue\n\nAnybody"), "issues create issues");
        assert_eq!(called("PUT /pulls/{id}/merge", "mergePull"), "merge pull merge");
        assert_eq!(called("GET /repos/{repo}", "repos/get. Get one"), "repos get repos");
        assert_eq!(called("GET /movie/{id}/credits", "Get credits. All of them"), "get movie credits");
        assert_eq!(called("GET /movie", "Movies. All of them"), "get movie");
        assert_eq!(called("create_issue", "issues/create. Create an issue"), "create issue");
    }

    #[test]
    fn names_fall_into_words() {
        let words = |name: &str| name_words(name).join(" ");
        assert_eq!(words("getPullRequest"), "get pull request");
        assert_eq!(words("nf-core/samtools_sort.v2"), "nf core samtools sort v2");
        assert_eq!(words("GET /movie/{movie_id}/credits"), "get movie credits");
        assert_eq!(words("HTTPServer {open"), "httpserver");
        let one = |word: &'static str| singular(word);
        for (many, single) in [
            ("issues", "issue"),
            ("repositories", "repository"),
            ("branches", "branch"),
            ("boxes", "box"),
            ("addresses", "address"),
            ("status", "status"),
            ("keys", "key"),
            ("gas", "gas"),
        ] {
            assert_eq!(one(many), one(single), "{many}");
        }
        assert_ne!(one("issue"), one("user"));
        assert_eq!(braced("/a/{x}/b/{y_id}/{").collect::<Vec<_>>(), ["x", "y_id"]);
    }
}
