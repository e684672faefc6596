//! Items that programs put in: what is stored, found, listed and deleted, and who learns of it.

use crate::store::churn::reader::engine;
use crate::support::home;
use crate::support::ken::User;
use kenning::config::Settings;
use kenning::embed::EncoderSettings;
use kenning::error::{Diagnose, ErrorKind};
use kenning::serve::{
    Answered, Caller, DeleteItemsRequest, ItemRequest, ListItemsRequest, PackRequest, PutItemsRequest, RequestError,
    Service,
};
use kenning::types::{Access, Answer, Content, Role, Scope, Semantic};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const MODEL: &str = "bge-small-en-v1.5-int8";

const KEYS: &str = "Signing keys are rotated every ninety days; the engineer on call runs the script and announces it.";
const BEES: &str = "Bees are kept behind the orchard wall, where the morning sun reaches the hives first.";
const OPERA: &str = "The opera in Verona sells its best seats in January, long before the season begins.";

/// A service of a user's home.
struct House {
    user: User,
    service: Service,
}

fn read<T: DeserializeOwned>(request: Value) -> T {
    serde_json::from_value(request).unwrap()
}

impl House {
    fn new() -> Self {
        let user = User::new().with_model(MODEL);
        let service = Service::new(engine(&user.home(), None), Settings::default(), user.work(), || 1_700_000_000_000);
        Self { user, service }
    }

    fn put(&self, items: Value) -> Result<Value, RequestError> {
        self.put_as(&Access::all(), items)
    }

    fn put_as(&self, access: &Access, items: Value) -> Result<Value, RequestError> {
        let put = self.service.put_items(read(json!({ "items": items })), caller(access))?;
        Ok(serde_json::to_value(put.value).unwrap())
    }

    fn search(&self, request: Value) -> Result<Answer, RequestError> {
        self.search_as(&Access::all(), request)
    }

    /// Whatever is found at all, but for entries of packs.
    fn search_as(&self, access: &Access, mut request: Value) -> Result<Answer, RequestError> {
        for (key, value) in [("min_relevance", json!(0.0)), ("kinds", json!(["chunk", "fact"])), ("limit", json!(50))] {
            request.as_object_mut().unwrap().entry(key).or_insert(value);
        }
        Ok(self.service.search(read(request), caller(access))?.value)
    }

    /// Ids of what is found, best first.
    fn found(&self, request: Value) -> Vec<String> {
        own_ids(&self.search(request).unwrap())
    }

    fn item(&self, access: &Access, id: &str, scope: &str) -> Option<Value> {
        let request: ItemRequest = read(json!({"id": id, "scope": scope}));
        let found = self.service.item(request, caller(access)).unwrap().value;
        found.map(|found| serde_json::to_value(found).unwrap())
    }

    /// Ids of a page, and where the next one begins.
    fn listed(&self, access: &Access, request: Value) -> (Vec<String>, Option<String>) {
        let page = self.service.list_items(read::<ListItemsRequest>(request), caller(access)).unwrap().value;
        (page.items.into_iter().map(|stored| stored.item.id).collect(), page.next)
    }

    fn delete(&self, access: &Access, id: &str, scope: &str) -> usize {
        let request: ItemRequest = read(json!({"id": id, "scope": scope}));
        self.service.delete_item(request, caller(access)).unwrap().value.deleted
    }

    fn delete_all(&self, access: &Access, request: Value) -> Result<usize, RequestError> {
        let request: DeleteItemsRequest = read(request);
        Ok(self.service.delete_items(request, caller(access))?.value.deleted)
    }

    fn why_not(&self, access: &Access, id: &str) -> String {
        let answer = self.search_as(access, json!({"query": "keys", "why_not": id})).unwrap();
        let why = answer.results[0].why_not.as_ref().unwrap();
        format!("{}: {}", why.stage, why.reason)
    }

    /// Whether the bytes stand in any file of the data directory. Another process copies the files first: whoever
    /// closes a file of an open database takes the locks from it.
    fn on_disk(&self, bytes: &[u8]) -> bool {
        let copy = tempfile::tempdir().unwrap();
        let mut cp = std::process::Command::new("cp");
        let copied = cp.args(["-r", "--no-dereference"]).arg(self.user.home()).arg(copy.path()).status();
        assert!(copied.unwrap().success());
        let files = std::fs::read_dir(copy.path().join("ken")).unwrap().flatten().map(|entry| entry.path());
        let mut files = files.filter(|path| path.is_file());
        files.any(|path| std::fs::read(path).unwrap().windows(bytes.len()).any(|window| window == bytes))
    }
}

