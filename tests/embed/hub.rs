//! Downloads from a hub on loopback: what goes right, and each way in which it goes wrong.

use crate::support::stub_hub::{Reply, Repository, Request, StubHub};
use crate::support::tiny::Tiny;
use crate::support::{settings, sha256};
use kenning::embed::{
    EmbedError, Installed, Manifest, ModelStore, Origin, ProxySettings, PullEvent, Source, State, StoreSettings,
};
use kenning::error::{Diagnose, ErrorKind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const WEIGHTS: &str = "model.safetensors";

fn repository(tiny: &Tiny) -> Repository {
    let files = tiny.files().into_iter().map(|(path, bytes)| (path.to_owned(), bytes)).collect();
    Repository { commit: COMMIT.into(), files }
}

fn manifest() -> Manifest {
    let source = Source::Hub { repo: "org/tiny".into(), revision: COMMIT.into() };
    Tiny::bert().manifest("tiny", vec![source])
}

fn store_with(dir: &Path, hub: &StubHub, edit: impl FnOnce(&mut StoreSettings)) -> ModelStore {
    let mut settings = settings(dir);
    settings.hub.endpoint = hub.url.clone();
    settings.manifests = vec![manifest()];
    edit(&mut settings);
    ModelStore::new(settings)
}

/// Pulls the tiny model from a hub that answers as `answer` says.
fn pull(answer: impl Fn(&Request, &Repository) -> Reply + Send + Sync + 'static) -> Pulled {
    let dir = TempDir::new().unwrap();
    let repository = repository(&Tiny::bert());
    let hub = StubHub::start(move |request| answer(request, &repository));
    let store = store_with(dir.path(), &hub, |_| {});
    let mut told = Vec::new();
    let result = store.pull("tiny", &mut |event| told.push(format!("{event:?}")));
    Pulled { dir, hub, store, result, told }
}

struct Pulled {
    dir: TempDir,
    hub: StubHub,
    store: ModelStore,
    result: Result<Installed, EmbedError>,
    told: Vec<String>,
}

impl Pulled {
    fn told(&self, what: &str) -> usize {
        self.told.iter().filter(|event| event.starts_with(what)).count()
    }
}

#[test]
fn a_pull_verifies_installs_and_is_not_repeated() {
    let pulled = pull(|request, repository| repository.answer(request));
    let installed = pulled.result.as_ref().unwrap();
    assert_eq!(installed.state, State::Ready);
    assert_eq!(installed.origin, Origin::Hub { repo: "org/tiny".into(), commit: COMMIT.into() });
    assert_eq!((pulled.told("File"), pulled.told("Done")), (3, 1));
    assert!(pulled.told("Bytes") >= 3);
    pulled.store.load(installed).unwrap();

    let asked = pulled.hub.requests().len();
    let mut told = Vec::new();
    pulled.store.pull("tiny", &mut |event| told.push(event.to_string())).unwrap();
    assert_eq!(told, ["The model tiny is already installed."]);
    assert_eq!(pulled.hub.requests().len(), asked, "no connection for a model that is there");
}

#[test]
fn a_cut_connection_is_continued_where_it_broke() {
    let cuts = AtomicUsize::new(0);
    let pulled = pull(move |request, repository| {
        let mut reply = repository.answer(request);
        if request.method == "GET" && request.path.ends_with(WEIGHTS) && cuts.fetch_add(1, Ordering::SeqCst) < 2 {
            reply.cut = Some(1000);
        }
        reply
    });
    pulled.result.as_ref().unwrap();
    let requests = pulled.hub.requests();
    let ranges: Vec<_> =
        requests.iter().filter(|r| r.method == "GET" && r.path.ends_with(WEIGHTS)).map(Request::range).collect();
    assert_eq!(ranges, [None, Some(1000), Some(2000)]);
    assert_eq!(pulled.told("Retry"), 2);
}

#[test]
fn what_an_ended_process_left_is_continued() {
    let dir = TempDir::new().unwrap();
    let repository = repository(&Tiny::bert());
    let weights = repository.files[WEIGHTS].clone();
    let blobs = dir.path().join("hub/models--org--tiny/blobs");
    std::fs::create_dir_all(&blobs).unwrap();
    std::fs::write(blobs.join(format!("{}.part", sha256(&weights))), &weights[..5000]).unwrap();
    let hub = StubHub::start(move |request| repository.answer(request));
    store_with(dir.path(), &hub, |_| {}).pull("tiny", &mut |_| {}).unwrap();
    let ranges: Vec<_> = hub.requests().iter().filter_map(Request::range).collect();
    assert_eq!(ranges, [5000]);
}

#[test]
fn a_server_without_ranges_starts_again() {
    let cuts = AtomicUsize::new(0);
    let pulled = pull(move |request, repository| {
        let whole = Request { headers: Default::default(), ..request.clone() };
        let mut reply = repository.answer(&whole);
        if request.method == "GET" && request.path.ends_with(WEIGHTS) && cuts.fetch_add(1, Ordering::SeqCst) == 0 {
            reply.cut = Some(1000);
        }
        reply
    });
    pulled.result.unwrap();
}

#[test]
fn a_connection_that_always_breaks_is_given_up() {
    let pulled = pull(|request, repository| {
        let cut = (request.method == "GET" && request.path.ends_with(WEIGHTS)).then_some(0);
        Reply { cut, ..repository.answer(request) }
    });
    let error = pulled.result.unwrap_err();
    assert!(matches!(&error, EmbedError::Broken { file, .. } if file == WEIGHTS), "{error}");
    assert_eq!(error.kind(), ErrorKind::Network);
    assert_eq!(pulled.hub.count("GET", WEIGHTS), 5, "one attempt and four retries");
}

#[test]
fn a_wrong_hash_is_refused_and_nothing_stays() {
    let pulled = pull(|request, repository| {
        let mut reply = repository.answer(request);
        // The header still names the right hash: only the bytes are wrong.
        if let (true, Some(byte)) = (request.path.ends_with(WEIGHTS), reply.body.last_mut()) {
            *byte ^= 1;
        }
        reply
    });
    let error = pulled.result.unwrap_err();
    let EmbedError::WrongHash { file, expected, got } = &error else { panic!("{error}") };
    assert_eq!(file, WEIGHTS);
    assert_eq!(expected, manifest().pin(WEIGHTS).unwrap());
    assert!(got != expected && error.to_string().contains(expected.as_str()));
    assert_eq!(error.kind(), ErrorKind::Damaged);
    assert!(pulled.store.find("tiny").unwrap().is_none());
    let blobs = pulled.dir.path().join("hub/models--org--tiny/blobs");
    let left: Vec<_> = std::fs::read_dir(blobs).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(
        !left.iter().any(|n| n.to_string_lossy().starts_with(&expected[..8]) && !n.to_string_lossy().ends_with("lock")),
        "{left:?}"
    );
}

#[test]
fn another_file_than_the_pinned_one_is_refused_before_it_is_fetched() {
    let other = repository(&Tiny { seed: 99, ..Tiny::bert() });
    let pulled = pull(move |request, _| other.answer(request));
    assert!(matches!(pulled.result, Err(EmbedError::WrongHash { .. })), "{:?}", pulled.result);
    assert_eq!(pulled.hub.count("GET", WEIGHTS), 0);
}

#[test]
fn a_short_file_is_refused() {
    let pulled = pull(|request, repository| {
        let mut reply = repository.answer(request);
        if request.method == "GET" && request.path.ends_with(WEIGHTS) {
            reply.body.truncate(3000); // Complete as the server tells it: Content-Length agrees.
        }
        reply
    });
    let error = pulled.result.unwrap_err();
    assert!(matches!(&error, EmbedError::WrongSize { file, got: 3000, .. } if file == WEIGHTS), "{error}");
}

#[test]
fn a_wrong_announced_length_is_refused() {
    let pulled = pull(|request, repository| {
        let mut reply = repository.answer(request);
        if request.method == "HEAD" && request.path.ends_with("config.json") {
            reply.length = Some(7);
        }
        reply
    });
    assert!(matches!(pulled.result, Err(EmbedError::WrongSize { got: 7, .. })), "{:?}", pulled.result);
}

#[test]
fn refusals_are_reported_and_not_worked_around() {
    for (status, kind) in [(401, "denied"), (403, "denied"), (404, "missing")] {
        let pulled = pull(move |_, _| Reply::status(status));
        let error = pulled.result.unwrap_err();
        let seen = match &error {
            EmbedError::HubDenied { status: s, .. } if *s == status => "denied",
            EmbedError::HubMissing { .. } => "missing",
            other => panic!("{other}"),
        };
        assert_eq!(seen, kind);
        assert_eq!(pulled.hub.requests().len(), 1, "{status} is an answer, not a reason to try again");
        assert_eq!(error.kind().exit_code(), 10);
        assert!(error.hint().is_some());
    }
}

#[test]
fn a_busy_hub_is_asked_again() {
    for status in [500, 503, 429] {
        let left = AtomicUsize::new(3);
        let pulled = pull(move |request, repository| {
            let busy = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_ok();
            if busy { Reply::status(status) } else { repository.answer(request) }
        });
        pulled.result.as_ref().unwrap();
        assert_eq!(pulled.told("Retry"), 3);
    }
    let pulled = pull(|_, _| Reply::status(500));
    assert!(matches!(pulled.result, Err(EmbedError::HubStatus { status: 500, .. })));
    assert_eq!(pulled.hub.requests().len(), 5);
}

/// The pause of the settings is 5 ms; what the hub asks for is heard, in seconds and as a date, on both kinds of
/// request.
#[test]
fn a_busy_hub_says_when_to_ask_again() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    for (method, wish, seconds) in [("HEAD", "1", 1), ("GET", "Sun, 06 Nov 1994 08:49:38 GMT", 1), ("HEAD", "soon", 0)]
    {
        let dir = TempDir::new().unwrap();
        let repository = repository(&Tiny::bert());
        let left = AtomicUsize::new(1);
        let hub = StubHub::start(move |request| {
            let asked = request.method == method;
            if asked && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_ok() {
                return Reply::status(429).header("Retry-After", wish).header("Date", date);
            }
            repository.answer(request)
        });
        let mut pauses = Vec::new();
        store_with(dir.path(), &hub, |_| {})
            .pull("tiny", &mut |event| {
                if let PullEvent::Retry { pause, .. } = event {
                    pauses.push(pause);
                }
            })
            .unwrap();
        let want = if seconds == 0 { Duration::from_millis(5) } else { Duration::from_secs(seconds) };
        assert_eq!(pauses, [want], "{method} {wish}");
    }
}

