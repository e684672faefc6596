use crate::support::ken::{Ran, User};
use serde_json::{Value, json};

/// A user with a pack that knows of one failure of buckets and has two variants.
fn user() -> User {
    let user = User::new();
    let pack = json!({"schema_version": 2, "pack": "team", "title": "Team", "entries": [{
        "id": "team/vault", "title": "The vault does not answer",
        "error_patterns": [{"name": "sealed", "pattern": "vault at \\S+ is sealed"}, {"name": "gone", "pattern": "vault at \\S+ is gone"}],
        "cause": ["The vault answers nobody.", {"text": "Somebody restarted it.", "when": ["sealed"]}],
        "fix": ["Look: `vault status`.", {"text": "Unseal it: `vault operator unseal`.", "when": ["sealed"]},
            {"text": "Make it anew: `vault operator init`.", "when": ["gone"], "loses": "every secret of the old one"},
            {"text": "`apt-get install vault`", "when": ["gone"], "on": ["debian"]}],
        "plan": [{"resource": ["vault_mount"], "actions": ["delete", "replace"], "risk": "high",
            "text": "All secrets below {path} are lost."}]}]});
    user.write("canon/team.json", pack.to_string());
    user
}

fn plan(actions: &[&str]) -> Vec<u8> {
    json!({"format_version": "1.2", "resource_changes": [{"address": "vault_mount.kv[0]", "mode": "managed",
        "type": "vault_mount", "change": {"actions": actions, "before": {"path": "kv"}, "after": {"path": "kv"}}}]})
    .to_string()
    .into_bytes()
}

fn advice(ran: &Ran) -> Value {
    ran.json()["results"][0]["hits"][0].clone()
}

#[test]
fn a_plan_is_held_against_what_is_known() {
    let user = user();
    let ran = user.ken_with(&["check", "-"], &plan(&["delete", "create"]));
    assert_eq!(ran.code, 8, "{ran:?}");
    assert!(
        ran.out.starts_with("high    replace  vault_mount.kv  team/vault\n        All secrets below kv are lost.\n")
    );
    assert!(ran.out.ends_with("1 change; risks: 1 high\n"), "{ran:?}");
    assert_eq!(user.ken_with(&["check", "-", "--fail-on", "never"], &plan(&["delete"])).code, 0);
    let clean = user.ken_with(&["check"], &plan(&["update"]));
    assert_eq!((clean.code, clean.out.as_str()), (0, "1 change, and no known failure is likely.\n"));
    let file = user.document("plan.json", plan(&["delete"]));
    let ran = user.ken(&["check", "--json", file.to_str().unwrap()]);
    let finding = &ran.json()["findings"][0];
    assert_eq!((ran.code, &finding["action"], &finding["risk"]), (8, &json!("delete"), &json!("high")), "{ran:?}");
}

#[test]
fn a_validation_is_looked_up() {
    let user = user();
    let validation = json!({"valid": false, "diagnostics": [
        {"severity": "warning", "summary": "Nothing that anybody knows of", "detail": ""},
        {"severity": "error", "summary": "no secrets", "detail": "vault at v1.example is sealed",
         "range": {"filename": "main.tf", "start": {"line": 7, "column": 1, "byte": 3}}}]});
    let ran = user.ken_with(&["check", "--json"], validation.to_string().as_bytes());
    let findings = ran.json()["findings"].clone();
    assert_eq!((ran.code, &findings[0]["id"], &findings[0]["address"]), (8, &json!("team/vault"), &json!("main.tf:7")));
    assert_eq!((&findings[1]["id"], &findings[1]["risk"]), (&Value::Null, &json!("low")));
}

#[test]
fn what_is_no_plan_is_refused_with_a_hint() {
    let user = user();
    for (input, part) in [
        (&b"PK\x03\x04\x14\0\0\0"[..], "terraform show -json PLAN > plan.json"),
        (b"Terraform will perform the following actions:", "this is no JSON"),
        (b"[1, 2]", "neither a plan nor a validation"),
        (br#"{"values": {}, "terraform_version": "1.9"}"#, "this is a state"),
        (br#"{"resource_changes": {"a": 1}}"#, "this plan of Terraform cannot be read"),
        (b"", ""),
    ] {
        let ran = user.ken_with(&["check", "-"], input);
        assert!(ran.code == 2 && ran.err.contains(part) && ran.out.is_empty(), "{part}: {ran:?}");
    }
    assert_eq!(user.ken(&["check", "nowhere.json"]).code, 9);
    let deep = format!("{{\"resource_changes\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(user.ken_with(&["check"], deep.as_bytes()).code, 2);
}

#[test]
fn an_answer_has_what_fits_the_message() {
    let user = user();
    let sealed = user.ken(&["lookup", "--json", "vault at v1.example is sealed"]);
    let hit = advice(&sealed);
    assert_eq!(hit["cause"], "The vault answers nobody. Somebody restarted it.");
    assert_eq!(hit["fix"], json!(["Look: `vault status`.", "Unseal it: `vault operator unseal`."]));
    assert_eq!((&hit["variants"], &hit["other_steps"]), (&json!(["sealed"]), &json!(2)));
    assert_eq!(hit.get("destructive"), None);
    let hit = advice(&user.ken(&["lookup", "--json", "/Users/ann: vault at v1.example is gone"]));
    assert_eq!(hit["fix"], json!(["Look: `vault status`.", "Make it anew: `vault operator init`."]));
    assert_eq!(hit["destructive"], json!([{"step": 2, "loses": "every secret of the old one"}]));
    let text = user.ken(&["lookup", "vault at v1.example is gone"]).out;
    assert!(
        text.contains("Loses every secret of the old one.") && text.contains("Debian, Ubuntu: apt-get install vault\n"),
        "{text}"
    );
    let all = user.ken(&["canon", "show", "team/vault"]).out;
    assert!(
        all.contains("Case \"sealed\": Unseal it")
            && all.contains("Loses every secret")
            && all.contains("gone: vault at")
    );
}

/// Plans that other people wrote: each finding is judged, each right one is found again, and clean plans have none.
#[test]
fn findings_in_plans_of_others_are_the_judged_ones() {
    let user = User::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/plans");
    let judged = std::fs::read_to_string(format!("{folder}/judged.jsonl")).unwrap();
    let key = |finding: &Value| ["id", "address", "risk"].map(|field| finding[field].to_string());
    for line in judged.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let name = line["plan"].as_str().unwrap();
        let report = user.ken(&["check", "--json", &format!("{folder}/{name}")]).json();
        let mut found: Vec<_> = report["findings"].as_array().unwrap().iter().map(key).collect();
        let mut known: Vec<_> = line["findings"].as_array().unwrap().iter().map(key).collect();
        assert_eq!((found.sort(), &found), (known.sort(), &known), "{name}");
        assert!(line["findings"].as_array().unwrap().iter().all(|one| one["verdict"] != "false"), "{name}");
        assert!(!(name.starts_with("clean") || name.starts_with("quiet")) || found.is_empty(), "{name}");
    }
}

#[test]
fn without_a_plan_the_hint_says_how_one_is_made() {
    let user = User::new();
    std::fs::write(user.work().join("plan.json"), "\n").unwrap();
    for arguments in [&["check"][..], &["check", "-"], &["check", "plan.json"]] {
        let ran = user.ken(arguments);
        assert_eq!(ran.code, 2, "{ran:?}");
        let told = "error: there is no plan to read\nhint: `terraform show -json plan.bin | ken check -`";
        assert!(ran.err.contains(told), "{ran:?}");
    }
}