fn caller(access: &Access) -> Caller<'_> {
    Caller { access, ..Caller::owner(&|| false) }
}

fn only(scopes: &[&str]) -> Access {
    Access::only(scopes.iter().map(|scope| Scope::repository(*scope)).collect())
}

fn own_ids(answer: &Answer) -> Vec<String> {
    let hits = answer.results[0].hits.iter();
    let own = |content: &Content| match content {
        Content::Passage(passage) => passage.item.as_ref().map(|item| item.id.clone()),
        Content::Advice(_) => None,
    };
    hits.map(|hit| own(&hit.content).unwrap_or_else(|| hit.id.clone())).collect()
}

/// As the index has the vector of a text.
fn vector(text: &str) -> Vec<f32> {
    let encoder = home::encoder(MODEL, EncoderSettings::default());
    encoder.encode(&[text], Role::Passage, &mut |_| {}).unwrap().remove(0).vector
}

fn refused<T>(result: Result<T, RequestError>, told: &str) {
    let error = result.err().unwrap_or_else(|| panic!("not refused: {told}"));
    assert!(error.to_string().contains(told), "{error}");
    assert!(error.kind() == ErrorKind::Usage && error.hint().is_some(), "{error}: {:?}", error.hint());
}

#[test]
fn an_item_is_found_until_it_is_changed_or_deleted() {
    let house = House::new();
    let all = json!([
        {"id": "keys", "title": "Keys", "text": KEYS, "kind": "fact", "tags": ["ops"], "attributes": {"year": 2026}},
        {"id": "bees", "text": BEES},
        {"id": "opera", "text": OPERA},
    ]);
    let put = house.put(all.clone()).unwrap();
    assert_eq!(put, json!({"added": 3, "updated": 0, "unchanged": 0, "embedded": 3, "semantic": true}));
    assert_eq!(
        house.put(all).unwrap(),
        json!({"added": 0, "updated": 0, "unchanged": 3, "embedded": 0, "semantic": true})
    );

    // In other words, by words alone, by its vector, and by what is like it.
    let answer = house.search(json!({"query": "how often are credentials replaced"})).unwrap();
    assert_eq!((answer.results[0].semantic, own_ids(&answer)[0].as_str()), (Semantic::On, "keys"));
    let hit = serde_json::to_value(&answer.results[0].hits[0]).unwrap();
    assert_eq!(hit["item"], json!({"id": "keys", "scope": "global", "attributes": {"year": 2026}}));
    assert!(hit["id"].as_str().unwrap().starts_with("item/") && hit["kind"] == "fact", "{hit}");
    assert_eq!(house.found(json!({"query": "orchard hives"}))[0], "bees");
    let of_bees = vector(BEES);
    let answer = house.search(json!({"vector": of_bees.iter().map(|x| x * 7.5).collect::<Vec<_>>()})).unwrap();
    assert_eq!(own_ids(&answer)[0], "bees");
    assert!(answer.results[0].hits[0].relevance > answer.results[0].hits[1].relevance);
    let id = answer.results[0].hits[0].id.clone();
    for like in ["bees", &id] {
        let mut found = house.found(json!({ "like": like }));
        found.sort();
        assert_eq!(found, ["keys", "opera"], "and not itself");
    }

    // What only changes beside the text is not embedded again.
    let changed = json!([{"id": "bees", "text": BEES, "attributes": {"hives": 4}}]);
    assert_eq!(house.put(changed).unwrap()["embedded"], 0);
    assert_eq!(house.found(json!({"query": "orchard", "where": "hives = 4"})), ["bees"]);
    let stored = house.item(&Access::all(), "bees", "global").unwrap();
    assert_eq!((&stored["text"], &stored["attributes"]), (&json!(BEES), &json!({"hives": 4})));

    let report = house.put(json!([{"id": "bees", "text": "Geese live at the pond behind the barn."}])).unwrap();
    assert_eq!((&report["updated"], &report["embedded"]), (&json!(1), &json!(1)));
    let texts = |request: Value| serde_json::to_string(&house.search(request).unwrap()).unwrap();
    assert!(!texts(json!({"query": "orchard hives", "full": true})).contains("orchard wall"));
    assert!(!texts(json!({"vector": of_bees, "full": true})).contains("orchard wall"));
    assert_eq!(house.found(json!({"query": "geese at the pond"}))[0], "bees");

    let of_keys = vector(&format!("Keys\n{KEYS}"));
    let bytes: Vec<u8> = of_keys.iter().flat_map(|value| value.to_le_bytes()).collect();
    assert!(house.on_disk(b"announces it") && house.on_disk(&bytes[..64]));
    assert_eq!(house.delete(&Access::all(), "keys", "global"), 1);
    assert_eq!(house.delete(&Access::all(), "keys", "global"), 0);
    assert!(house.item(&Access::all(), "keys", "global").is_none());
    for request in [json!({"query": "signing keys rotated"}), json!({"vector": of_keys}), json!({"like": "opera"})] {
        assert!(!house.found(request).contains(&"keys".to_owned()));
    }
    refused(house.search(json!({"like": "keys"})), "nothing is indexed under keys");
    assert!(!house.on_disk(b"announces it") && !house.on_disk(&bytes[..64]), "with every trace");
    house.user.assert_sound();

    // Deleted is not forgotten: its program may put it in again, and so it may after somebody has forgotten it.
    house.put(json!([{"id": "keys", "text": KEYS}])).unwrap();
    let id = house.search(json!({"query": "signing keys"})).unwrap().results[0].hits[0].id.clone();
    assert_eq!(house.user.ken(&["forget", &id]).code, 0);
    assert!(house.item(&Access::all(), "keys", "global").is_none());
    house.put(json!([{"id": "keys", "text": KEYS}])).unwrap();
    assert_eq!(house.found(json!({"query": "signing keys"}))[0], "keys");
    assert_eq!(house.user.ken(&["forget", "--list"]).out, "Nothing was forgotten by id.\n");
    // An indexing of files leaves them alone.
    house.user.document("a.md", "# Farm\n\nSheep graze on the hill beyond the brook.\n");
    assert_eq!(house.user.ken(&["index", "."]).code, 0);
    house.user.ken(&["index"]);
    assert_eq!(house.listed(&Access::all(), json!({})).0, ["bees", "keys", "opera"]);
    assert_eq!(house.user.ken(&["status", "--json"]).json()["gone"], json!([]));
    house.user.assert_sound();
}