#[test]
fn an_answer_without_sense_is_said_to_be_one() {
    let pulled = pull(|_, _| Reply { body: b"<html>Sign in to the hotel</html>".to_vec(), ..Reply::status(200) });
    assert!(matches!(pulled.result, Err(EmbedError::HubProtocol { .. })), "{:?}", pulled.result);
    let pulled = pull(|request, repository| {
        let bad = repository.answer(request).headers.into_iter().filter(|(name, _)| name != "X-Repo-Commit");
        let headers = bad.chain([("X-Repo-Commit".to_owned(), "../../../etc".to_owned())]).collect();
        Reply { headers, ..repository.answer(request) }
    });
    assert!(matches!(pulled.result, Err(EmbedError::HubProtocol { .. })), "{:?}", pulled.result);
}

#[test]
fn the_token_goes_to_the_hub_and_nowhere_else() {
    let dir = TempDir::new().unwrap();
    let repository = Arc::new(repository(&Tiny::bert()));
    let files = Arc::clone(&repository);
    let elsewhere = StubHub::start(move |request| files.answer(request));
    let target = elsewhere.url.clone();
    let hub = StubHub::start(move |request| {
        let Some((path, bytes)) = repository.file(request) else { return Reply::status(404) };
        if path != WEIGHTS {
            // As the real hub does for small files: to another place on itself.
            return match request.path.strip_prefix("/inner") {
                Some(_) => repository.answer(request),
                None => Reply::status(307)
                    .header("Location", format!("/inner{}", request.path))
                    .header("X-Repo-Commit", COMMIT),
            };
        }
        Reply::status(302)
            .header("Location", format!("{target}{}", request.path))
            .header("X-Repo-Commit", COMMIT)
            .header("X-Linked-Etag", format!("\"{}\"", sha256(bytes)))
            .header("X-Linked-Size", bytes.len())
    });
    let store = store_with(dir.path(), &hub, |s| s.hub.token = Some("hf_secret".into()));
    store.load(&store.pull("tiny", &mut |_| {}).unwrap()).unwrap();
    let sent = |r: &Request| r.headers.get("authorization").cloned();
    assert!(hub.requests().iter().all(|r| sent(r).as_deref() == Some("Bearer hf_secret")));
    let there = elsewhere.requests();
    assert!(!there.is_empty() && there.iter().all(|r| r.method == "GET" && sent(r).is_none()), "{there:?}");
}

