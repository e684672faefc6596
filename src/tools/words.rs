//! Words of names: `getPullRequest`, `get_pull_request` and `GET /pulls/{pull_id}` are made of words like a sentence.

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

/// Names of parameters that stand in braces, as in `/pulls/{pull_id}`.
pub(super) fn braced(name: &str) -> impl Iterator<Item = &str> {
    name.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_words() {
        let words = |name: &str| name_words(name).join(" ");
        assert_eq!(words("getPullRequest"), "get pull request");
        assert_eq!(words("nf-core/samtools_sort.v2"), "nf core samtools sort v2");
        assert_eq!(words("GET /movie/{movie_id}/credits"), "get movie credits");
        assert_eq!(words("HTTPServer {open"), "httpserver");
        assert_eq!(braced("/a/{x}/b/{y_id}/{").collect::<Vec<_>>(), ["x", "y_id"]);
    }
}