#[test]
fn one_bad_item_keeps_the_whole_batch_out() {
    let house = House::new();
    house.put(json!([{"id": "a", "text": "An old text."}])).unwrap();
    let long = |length: usize| "x".repeat(length);
    for (bad, told) in [
        (json!({"id": "", "text": "t"}), "item 2 of the batch: the id is empty"),
        (json!({"id": "b\u{1}", "text": "t"}), "item 2 of the batch: the id holds control characters"),
        (json!({"id": long(257), "text": "t"}), "the id has 257 bytes, 256 are allowed"),
        (json!({"id": "b", "text": " \n"}), "the text is empty"),
        (json!({"id": "b", "text": long(65_537)}), "the text has 65537 bytes, 65536 are allowed"),
        (json!({"id": "b", "text": "t", "title": long(1_025)}), "the title has 1025 bytes"),
        (json!({"id": "b", "text": "t", "kind": "page"}), "item 2 of the batch: page is no kind of item"),
        (json!({"id": "b", "text": "t", "kind": "canon"}), "choose another kind"),
        (json!({"id": "b", "text": "t", "scope": ""}), "the scope is empty"),
        (json!({"id": "b", "text": "t", "tags": ["x\n"]}), "a tag holds control characters"),
        (json!({"id": "b", "text": "t", "attributes": {"a b": 1}}), "\"a b\" is no key"),
        (
            json!({"id": "b", "text": "t", "attributes": {"a": {"b": 1}}}),
            "item 2 of the batch: attribute a: a value is",
        ),
        (json!({"id": "a", "text": "t"}), "item 2 of the batch: its id stands in the batch twice"),
    ] {
        refused(house.put(json!([{"id": "a", "text": "A new text."}, bad, {"id": "c", "text": "t"}])), told);
        assert_eq!(house.item(&Access::all(), "a", "global").unwrap()["text"], "An old text.", "{told}");
        assert_eq!(house.listed(&Access::all(), json!({})).0, ["a"], "{told}");
    }
    let many: Vec<Value> = (0..1_001).map(|at| json!({"id": at.to_string(), "text": "t"})).collect();
    refused(house.put(many.into()), "there are 1001 items, 1000 are allowed at once");
    let unknown = serde_json::from_value::<PutItemsRequest>(json!({"items": [{"id": "b", "text": "t", "colour": 1}]}));
    assert!(unknown.unwrap_err().to_string().contains("unknown field `colour`"));
    // An id may hold whatever is no control character.
    let strange = "../ä ?#%00&\u{202e}'; DROP TABLE item --";
    house.put(json!([{"id": strange, "text": "Strange."}, {"id": "x".repeat(256), "text": "Long."}])).unwrap();
    assert_eq!(house.item(&Access::all(), strange, "global").unwrap()["id"], strange);
    house.user.assert_sound();
}

