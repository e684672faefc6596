//! An address of PostgreSQL in a build without its client.

use crate::support::ken::User;

#[test]
fn a_build_without_the_client_says_so() {
    let user = User::at("postgres://team:secret@db.example/kenning");
    for arguments in [
        &["status"][..],
        &["search", "anything"],
        &["index", "."],
        &["store", "copy", "--to", "postgres://team:secret@other.example/kenning"],
    ] {
        let ran = user.ken(arguments);
        assert_eq!(ran.code, 2, "{arguments:?}: {ran:?}");
        assert!(ran.err.contains("this ken has no client for PostgreSQL"), "{arguments:?}: {ran:?}");
        assert!(ran.err.contains("--features postgres"), "{arguments:?}: {ran:?}");
        assert!(!ran.err.contains("secret") && !ran.out.contains("secret"), "{arguments:?}: {ran:?}");
    }
    let looked = user.ken(&["lookup", "fatal: refusing to merge unrelated histories"]);
    assert!(looked.code == 0 && looked.out.contains("--allow-unrelated-histories"), "{looked:?}");
}