#[test]
fn the_switch_for_no_network_makes_no_connection() {
    let dir = TempDir::new().unwrap();
    let hub = StubHub::start(|_| Reply::status(200));
    let store = store_with(dir.path(), &hub, |s| {
        s.hub.offline = true;
        s.pip.offline = true;
    });
    let error = store.pull("tiny", &mut |_| {}).unwrap_err();
    assert!(matches!(error, EmbedError::Offline { .. }), "{error}");
    assert!(hub.requests().is_empty());
}

#[test]
fn all_requests_go_through_the_proxy_but_to_excluded_hosts() {
    let dir = TempDir::new().unwrap();
    let repository = Arc::new(repository(&Tiny::bert()));
    let files = Arc::clone(&repository);
    // A proxy is asked with the whole address in the first line.
    let proxy = StubHub::start(move |request| files.answer(request));
    let url = proxy.url.clone();
    let through = ProxySettings { url: url.clone(), no_proxy: Vec::new() };
    let hub = StubHub::start(|_| Reply::status(500));
    let store = store_with(dir.path(), &hub, |s| s.hub.proxy = Some(through));
    let result = store.pull("tiny", &mut |_| {});
    assert!(hub.requests().is_empty(), "the hub itself was asked");
    assert!(!proxy.requests().is_empty());
    drop(result); // Whether a tunnel or a whole address is asked for is the client library's choice.

    let dir = TempDir::new().unwrap();
    let hub = StubHub::start(move |request| repository.answer(request));
    let before = proxy.requests().len();
    let around = ProxySettings { url, no_proxy: vec!["127.0.0.1".into()] };
    store_with(dir.path(), &hub, |s| s.hub.proxy = Some(around)).pull("tiny", &mut |_| {}).unwrap();
    assert_eq!(proxy.requests().len(), before);
}