/// Whoever may see one scope learns nothing of an item of another, whatever they call.
#[test]
fn nothing_is_learnt_of_another_scope() {
    let house = House::new();
    house
        .put(json!([
            {"id": "same", "scope": "ours", "text": KEYS, "attributes": {"n": 1}},
            {"id": "same", "scope": "theirs", "text": BEES, "attributes": {"n": 1}},
            {"id": "secret", "scope": "theirs", "text": OPERA, "attributes": {"n": 2}, "tags": ["t"]},
        ]))
        .unwrap();
    house.user.document("a.md", "# Farm\n\nThe opera of the village is played in the barn.\n");
    assert_eq!(house.user.ken(&["index", "."]).code, 0);
    let ours = only(&["ours"]);
    let uid = |id: &str| {
        let all = house.search(json!({"query": id})).unwrap();
        let hit =
            all.results[0].hits.iter().find(|hit| serde_json::to_value(hit).unwrap()["item"]["scope"] == "theirs");
        hit.unwrap().id.clone()
    };
    let theirs = uid("opera in Verona");

    // By id.
    assert!(
        house.item(&ours, "secret", "theirs").is_none() && house.item(&Access::all(), "secret", "theirs").is_some()
    );
    assert_eq!(house.item(&ours, "same", "ours").unwrap()["text"], KEYS);
    // By list, with and without asking for it.
    assert_eq!(house.listed(&ours, json!({})), (vec!["same".to_owned()], None));
    assert_eq!(house.listed(&ours, json!({"scopes": ["theirs"]})).0, [""; 0]);
    assert_eq!(house.listed(&ours, json!({"where": "n >= 1"})).0, ["same"]);
    assert_eq!(house.listed(&ours, json!({"where": "not n = 7", "tags": ["t"]})).0, [""; 0]);
    assert_eq!(house.listed(&ours, json!({"after": "4:saman"})).0, ["same"]);
    // By words, by vector, by what is like it, by files that are nobody's.
    for request in [
        json!({"query": "the best seats of the opera in Verona"}),
        json!({"vector": vector(OPERA)}),
        json!({"like": "same"}),
        json!({"query": "opera", "where": "not n = 7"}),
    ] {
        let answer = house.search_as(&ours, request.clone()).unwrap();
        let text = serde_json::to_string(&answer.results[0].hits).unwrap();
        assert!(!["theirs", "Verona", "orchard", "a.md"].iter().any(|word| text.contains(word)), "{request}: {text}");
    }
    // One that may not be seen fails as one that was never there does.
    let told = |request: Value| house.search_as(&ours, request).unwrap_err().to_string();
    assert_eq!(
        told(json!({ "like": theirs.as_str() })),
        told(json!({"like": "x"})).replace("under x", &format!("under {theirs}"))
    );
    assert_eq!(told(json!({"like": "secret"})), "nothing is indexed under secret");
    // A scope that may not be seen answers as one that never was.
    let scope = |name: &str| {
        let request = read(json!({"query": "opera", "scopes": [name]}));
        let Answered { value, notes } = house.service.search(request, caller(&ours)).unwrap();
        let first = notes.first().and_then(|note| note.split(';').next()).unwrap_or_default().replace(name, "S");
        assert_eq!((own_ids(&value).len(), first.as_str()), (0, "nothing is indexed in the scope S"));
        value.results[0].candidates.len()
    };
    assert_eq!(scope("theirs"), scope("nobodys"));
    assert_eq!(house.why_not(&ours, &theirs), "candidates: nothing has this id");
    assert!(house.why_not(&Access::all(), &theirs).starts_with("shown"));
    let packed = |access: &Access| {
        let request: PackRequest = read(json!({"task": "the best seats of the opera in Verona", "kinds": ["chunk"]}));
        house.service.pack(request, caller(access)).unwrap().value.text
    };
    assert!(!packed(&ours).contains("in January") && packed(&Access::all()).contains("in January"));
    let status: Answered<_> = house.service.status(caller(&ours)).unwrap();
    let status = serde_json::to_string(&status.value).unwrap();
    assert!(status.contains("ours") && !status.contains("theirs") && !status.contains("work"), "{status}");

    // By deletion, by id and by filter.
    assert_eq!(house.delete(&ours, "secret", "theirs"), 0);
    assert_eq!(house.delete_all(&ours, json!({"where": "n = 2"})).unwrap(), 0);
    assert_eq!(house.delete_all(&ours, json!({"scopes": ["theirs"]})).unwrap(), 0);
    // By writing: what is not theirs to see is not theirs to overwrite, whether it is there or not.
    for id in ["secret", "nothing"] {
        refused(
            house.put_as(&ours, json!([{"id": id, "scope": "theirs", "text": "t"}])),
            "the scope theirs may not be",
        );
    }
    refused(house.put_as(&ours, json!([{"id": "x", "text": "t"}])), "the scope global may not be");
    let put = house.put_as(&ours, json!([{"id": "secret", "scope": "ours", "text": "Our own."}])).unwrap();
    assert_eq!(put["added"], 1, "an id is taken within its scope alone");
    assert_eq!(house.item(&Access::all(), "secret", "theirs").unwrap()["text"], OPERA);
    assert_eq!(house.delete_all(&ours, json!({"where": "not n = 7"})).unwrap(), 2);
    assert_eq!(house.listed(&Access::all(), json!({})).0, ["same", "secret"]);
    assert_eq!(own_ids(&house.search_as(&only(&[]), json!({"query": "opera"})).unwrap()), [""; 0]);
}

