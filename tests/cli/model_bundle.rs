//! A model carried to a machine without a network, as one file.

use crate::support::ken::{Ran, User, run};
use crate::support::tiny::Tiny;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

const MODEL: &str = "bge-small-en-v1.5-int8";
const QUESTION: &str = "terraform says somebody else is holding the lock on the state";

/// A command of somebody who has neither the hub nor any program.
fn alone(user: &User, arguments: &[&str]) -> Command {
    let mut command = user.command(arguments);
    let nothing = user.work().join("no programs");
    fs::create_dir_all(&nothing).unwrap();
    command.env("PATH", nothing);
    command
}

fn ken_alone(user: &User, arguments: &[&str]) -> Ran {
    run(alone(user, arguments), b"")
}

/// As small as the fast pass takes.
fn tiny() -> Tiny {
    Tiny { shape: (64, 2, 64), ..Tiny::bert() }
}

/// A bundle of such a model with the vectors of the packs, made once.
static BUNDLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let user = User::new();
    tiny().write(&user.work().join("tiny"));
    for arguments in [&["model", "import", "tiny"][..], &["model", "bundle", "tiny.ken", "tiny"]] {
        let ran = user.ken(arguments);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    fs::read(user.work().join("tiny.ken")).unwrap()
});

/// A user with the bundle in their folder.
fn with_file() -> User {
    let user = User::new();
    fs::write(user.work().join("tiny.ken"), &*BUNDLE).unwrap();
    user
}

