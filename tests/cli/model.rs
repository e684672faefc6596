use crate::support::home;
use crate::support::ken::{User, run};

#[test]
fn without_a_network_a_pull_fails_clearly() {
    let user = User::new();
    let mut command = user.command(&["model", "pull"]);
    command.env("HF_HUB_OFFLINE", "0").env("HF_ENDPOINT", "http://127.0.0.1:9").env("KEN_PIP", "ken-no-such-pip");
    let ran = run(command, b"");
    assert!(ran.code == 10 || ran.code == 4, "{ran:?}");
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
        unknown.code != 0 && format!("{}{}", unknown.err, unknown.out).contains("bge-small-en-v1.5"),
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
