use crate::support::home;
use crate::support::ken::{User, run};

#[test]
fn without_a_network_a_pull_fails_clearly() {
    let user = User::new();
    let mut command = user.command(&["model", "pull"]);
    command.env("HF_HUB_OFFLINE", "0").env("HF_ENDPOINT", "http://127.0.0.1:9").env("KEN_PIP", "ken-no-such-pip");
    let ran = run(command, b"");
    assert_eq!(ran.code, 4, "the last way failed for want of pip: {ran:?}");
    assert!(ran.err.contains("127.0.0.1:9") && ran.err.contains("hint:"), "{ran:?}");
    let offline = user.ken(&["model", "pull", "--json"]);
    assert_eq!((offline.code, offline.json()["error"]["kind"].as_str()), (10, Some("network")));
    assert!(offline.json()["error"]["hint"].as_str().unwrap().contains("HF_HUB_OFFLINE"));
}

#[test]
fn unknown_and_absent_models_are_told_apart() {
    let user = User::new();
    let unknown = user.ken(&["model", "pull", "bge-smal-en-v1.5"]);
    assert!(
        unknown.code == 2 && format!("{}{}", unknown.err, unknown.out).contains("bge-small-en-v1.5"),
        "{unknown:?}"
    );
    let absent = user.ken(&["model", "verify"]);
    assert!(absent.code == 4 && absent.err.contains("ken model pull"), "{absent:?}");
    let models = user.ken(&["model", "list", "--json"]).json();
    assert!(models["models"].as_array().unwrap().iter().all(|m| m["state"] == "absent"));
}

/// The whole way with a real model: listed, verified, used, and a paraphrase is found.
#[test]
fn a_paraphrase_is_found_with_the_model() {
    home::installed("bge-small-en-v1.5-int8");
    let user = User::new();
    let with_home = |arguments: &[&str]| {
        let mut command = user.command(arguments);
        command.env("KEN_HOME", home::dir());
        run(command, b"")
    };
    let listed = with_home(&["model", "list", "--json"]).json();
    let active: Vec<_> = listed["models"].as_array().unwrap().iter().filter(|m| m["active"] == true).collect();
    assert_eq!(active[0]["name"], "bge-small-en-v1.5-int8");
    assert_eq!(with_home(&["model", "verify"]).code, 0);
    let question = "terraform says somebody else is holding the lock on the state";
    let ran = with_home(&["lookup", "--json", "--explain", question]);
    let result = ran.json()["results"][0].clone();
    assert_eq!((ran.code, result["semantic"].as_str(), result["verdict"].as_str()), (0, Some("on"), Some("close")));
    assert_eq!(result["hits"][0]["id"], "terraform-aws/state-lock");
    assert!(result["hits"][0]["explain"]["margin"].as_f64().unwrap() >= 0.0);
    let silent = with_home(&["lookup", "--json", "my grandmother's apple pie recipe needs more cinnamon"]);
    assert_eq!((silent.code, silent.json()["results"][0]["semantic"].as_str()), (1, Some("on")));
}

/// `KEN_HOME` is enough for a model that is there; only a pull from the hub needs another folder.
#[test]
fn an_installed_model_is_used_without_a_home_directory() {
    home::installed("bge-small-en-v1.5-int8");
    let user = User::new();
    let homeless = |home: &std::path::Path, arguments: &[&str]| {
        let mut command = user.command(arguments);
        command.env("KEN_HOME", home).env_remove("HF_HOME");
        run(command, b"")
    };
    let listed = homeless(&home::dir(), &["model", "list", "--json"]).json();
    let active: Vec<_> = listed["models"].as_array().unwrap().iter().filter(|m| m["active"] == true).collect();
    assert_eq!(
        (active[0]["name"].as_str(), active[0]["state"].as_str()),
        (Some("bge-small-en-v1.5-int8"), Some("ready"))
    );
    let question = "terraform says somebody else is holding the lock on the state";
    let ran = homeless(&home::dir(), &["lookup", "--dry-run", "--json", question]);
    assert_eq!((ran.code, ran.json()["results"][0]["semantic"].as_str()), (0, Some("on")), "{ran:?}");
    let mut pull = user.command(&["model", "pull"]);
    pull.env_remove("HF_HOME").env_remove("HF_HUB_OFFLINE").env("HF_ENDPOINT", "http://127.0.0.1:9");
    let ran = run(pull, b"");
    assert!(ran.code == 2 && ran.err.contains("hint: set HF_HUB_CACHE"), "{ran:?}");
}

/// The folder that an import fills aside is gone when the message is read.
#[cfg(unix)]
#[test]
fn an_import_on_a_full_disk_names_what_the_user_gave() {
    let user = User::new();
    let model = user.work().join("my-model");
    crate::support::tiny::Tiny::bert().write(&model);
    let mut command = std::process::Command::new("sh");
    let ken = user.command(&["model", "import", "my-model"]);
    // No file may grow beyond 16 blocks of 512 bytes.
    let script = format!("trap '' XFSZ; ulimit -f 16; exec {} model import my-model", env!("CARGO_BIN_EXE_ken"));
    command.arg("-c").arg(script).env_clear().current_dir(user.work());
    command.envs(ken.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let ran = run(command, b"");
    assert!(ran.code == 9, "{ran:?}");
    let named = model.join("model.safetensors").canonicalize().unwrap();
    assert!(ran.err.contains(named.to_str().unwrap()) && !ran.err.contains("staging"), "{ran:?}");
}

#[test]
fn a_missing_model_is_named_in_the_hint() {
    let user = User::new();
    for arguments in [
        &["--model", "e5-small-v2", "lookup", "something odd"][..],
        &["model", "use", "e5-small-v2"],
        &["--model", "e5-small-v2", "model", "path"],
    ] {
        let ran = user.ken(arguments);
        assert!(ran.code == 4 && ran.err.contains("ken model pull e5-small-v2"), "{arguments:?}: {ran:?}");
    }
}

#[test]
fn a_length_that_leaves_no_room_is_bad_input() {
    let user = User::new();
    let model = user.work().join("my-model");
    for length in [0, 1, 3] {
        crate::support::tiny::Tiny { max_seq_length: Some(length), ..crate::support::tiny::Tiny::bert() }.write(&model);
        for arguments in [&["model", "import", "my-model"][..], &["--model", "./my-model", "lookup", "something odd"]] {
            let ran = user.ken(arguments);
            assert!(ran.code == 4, "{ran:?}");
            let said = format!("sentence_bert_config.json: max_seq_length = {length}; 4 to 24 are allowed");
            assert!(ran.err.contains(&said), "{ran:?}");
        }
    }
}
