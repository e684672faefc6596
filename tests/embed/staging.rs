//! Imports that are killed in the middle, and what is left of them.

use crate::support::ken::User;
use crate::support::tiny::Tiny;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn stagings(user: &User) -> Vec<PathBuf> {
    let entries = fs::read_dir(user.home().join("models")).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|p| p.file_name().unwrap().to_string_lossy().starts_with(".staging-"))
        .collect()
}

/// Kills an import while it copies weights that take a while.
fn killed(user: &User, name: &str) {
    let before = stagings(user).len();
    let mut child = user.command(&["model", "import", "large", "--name", name]).spawn().unwrap();
    let since = Instant::now();
    let begun = |path: &PathBuf| path.join("model.safetensors").exists();
    while stagings(user).iter().filter(|path| begun(path)).count() <= before {
        assert!(since.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none(), "it was too quick");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(stagings(user).len(), before + 1);
}

#[test]
fn what_a_killed_import_left_goes_with_whatever_comes_next() {
    let user = User::new();
    Tiny::quick().write(&user.work().join("tiny"));
    Tiny::quick().write(&user.work().join("large"));
    // A header of weights, and a hole of a gigabyte where the values would be.
    let tensor = format!(
        r#"{{"embeddings.word_embeddings.weight":{{"dtype":"F32","shape":[{}],"data_offsets":[0,{}]}}}}"#,
        1 << 28,
        1 << 30
    );
    let weights = fs::File::create(user.work().join("large/model.safetensors")).unwrap();
    weights.write_all_at(&(tensor.len() as u64).to_le_bytes(), 0).unwrap();
    weights.write_all_at(tensor.as_bytes(), 8).unwrap();
    weights.set_len(8 + tensor.len() as u64 + (1 << 30)).unwrap();
    killed(&user, "one");
    // One that is at work now is left alone, whoever cleans up.
    let mut child = user.command(&["model", "import", "large", "--name", "two"]).spawn().unwrap();
    let since = Instant::now();
    let is_second = |path: &PathBuf| path.to_string_lossy().contains("-two-");
    while !stagings(&user).iter().any(is_second) {
        assert!(since.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(2));
    }
    let ran = user.ken(&["model", "import", "tiny", "--name", "one"]);
    let left = stagings(&user);
    assert!(left.iter().all(|path| path.to_string_lossy().contains("-two-")), "{ran:?} {left:?}");
    child.kill().unwrap();
    child.wait().unwrap();

    let doctor = user.ken(&["doctor"]);
    if !stagings(&user).is_empty() {
        assert!(doctor.code == 8 && doctor.out.contains("stopped"), "{doctor:?}");
        assert_eq!(user.ken(&["doctor", "--repair"]).code, 0);
        assert!(stagings(&user).is_empty());
    }
    killed(&user, "three");
    let ran = user.ken(&["gc"]);
    assert!(ran.code == 0 && ran.err.contains("stopped") && stagings(&user).is_empty(), "{ran:?}");
    user.assert_sound();
}

/// Between two renames the old model lies aside and the new one is not there yet.
#[test]
fn a_model_that_had_made_way_is_put_back() {
    let user = User::new();
    Tiny::quick().write(&user.work().join("tiny"));
    assert_eq!(user.ken(&["model", "import", "tiny", "--name", "mine"]).code, 0);
    let models = user.home().join("models");
    fs::create_dir(models.join(".staging-mine-a1B2c3")).unwrap();
    fs::rename(models.join("mine"), models.join(".staging-mine-a1B2c3/old")).unwrap();
    assert_eq!(user.ken(&["gc"]).code, 0);
    assert!(stagings(&user).is_empty() && models.join("mine/installed.json").exists());
    user.assert_sound();
}

/// What an import names is there to be looked at.
#[test]
fn a_failed_import_names_what_is_missing() {
    let user = User::new();
    let ran = user.ken(&["model", "import", "nowhere"]);
    assert!(ran.code == 9 && ran.err.contains("nowhere") && ran.err.contains("hint:"), "{ran:?}");
    Tiny::quick().write(&user.work().join("tiny"));
    fs::remove_file(user.work().join("tiny/1_Pooling/config.json")).unwrap();
    let ran = user.ken(&["model", "import", "tiny"]);
    assert!(ran.code == 4 && ran.err.contains("1_Pooling: there is no config.json"), "{ran:?}");
    for (what, code, named) in [("nowhere.jsonl", 9, "nowhere.jsonl"), ("tiny", 2, "tiny: there is no records.jsonl")] {
        let ran = user.ken(&["import", what]);
        assert!(ran.code == code && ran.err.contains(named) && ran.err.contains("ken export"), "{ran:?}");
    }
    Tiny::quick().write(&user.work().join("tiny"));
    let full = user.on_bad_disk(&["model", "import", "tiny"], "KEN_SHIM_FULL_AFTER", "2");
    assert!(full.code == 9 && !full.err.contains(".staging"), "{full:?}");
}
