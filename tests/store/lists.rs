//! Lists of words of a store in PostgreSQL that do not fit its items: `ken doctor` says so and mends them.

use super::turns::{Machine, item};
use crate::support::ken::User;

/// What drifts apart where no trigger runs, the exit code, and what the doctor says.
const DAMAGES: [(&str, i32, &str); 5] = [
    (
        "DELETE FROM item_words WHERE item = 1",
        8,
        "wrong words-missing: 1 items without words that the totals do not count",
    ),
    (
        "DELETE FROM item WHERE id = 1",
        8,
        "wrong words-left: 1 items that are gone or in another scope still have words",
    ),
    (
        "UPDATE item_words SET born = 99 WHERE item = 1",
        8,
        "wrong words-left: the lists of words name 1 items that have no words",
    ),
    ("UPDATE word_total SET tokens = 0", 8, "wrong word-totals: 1 scopes have wrong totals of items or words"),
    ("UPDATE posting SET entries = ''", 5, "lists of words cannot be read"),
];

#[test]
fn the_doctor_finds_and_mends_lists_of_words_that_do_not_fit_the_items() {
    for (damage, code, said) in DAMAGES {
        let user = User::sharing();
        Machine::at(user.store().unwrap(), false, None)
            .put(vec![item("a", "The lamps of the pier."), item("b", "Keys of May.")]);
        assert_eq!(user.ken(&["doctor"]).code, 0);
        let drift = format!("SET session_replication_role = replica; SET search_path = kenning; {damage}");
        user.client().batch_execute(&drift).unwrap();
        let found = user.ken(&["doctor"]);
        assert!(found.code == code && found.out.contains(said), "{damage}: {found:?}");
        assert!(found.out.ends_with("`ken doctor --repair` repairs it.\n"), "{found:?}");
        let mended = user.ken(&["doctor", "--repair"]);
        assert!(mended.code == 0 && mended.out.ends_with("All of it is mended.\n"), "{damage}: {mended:?}");
        assert_eq!(user.ken(&["doctor"]).code, 0, "{damage}");
        let found = user.ken(&["search", "--min-relevance", "0", "keys may"]);
        assert!(found.out.contains("Keys of May"), "{damage}: {found:?}");
        let lacking = "SELECT FROM kenning.word_total WHERE items <> documents";
        assert!(user.client().query(lacking, &[]).unwrap().is_empty(), "{damage}");
    }
}

/// Items without words in a new copy are reported by status, and are no fault.
#[test]
fn items_that_are_known_to_lack_words_are_no_fault() {
    let user = User::sharing();
    Machine::at(user.store().unwrap(), false, None).put(vec![item("a", "The lamps of the pier.")]);
    user.client().batch_execute("DELETE FROM kenning.item_words").unwrap();
    let status = user.ken(&["status"]);
    assert!(status.out.contains("items that are not found by words yet: 1 (`ken gc`)"), "{status:?}");
    assert_eq!(user.ken(&["doctor"]).code, 0);
}