fn with_fallback(s: &mut StoreSettings) {
    s.manifests[0].fallback = Some("tiny-packaged".into());
    let source =
        Source::Package { package: "p".into(), version: "1".into(), size: 1, given: Vec::new(), members: Vec::new() };
    s.manifests.push(Tiny::bert().manifest("tiny-packaged", vec![source]));
}

/// The packaged model needs pip, which these settings have not: that it is missing shows that it was asked for.
fn falls_back_soon(edit: impl FnOnce(&mut StoreSettings)) {
    let dir = TempDir::new().unwrap();
    let mut s = settings(dir.path());
    s.manifests = vec![manifest()];
    with_fallback(&mut s);
    edit(&mut s);
    let start = Instant::now();
    let mut told = Vec::new();
    let error = ModelStore::new(s).pull("tiny", &mut |event| told.push(event.to_string())).unwrap_err();
    assert!(matches!(error, EmbedError::PipMissing { .. }), "{error}");
    let says = |words: [&str; 2]| told.iter().position(|line| words.iter().all(|word| line.contains(word)));
    let told_of = [
        ["Nothing came from", "out of reach"],
        ["Taking tiny-packaged", "instead of tiny"],
        ["Pulling tiny-packaged", "the package p 1"],
    ];
    let places = told_of.map(says);
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{told:#?}");
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
}

#[test]
fn a_hub_that_is_down_makes_way_for_the_package_at_once() {
    falls_back_soon(|s| s.hub.endpoint = "http://127.0.0.1:9".into());
}

#[test]
fn a_hub_that_never_answers_makes_way_for_the_package_soon() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    falls_back_soon(|s| s.hub.endpoint = format!("http://{address}"));
}

#[test]
fn a_hub_without_a_name_makes_way_for_the_package_soon() {
    falls_back_soon(|s| s.hub.endpoint = "http://no-such-host.invalid".into());
}

#[test]
fn a_refusal_does_not_make_way_for_the_package() {
    let dir = TempDir::new().unwrap();
    let hub = StubHub::start(|_| Reply::status(401));
    let store = store_with(dir.path(), &hub, with_fallback);
    assert!(matches!(store.pull("tiny", &mut |_| {}), Err(EmbedError::HubDenied { .. })));
}

