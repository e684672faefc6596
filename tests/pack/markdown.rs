use crate::support::ken::{User, section};
use std::fs;

#[test]
fn knowledge_goes_out_as_markdown_and_comes_back() {
    let user = User::new();
    user.document("a.md", format!("---\ntags: [one, \"two: 2\"]\n---\n{}{}", section(1, "One."), section(2, "Two.")));
    user.ken(&["index", "."]);
    user.ken(&["search", "--min-relevance", "0", "weather of the last weeks"]);
    let added = user.ken(&[
        "canon",
        "add",
        "--title",
        "The mill stops",
        "--cause",
        "No water: \"dry\".",
        "--fix",
        "Wait.",
        "--symptom",
        "the mill stands still",
    ]);
    assert_eq!(added.code, 0, "{added:?}");
    assert_eq!(user.ken(&["export", "--markdown", "out"]).code, 0);
    assert_eq!(user.ken(&["export", "--markdown", "out"]).code, 2, "what is there is not written over");
    let files: Vec<_> = fs::read_dir(user.work().join("out/chunk")).unwrap().flatten().collect();
    assert_eq!(files.len(), 2);
    let text = fs::read_to_string(files[0].path()).unwrap();
    assert!(text.starts_with("---\nid: \"chunk/") && text.contains("tags"), "{text}");

    let other = User::new();
    let folder = user.work().join("out");
    let ran = other.ken(&["import", "--json", folder.to_str().unwrap()]);
    assert_eq!(
        (ran.code, ran.json()["items"].as_u64(), ran.json()["entries"].as_u64()),
        (0, Some(2), Some(1)),
        "{ran:?}"
    );
    let kept = |user: &User| {
        let mut all = user.exported().split_off(1);
        all.retain(|record| record["type"] == "item" || record["type"] == "usage");
        all
    };
    assert_eq!(kept(&user), kept(&other));
    let entry =
        |user: &User| user.ken(&["lookup", "--json", "the mill stands still"]).json()["results"][0]["hits"].clone();
    assert!(!entry(&user).as_array().unwrap().is_empty());
    assert_eq!(entry(&user), entry(&other));
    // Again: all of it is known.
    let again = other.ken(&["import", "--json", folder.to_str().unwrap()]);
    assert_eq!((again.json()["items"].as_u64(), again.json()["entries"].as_u64()), (Some(0), Some(0)), "{again:?}");
    // A file that is none of an export stops all of it.
    fs::write(folder.join("chunk/x.md"), "# no front matter\n").unwrap();
    let third = User::new();
    let ran = third.ken(&["import", folder.to_str().unwrap()]);
    assert_eq!(third.ken(&["export"]).code, 3, "nothing came in");
    assert!(ran.code == 2 && ran.err.contains("x.md"), "{ran:?}");
}

#[test]
fn an_import_whose_packs_cannot_be_written_brings_no_items_either() {
    let user = User::new();
    user.document("a.md", section(1, "One."));
    user.ken(&["index", "."]);
    let add = ["canon", "add", "--title", "The mill stops", "--cause", "No water.", "--fix", "Wait."];
    assert_eq!(user.ken(&[&add[..], &["--symptom", "the mill stands still"]].concat()).code, 0);
    assert_eq!(user.ken(&["export", "--markdown", "out"]).code, 0);
    let folder = user.work().join("out");
    let import = ["import", "--json", folder.to_str().unwrap()];

    let other = User::new();
    // A file where the folder of packs belongs.
    other.write("canon", "in the way");
    assert_eq!(other.ken(&import).code, 9);
    assert_eq!(other.ken(&["export"]).code, 3, "nothing came in");
    // A pack that cannot be read is no pack that is not there: it is not written over.
    fs::remove_file(other.home().join("canon")).unwrap();
    other.write("canon/mine.json", [0xff, 0xfe]);
    assert_eq!(other.ken(&import).code, 9);
    assert_eq!(other.ken(&["export"]).code, 3, "nothing came in");
    assert_eq!(fs::read(other.home().join("canon/mine.json")).unwrap(), [0xff, 0xfe]);

    fs::remove_file(other.home().join("canon/mine.json")).unwrap();
    let ran = other.ken(&import);
    assert_eq!((ran.json()["items"].as_u64(), ran.json()["entries"].as_u64()), (Some(1), Some(1)), "{ran:?}");
}