#[test]
fn a_list_goes_on_where_it_was_whatever_comes_and_goes() {
    let house = House::new();
    let item = |at: usize| json!({"id": format!("n{at:02}"), "text": format!("Note {at}."), "attributes": {"at": at}});
    house.put((0..10).map(|at| item(2 * at)).collect()).unwrap();
    let all = Access::all();
    let (first, next) = house.listed(&all, json!({"limit": 4}));
    assert_eq!(first, ["n00", "n02", "n04", "n06"]);
    // Before, at and behind the place.
    house.put(json!([item(1), item(7)])).unwrap();
    assert_eq!(house.delete(&all, "n06", "global") + house.delete(&all, "n10", "global"), 2);
    let (second, next) = house.listed(&all, json!({"limit": 4, "after": next}));
    assert_eq!(second, ["n07", "n08", "n12", "n14"]);
    let (third, next) = house.listed(&all, json!({"limit": 4, "after": next}));
    assert_eq!((third, next), (vec!["n16".to_owned(), "n18".to_owned()], None));
    assert_eq!(
        house.listed(&all, json!({"where": "at < 3", "limit": 2})),
        (vec!["n00".to_owned(), "n01".to_owned()], Some("3:n01global".to_owned()))
    );
    let wrong = house.service.list_items(read(json!({"after": "n04"})), caller(&all));
    refused(wrong, "\"n04\" is not where a page of a list ends");
    // By filter; never everything at once, and never what stands in a file.
    for nothing in [json!({}), json!({"kinds": [], "scopes": []})] {
        refused(house.delete_all(&all, nothing), "the filter is empty, so every item would be deleted");
    }
    house.user.document("a.md", "# Farm\n\nSheep graze on the hill beyond the brook.\n");
    assert_eq!(house.user.ken(&["index", "."]).code, 0);
    assert_eq!(house.delete_all(&all, json!({"where": "at >= 12 or at = 2"})).unwrap(), 5);
    assert_eq!(house.delete_all(&all, json!({"where": "not at = 99"})).unwrap(), 5);
    assert_eq!(house.user.texts(), ["Sheep graze on the hill beyond the brook."]);
    house.user.assert_sound();
}