#[test]
fn an_unpinned_file_is_recorded_and_refused_when_it_changes() {
    let dir = TempDir::new().unwrap();
    let repository = repository(&Tiny::bert());
    let changed = Arc::new(AtomicUsize::new(0));
    let flag = Arc::clone(&changed);
    let hub = StubHub::start(move |request| {
        let mut repository = repository.clone();
        if flag.load(Ordering::SeqCst) > 0 {
            repository.files.get_mut("tokenizer.json").unwrap().push(b' ');
        }
        repository.answer(request)
    });
    let store = store_with(dir.path(), &hub, |s| {
        let file = s.manifests[0].files.iter_mut().find(|f| f.path == "tokenizer.json").unwrap();
        (file.sha256, file.size) = (None, None);
    });
    let mut said = String::new();
    let installed = store.pull("tiny", &mut |event| {
        if let PullEvent::Done { .. } = event {
            said = event.to_string();
        }
    });
    let installed = installed.unwrap();
    assert_eq!(installed.unpinned(), ["tokenizer.json"]);
    assert!(said.contains("Not pinned") && said.contains("tokenizer.json"), "{said}");

    // The file is lost, and the hub now has another one.
    let lost = installed.root.join("tokenizer.json").canonicalize().unwrap();
    std::fs::remove_file(lost).unwrap();
    changed.store(1, Ordering::SeqCst);
    let error = store.pull("tiny", &mut |_| {}).unwrap_err();
    assert!(matches!(error, EmbedError::UnpinnedChanged { .. }), "{error}");
    // Somebody who removes the model asks for whatever is there now.
    let _ = store.remove("tiny");
    store.pull("tiny", &mut |_| {}).unwrap();
}

#[test]
fn two_pulls_at_once_fetch_once() {
    let dir = TempDir::new().unwrap();
    let repository = repository(&Tiny::bert());
    let hub = StubHub::start(move |request| {
        if request.method == "GET" {
            std::thread::sleep(Duration::from_millis(150));
        }
        repository.answer(request)
    });
    let store = store_with(dir.path(), &hub, |_| {});
    std::thread::scope(|scope| {
        let pulls: Vec<_> = (0..2).map(|_| scope.spawn(|| store.pull("tiny", &mut |_| {}).unwrap())).collect();
        let roots: Vec<_> = pulls.into_iter().map(|p| p.join().unwrap().root).collect();
        assert_eq!(roots[0], roots[1]);
    });
    assert_eq!(hub.count("GET", WEIGHTS), 1);
}

/// Two stores share the cache, as two tools do: the lock on the blob keeps them apart.
#[test]
fn two_stores_on_one_cache_fetch_once() {
    let dir = TempDir::new().unwrap();
    let repository = repository(&Tiny::bert());
    let hub = StubHub::start(move |request| {
        if request.method == "GET" {
            std::thread::sleep(Duration::from_millis(150));
        }
        repository.answer(request)
    });
    let stores = ["a", "b"].map(|name| store_with(dir.path(), &hub, |s| s.dir = dir.path().join(name)));
    std::thread::scope(|scope| {
        for store in &stores {
            scope.spawn(move || store.load(&store.pull("tiny", &mut |_| {}).unwrap()).unwrap());
        }
    });
    assert_eq!(hub.count("GET", WEIGHTS), 1);
}

#[test]
fn a_held_lock_is_waited_for_and_then_busy() {
    let dir = TempDir::new().unwrap();
    let hub = StubHub::start(|_| Reply::status(200));
    let store = store_with(dir.path(), &hub, |s| s.lock_timeout = Duration::from_millis(250));
    let locks = dir.path().join("models/.locks");
    std::fs::create_dir_all(&locks).unwrap();
    let held = std::fs::File::create(locks.join("tiny.lock")).unwrap();
    held.lock().unwrap();
    let mut waited = 0;
    let error = store.pull("tiny", &mut |event| waited += usize::from(matches!(event, PullEvent::Waiting { .. })));
    let error = error.unwrap_err();
    assert!(matches!(error, EmbedError::Busy { .. }), "{error}");
    assert_eq!((error.kind(), waited), (ErrorKind::Busy, 1));
    assert!(hub.requests().is_empty());
}

#[test]
fn removing_a_pulled_model_frees_the_cache() {
    let pulled = pull(|request, repository| repository.answer(request));
    let installed = pulled.result.unwrap();
    let freed = pulled.store.remove("tiny").unwrap();
    assert_eq!(freed, installed.bytes);
    assert!(pulled.store.find("tiny").unwrap().is_none());
}