/// The same who has taken it in.
fn with_bundle() -> User {
    let user = with_file();
    let ran = user.ken(&["model", "import", "tiny.ken"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
    user
}

/// The whole way with a real model.
#[test]
fn a_paraphrase_is_found_at_once_where_a_bundle_was_imported() {
    let here = User::new().with_model(MODEL);
    let ran = here.ken(&["model", "bundle", "model.ken"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
    assert!(ran.out.contains(MODEL) && ran.out.contains("ken model import model.ken"), "{ran:?}");
    let there = User::new();
    fs::rename(here.work().join("model.ken"), there.work().join("model.ken")).unwrap();
    let ran = ken_alone(&there, &["model", "import", "model.ken", "--json"]);
    assert_eq!((ran.code, ran.json()["state"].as_str(), ran.err.as_str()), (0, Some("imported"), ""), "{ran:?}");
    // Nothing is left to be embedded: the answer comes from all vectors, and no process makes more.
    let made = fs::read_dir(there.home().join("vectors")).unwrap().map(|entry| entry.unwrap().file_name());
    let made: Vec<_> = made.filter(|name| name.to_string_lossy().ends_with(".ann")).collect();
    let vectors = |user: &User| fs::read(user.home().join("vectors").join(&made[0])).unwrap();
    assert_eq!(made.len(), 1, "{made:?}");
    assert!(vectors(&here) == vectors(&there), "the vectors are those of the other machine");
    let ran = ken_alone(&there, &["lookup", "--json", QUESTION]);
    let result = ran.json()["results"][0].clone();
    assert_eq!((ran.code, result["semantic"].as_str(), result["verdict"].as_str()), (0, Some("on"), Some("close")));
    assert_eq!((result["hits"][0]["id"].as_str(), ran.err.as_str()), (Some("terraform-aws/state-lock"), ""));
    let ran = ken_alone(&there, &["model", "list"]);
    let row = ran.out.lines().find(|line| line.contains(MODEL)).unwrap().to_owned();
    assert!(row.starts_with("* ") && row.contains("from the bundle ") && row.contains("model.ken"), "{row}");
    assert_eq!(ken_alone(&there, &["model", "verify"]).code, 0);
    let again = ken_alone(&there, &["model", "import", "model.ken"]);
    assert!(again.code == 0 && again.out.contains("already installed") && again.err.is_empty(), "{again:?}");
    there.assert_sound();
    assert_eq!(ken_alone(&there, &["model", "rm", MODEL]).code, 0);
}

/// Own packs say what is private: nothing of them leaves, not even as a vector.
#[test]
fn vectors_of_own_packs_stay_here() {
    let user = with_bundle();
    let pack = r#"{"schema_version": 1, "pack": "own", "title": "Own", "entries": [{"id": "own/x",
        "title": "Our mill is on fire", "error_patterns": [], "symptoms": ["the mill burns down again"],
        "cause": "Straw.", "fix": ["Water."]}]}"#;
    user.write("canon/own.json", pack);
    assert_eq!(user.ken(&["model", "import", "tiny.ken"]).code, 0);
    let files = fs::read_dir(user.home().join("vectors")).unwrap().map(|entry| entry.unwrap().file_name());
    let sets = files.filter(|name| name.to_string_lossy().ends_with(".ann")).count();
    assert_eq!(sets, 2, "one with the own pack");
    assert_eq!(user.ken(&["model", "bundle", "tiny.ken", "tiny", "--force"]).code, 0);
    assert!(fs::read(user.work().join("tiny.ken")).unwrap() == *BUNDLE);
}

#[test]
fn a_calibration_of_the_users_own_travels_with_a_model_that_ships_with_none() {
    let user = with_bundle();
    let calibrated = |user: &User| {
        let models = user.ken(&["model", "list", "--json"]).json()["models"].clone();
        models.as_array().unwrap().iter().find(|model| model["name"] == "tiny").unwrap()["calibrated"].clone()
    };
    assert_eq!(calibrated(&user), false);
    let fit = "neighbours = 10\n[entries]\nweight = 2.0\noffset = -5.0\ncosine = 18.0\nwords = 8.0\nlength = 0.0\n\
               crowd = 18.0\nfall = 8.0\ngate = 0.5\nsemantic = { slope = 20.0, offset = -14.0 }\n";
    user.write("calibrations/tiny.toml", fit);
    let ran = user.ken(&["model", "bundle", "fitted.ken", "tiny"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
    let there = User::new();
    fs::rename(user.work().join("fitted.ken"), there.work().join("fitted.ken")).unwrap();
    assert_eq!(there.ken(&["model", "import", "fitted.ken"]).code, 0);
    assert_eq!(calibrated(&there), true);
}

#[test]
fn nothing_is_replaced_unasked() {
    let user = with_bundle();
    let ran = user.ken(&["model", "bundle", "tiny.ken", "tiny"]);
    assert!(ran.code == 2 && ran.err.contains("tiny.ken is there already") && ran.err.contains("--force"), "{ran:?}");
    let forced = user.ken(&["model", "bundle", "tiny.ken", "tiny", "--force", "--json"]);
    let said = forced.json();
    assert_eq!((forced.code, said["model"].as_str(), said["path"].as_str()), (0, Some("tiny"), Some("tiny.ken")));
    assert_eq!(said["bytes"].as_u64(), Some(BUNDLE.len() as u64));
    assert_eq!(said["command"], "ken model import tiny.ken");
    assert!(said["vectors"].as_u64() > Some(10_000), "{said}");
    assert!(fs::read(user.work().join("tiny.ken")).unwrap() == *BUNDLE, "the same model gives the same bytes");
    for (arguments, code) in [
        (&["model", "bundle", "none/x.ken", "tiny"][..], 9),
        (&["model", "bundle", ".", "tiny"], 2),
        (&["model", "bundle", ".", "tiny", "--force"], 2),
        (&["model", "bundle", "/dev/null", "tiny", "--force"], 2),
        (&["model", "bundle", "x.ken", "e5-small-v2"], 4),
        (&["model", "bundle", "x.ken", "no-such-model"], 2),
        (&["model", "bundle"], 2),
    ] {
        let ran = user.ken(arguments);
        assert!(ran.code == code && ran.err.contains("error:"), "{arguments:?}: {ran:?}");
    }
    let mut names: Vec<_> = fs::read_dir(user.work()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["tiny.ken"]);
    let full = user.on_bad_disk(&["model", "bundle", "y.ken", "tiny"], "KEN_SHIM_FULL_AFTER", "2");
    assert!(full.code == 9 && !user.work().join("y.ken").exists(), "{full:?}");
}

#[test]
fn what_is_wrong_with_a_file_is_told_with_its_code() {
    let there = User::new();
    let good = &*BUNDLE;
    let mut changed = good.clone();
    changed[good.len() / 2] ^= 1;
    for (what, bytes, code, told) in [
        ("cut.ken", &good[..good.len() / 2], 5, "copy the file again"),
        ("changed.ken", &changed[..], 5, "copy the file again"),
        ("text.ken", &b"a list of apples"[..], 2, "ken model bundle"),
        ("empty.ken", &b""[..], 2, "ken model bundle"),
    ] {
        crate::support::ken::write(&there.work().join(what), bytes);
        let ran = ken_alone(&there, &["model", "import", what]);
        assert!(ran.code == code && ran.err.contains(what) && ran.err.contains(told), "{what}: {ran:?}");
        let json = ken_alone(&there, &["--json", "model", "import", what]);
        assert!(json.code == code && json.json()["error"]["hint"].is_string(), "{what}: {json:?}");
    }
    let listed = there.ken(&["model", "list", "--json"]).json();
    assert!(listed["models"].as_array().unwrap().iter().all(|model| model["state"] == "absent"));
    assert_eq!(fs::read_dir(there.home().join("models")).into_iter().flatten().flatten().count(), 1, "the locks");
    assert_eq!(ken_alone(&there, &["model", "import", "nowhere.ken"]).code, 9);
    // The disk is full: the user's own file is named, and nothing is left.
    fs::write(there.work().join("tiny.ken"), good).unwrap();
    let full = there.on_bad_disk(&["model", "import", "tiny.ken"], "KEN_SHIM_FULL_AFTER", "2");
    assert!(full.code == 9 && full.err.contains("tiny.ken") && !full.err.contains(".staging"), "{full:?}");
    there.assert_sound();
}

/// Vectors of another model are not taken for this one's, whatever the file says of them.
#[test]
fn vectors_that_do_not_fit_are_made_again() {
    // The bundle says of the vectors that a model of another fingerprint made them.
    let there = with_file();
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&*BUNDLE)).unwrap();
    let mut out = zip::ZipWriter::new(fs::File::create(there.work().join("strange.ken")).unwrap());
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for at in 0..zip.len() {
        let (mut file, mut bytes) = (zip.by_index(at).unwrap(), Vec::new());
        std::io::Read::read_to_end(&mut file, &mut bytes).unwrap();
        if at == 0 {
            let mut contents: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            contents["vectors"]["model"] = "tiny@0123456789abcdef".into();
            bytes = serde_json::to_vec(&contents).unwrap();
        }
        out.start_file(file.name().unwrap().into_owned(), stored).unwrap();
        std::io::Write::write_all(&mut out, &bytes).unwrap();
    }
    out.finish().unwrap();
    // A folder of the model's name, where one works, is not the installed model.
    tiny().write(&there.work().join("tiny"));
    let ran = there.ken(&["model", "import", "strange.ken"]);
    assert!(ran.out.contains("imported") && there.home().join("models/tiny/installed.json").exists(), "{ran:?}");
    assert!(ran.code == 0 && ran.err.contains("they are made here"), "{ran:?}");
    // Under another name the fingerprint is another one too, and the vectors are still this model's.
    let ran = there.ken(&["model", "import", "tiny.ken", "--name", "mine"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
}

/// The bundle of a model whose weights are a large hole: taking it in lasts.
fn large(path: &Path) {
    let mut zip = zip::ZipWriter::new(fs::File::create(path).unwrap());
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let tiny = tiny();
    let files = tiny.files();
    let sizes = [files[0].1.len(), files[1].1.len(), 1 << 28];
    let entry = |at: usize| {
        let sha256 = if at < 2 { crate::support::sha256(&files[at].1) } else { "0".repeat(64) };
        serde_json::json!({"path": files[at].0, "size": sizes[at], "sha256": sha256})
    };
    let mut manifest = serde_json::to_value(tiny.manifest("one", Vec::new())).unwrap();
    for file in manifest["files"].as_array_mut().unwrap() {
        *file = serde_json::json!({"path": file["path"]});
    }
    let contents = serde_json::json!({
        "kind": "ken model bundle", "format": 1, "manifest": manifest, "files": [entry(0), entry(1), entry(2)],
        "vectors": null,
    });
    let text = serde_json::to_vec(&contents).unwrap();
    for (name, bytes) in [("ken-model-bundle.json", &text), (files[0].0, &files[0].1), (files[1].0, &files[1].1)] {
        zip.start_file(name, stored).unwrap();
        std::io::Write::write_all(&mut zip, bytes).unwrap();
    }
    // The header of the third file stands where the list of files would begin.
    drop(zip.finish().unwrap());
    let start = zip::ZipArchive::new(fs::File::open(path).unwrap()).unwrap().central_directory_start();
    let file = fs::File::options().write(true).open(path).unwrap();
    let name = files[2].0.as_bytes();
    let mut header = b"PK\x03\x04\x0a\0\0\0\0\0\0\0\x21\0\0\0\0\0".to_vec();
    header.extend((1_u32 << 28).to_le_bytes());
    header.extend((1_u32 << 28).to_le_bytes());
    header.extend((name.len() as u16).to_le_bytes());
    header.extend([0, 0]);
    header.extend(name);
    file.set_len(start).unwrap();
    file.write_all_at(&header, start).unwrap();
    file.set_len(start + header.len() as u64 + (1 << 28)).unwrap();
}

#[test]
fn an_import_that_is_killed_leaves_nothing_for_long() {
    let user = with_bundle();
    large(&user.work().join("large.ken"));
    let stagings = || {
        let entries = fs::read_dir(user.home().join("models")).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(".staging-")).collect::<Vec<_>>()
    };
    let mut child = user.command(&["model", "import", "large.ken", "--name", "tiny"]).spawn().unwrap();
    let since = Instant::now();
    while !stagings().iter().any(|path| path.join("model.safetensors").exists()) {
        assert!(since.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none(), "it was too quick");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!stagings().is_empty());
    // What was installed under that name is as it was, and whatever comes next takes the rest away.
    assert_eq!(user.ken(&["model", "verify", "tiny"]).code, 0);
    assert_eq!(user.ken(&["model", "import", "tiny.ken"]).code, 0);
    assert!(stagings().is_empty());
    user.assert_sound();
    let ran = user.ken(&["model", "import", "large.ken"]);
    assert!(ran.code == 5 && ran.err.contains("large.ken") && stagings().is_empty(), "{ran:?}");
    assert!(!user.home().join("models/one").exists());
}