#[test]
fn a_search_is_asked_in_one_way() {
    let house = House::new();
    house.put(json!([{"id": "keys", "text": KEYS, "attributes": {"lang": ["en", "de"]}}])).unwrap();
    let dims = vector("x").len();
    for (request, told) in [
        (json!({}), "a search needs one of query, vector and like"),
        (json!({"query": "x", "like": "keys"}), "a search needs one of query, vector and like"),
        (json!({"vector": [1.0], "like": "keys"}), "a search needs one of query, vector and like"),
        (json!({"vector": [1.0, 2.0]}), "it has 2 components"),
        (json!({"vector": []}), "it has 0 components"),
        (json!({"vector": vec![0.0; dims]}), "it is zero"),
        (json!({"vector": vec![1e39; dims]}), "not all of its components are finite"),
        (json!({"like": "keys", "rerank": true}), "no question that a cross-encoder could read"),
        (json!({"query": "x", "where": "lang = "}), "the condition cannot be read"),
    ] {
        refused(house.search(request), told);
    }
    // What is nearest is shown, however far it is, unless somebody asks for more.
    house.put(json!([{"id": "bees", "text": BEES}])).unwrap();
    let near = |request: Value| own_ids(&house.service.search(read(request), caller(&Access::all())).unwrap().value);
    assert_eq!(near(json!({"like": "keys", "kinds": ["chunk"]})), ["bees"]);
    assert_eq!(near(json!({"like": "keys", "kinds": ["chunk"], "min_relevance": 0.9})), [""; 0]);
    for (condition, found) in [("lang = 'de'", 1), ("lang != 'de'", 0), ("lang exists and not lang = 'fr'", 1)] {
        assert_eq!(house.found(json!({"query": "signing keys", "where": condition})).len(), found, "{condition}");
    }
    // Entries of packs have no attributes, so they are not what a condition asks for.
    let answer =
        house.search(json!({"query": "borrow of moved value", "where": "not lang = 'x'", "kinds": []})).unwrap();
    assert!(answer.results[0].hits.iter().all(|hit| hit.source == "index"));
}

#[test]
fn what_programs_put_in_is_carried_elsewhere_whole() {
    let user = User::new();
    let lines = [
        json!({"id": "a", "text": KEYS, "title": "Keys", "kind": "fact", "scope": "ops", "tags": ["t"],
            "provider": "acme", "attributes": {"s": "x", "n": 0.1, "i": 12, "b": false, "l": ["x", "y"], "e": []}}),
        json!({"id": "b/ä", "text": BEES}),
    ];
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let put = user.ken_with(&["items", "put", "-"], input.as_bytes());
    assert_eq!((put.code, put.out.as_str()), (0, "2 added, 0 updated, 0 unchanged.\n"), "{put:?}");
    let list = |user: &User| user.ken(&["items", "list", "--json"]).json();
    let before = list(&user);
    assert_eq!(before["items"][0]["attributes"], lines[0]["attributes"]);
    assert_eq!(user.ken(&["export", "all.jsonl"]).code, 0);
    assert_eq!(user.ken(&["export", "--markdown", "all"]).code, 0);
    for name in ["all.jsonl", "all"] {
        let other = User::new();
        let ran = other.ken(&["import", user.work().join(name).to_str().unwrap()]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(list(&other), before);
        other.assert_sound();
        let found = other.ken(&["search", "--json", "--min-relevance", "0", "--where", "n = 0.1 and l = 'y'", "keys"]);
        assert_eq!(found.json()["results"][0]["hits"][0]["item"]["id"], "a", "{found:?}");
        let again = other.ken_with(&["items", "put", "-"], input.as_bytes());
        assert_eq!(again.out, "0 added, 0 updated, 2 unchanged.\n", "{again:?}");
    }
    // A record that says another id than its uid, or attributes that nobody could put in, is refused.
    let whole = user.ken(&["export"]).out;
    for (from, to) in
        [("\"external_id\":\"a\"", "\"external_id\":\"b\""), ("\"n\":0.1", "\"n\":{}"), ("\"ops\"", "\"other\"")]
    {
        assert!(whole.contains(from), "{whole}");
        let other = User::new();
        let ran = other.ken_with(&["import", "-"], whole.replace(from, to).as_bytes());
        assert!(ran.code == 2 && ran.err.contains("the id or the attributes of a program's item are wrong"), "{ran:?}");
    }
}
