use crate::support::ken::User;

const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# Catches of the harbour\n",
    "\n",
    "The herring fleet lands its catch before dawn. The table counts barrels for each boat and each day."
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "metadata": {},
   "outputs": [
    {"name": "stdout", "output_type": "stream", "text": ["seventeen porcupines were counted\n"]},
    {"data": {"image/png": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB"}, "metadata": {}, "output_type": "display_data"}
   ],
   "source": [
    "barrels = read_table(\"herring.csv\", rows=barrel_rows)\n",
    "barrels.mean()"
   ]
  }
 ],
 "metadata": {"kernelspec": {"display_name": "Python 3", "name": "python3"}, "language_info": {"name": "python"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

#[test]
fn notebooks_are_found_by_what_people_write_in_them() {
    let user = User::new();
    user.document("catches.ipynb", NOTEBOOK);
    user.document("broken.ipynb", "{\"cells\": [");
    let ran = user.ken(&["index", "."]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(user.texts().iter().all(|text| !["cell_type", "porcupines", "iVBOR"].iter().any(|one| text.contains(one))));
    let search = ["search", "--json", "--full", "--kind", "chunk", "--type", "notebook", "--min-relevance", "0"];
    let ran = user.ken(&[&search[..], &["herring barrels"]].concat());
    let hit = ran.json()["results"][0]["hits"][0].clone();
    assert_eq!(hit["title"].as_str(), Some("Catches of the harbour"), "{ran:?}");
    assert!(hit["text"].as_str().unwrap().contains("```python\nbarrels = read_table(\"herring.csv\""), "{hit}");
    let line_of = |what: &str| 1 + NOTEBOOK.lines().position(|line| line.contains(what)).unwrap() as u64;
    let (first, last) = (line_of("The herring fleet"), line_of("barrels.mean()"));
    assert_eq!((hit["line_start"].as_u64(), hit["line_end"].as_u64()), (Some(first), Some(last)), "{hit}");
    assert_eq!(hit["state"].as_str(), Some("fresh"));
}

/// Texts of western Europe from before UTF-8.
#[test]
fn old_encodings_are_read() {
    let user = User::new();
    let text = "Der Schl\u{fc}ssel f\u{fc}r die Hafenschleuse h\u{e4}ngt neben der T\u{fc}r des Lotsenb\u{fc}ros.\n";
    user.document("schleuse.txt", text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect::<Vec<_>>());
    assert_eq!(user.ken(&["index", "."]).code, 0);
    assert!(user.texts().iter().any(|kept| kept.contains("Schlüssel für die Hafenschleuse")));
    let ran = user.ken(&["search", "--json", "--min-relevance", "0", "Lotsenbüros"]);
    assert_eq!(ran.json()["results"][0]["hits"][0]["state"].as_str(), Some("fresh"), "{ran:?}");
}
