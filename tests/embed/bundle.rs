//! Models in one file: written, read back, and every way in which such a file can be wrong.

use crate::support::tiny::Tiny;
use crate::support::{settings, sha256, store};
use kenning::embed::{BundleExtras, EmbedError, Installed, ModelStore, Origin, State, StoreSettings};
use kenning::error::{Diagnose, ErrorKind};
use kenning::types::Fingerprint;
use serde_json::{Value, json};
use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const CONTENTS: &str = "ken-model-bundle.json";
const FILES: [&str; 3] = ["config.json", "tokenizer.json", "model.safetensors"];

/// A machine with a model `own`, and a bundle of it.
struct Machine {
    dir: TempDir,
    store: ModelStore,
    installed: Installed,
}

impl Machine {
    fn new(tiny: &Tiny) -> Self {
        let dir = TempDir::new().unwrap();
        tiny.write(&dir.path().join("own"));
        let store = store(dir.path());
        let installed = store.import(&dir.path().join("own"), None).unwrap();
        Self { dir, store, installed }
    }

    fn bundle_with(&self, extras: &BundleExtras<'_>) -> Vec<u8> {
        let file = self.dir.path().join("own.ken");
        let bytes = self.store.bundle(&self.installed, extras, &file, &|| false, &mut |_| {}).unwrap();
        let read = fs::read(file).unwrap();
        assert_eq!(read.len() as u64, bytes);
        read
    }

    fn bundle(&self) -> Vec<u8> {
        self.bundle_with(&BundleExtras::default())
    }
}

/// A machine without a network and without a model, and a file on it.
struct Other {
    dir: TempDir,
    store: ModelStore,
}

impl Other {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        Self { store: store(dir.path()), dir }
    }

    fn file(&self, bytes: &[u8]) -> PathBuf {
        let file = self.dir.path().join("given.ken");
        fs::write(&file, bytes).unwrap();
        file
    }

    fn import(&self, bytes: &[u8], name: Option<&str>) -> Result<kenning::embed::Unbundled, EmbedError> {
        self.store.import_bundle(&self.file(bytes), name, &mut |_| {})
    }

    /// What the store holds but for its locks.
    fn left(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir.path().join("models")).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().into_string().unwrap()).filter(|name| name != ".locks").collect()
    }

    /// Refuses a file, and leaves nothing of it.
    fn refuses(&self, what: &str, bytes: &[u8], name: Option<&str>) -> EmbedError {
        let error = self.import(bytes, name).map(|_| ()).expect_err(what);
        assert!(error.hint().is_some_and(|hint| !hint.is_empty()), "{what}: {error}");
        assert!(error.to_string().contains("given.ken") && !error.to_string().contains("staging"), "{what}: {error}");
        assert_eq!(self.left(), Vec::<String>::new(), "{what}: {error}");
        error
    }
}

/// The files of a bundle, as its writer made them.
fn parts(bundle: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut zip = zip::ZipArchive::new(Cursor::new(bundle)).unwrap();
    let read = |at: usize| {
        let mut file = zip.by_index(at).unwrap();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut file, &mut bytes).unwrap();
        (file.name().unwrap().into_owned(), bytes)
    };
    (0..4).map(read).collect()
}

fn stored() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Stored)
}

/// An archive of these files.
fn archive(parts: &[(String, Vec<u8>)], how: impl Fn(&str) -> SimpleFileOptions) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        zip.start_file(name.as_str(), how(name)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The files of a bundle: name and bytes.
type Parts = Vec<(String, Vec<u8>)>;

/// The bundle with something else in its contents.
fn with_contents(bundle: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut parts = parts(bundle);
    let mut contents: Value = serde_json::from_slice(&parts[0].1).unwrap();
    change(&mut contents);
    parts[0].1 = serde_json::to_vec(&contents).unwrap();
    archive(&parts, |_| stored())
}

#[test]
fn a_model_comes_back_as_it_was() {
    let machine = Machine::new(&Tiny { max_seq_length: Some(16), ..Tiny::bert() });
    let bundle = machine.bundle();
    assert_eq!(bundle, machine.bundle(), "the same model gives the same bytes");
    let other = Other::new();
    let came = other.import(&bundle, None).unwrap();
    let file = other.dir.path().join("given.ken").canonicalize().unwrap();
    assert_eq!((came.was_there, came.vectors.is_none()), (false, true));
    assert_eq!((&came.installed.origin, &came.installed.state), (&Origin::Bundle { from: file }, &State::Ready));
    assert_eq!(came.installed.manifest, machine.installed.manifest);
    for name in FILES {
        let read = |installed: &Installed| fs::read(installed.root.join(name)).unwrap();
        assert_eq!(read(&came.installed), read(&machine.installed), "{name}");
    }
    assert!(other.store.verify("own").unwrap().iter().all(|check| check.problem.is_none()));
    let vector = |store: &ModelStore, installed: &Installed| {
        let encoder = store.load(installed).unwrap();
        let made = encoder.encode(&["w1 w2 w3"], kenning::types::Role::Query, &mut |_| {}).unwrap();
        (encoder.fingerprint().clone(), made[0].vector.clone())
    };
    assert_eq!(vector(&other.store, &came.installed), vector(&machine.store, &machine.installed));
    drop(came);
    // The same once more; then under another name, and another model under the first one's.
    assert!(other.import(&bundle, None).unwrap().was_there);
    let renamed = other.import(&bundle, Some("mine")).unwrap();
    assert_eq!((renamed.installed.name(), renamed.was_there), ("mine", false));
    let another = Machine::new(&Tiny { seed: 9, ..Tiny::bert() });
    assert!(!other.import(&another.bundle(), None).unwrap().was_there);
    let read = fs::read(other.dir.path().join("models/own/model.safetensors")).unwrap();
    assert_eq!(read, Tiny { seed: 9, ..Tiny::bert() }.weights(|_, _| {}));
    let mut left = other.left();
    left.sort();
    assert_eq!(left, ["mine", "own"]);
    // The long form of an entry, which files beyond 4 GiB need.
    let long = archive(&parts(&bundle), |_| stored().large_file(true));
    Other::new().import(&long, None).unwrap();
}

/// Where a stranger's model could be fetched from is not kept.
#[test]
fn sources_of_an_unknown_model_are_forgotten() {
    let machine = Machine::new(&Tiny::bert());
    let bundle = with_contents(&machine.bundle(), |contents| {
        contents["manifest"]["sources"] = json!([{"kind": "hub", "repo": "evil/model", "revision": "main"}]);
        contents["manifest"]["fallback"] = json!("bge-m3");
    });
    let manifest = Other::new().import(&bundle, None).unwrap().installed.manifest;
    assert!(manifest.sources.is_empty() && manifest.fallback.is_none(), "{manifest:?}");
}

#[test]
fn vectors_travel_with_the_model_and_go_when_they_are_not_wanted() {
    let machine = Machine::new(&Tiny::bert());
    let model = Fingerprint::stored("own@0123456789abcdef".into());
    let bytes = vec![7; 1 << 19];
    let bundle = machine.bundle_with(&BundleExtras { calibration: None, vectors: Some((&model, &bytes)) });
    let other = Other::new();
    let vectors = other.import(&bundle, None).unwrap().vectors.unwrap();
    assert_eq!(vectors.model, model);
    let path = vectors.path();
    assert_eq!(fs::read(&path).unwrap(), bytes);
    // While they are held nobody sweeps them away.
    assert_eq!(other.store.sweep(None).unwrap().folders, 0);
    assert!(path.exists());
    drop(vectors);
    assert!(!path.exists());
    assert_eq!(other.left(), ["own"]);
}

/// Whatever is cut off or changed in the file is noticed, or changes nothing of what is installed.
#[test]
fn damage_is_noticed() {
    let tiny = Tiny { shape: (16, 2, 16), positions: 8, ..Tiny::bert() };
    let bundle = Machine::new(&tiny).bundle();
    let other = Other::new();
    for length in (0..bundle.len()).step_by(997).chain(bundle.len() - 300..bundle.len()) {
        let error = other.refuses(&format!("cut to {length}"), &bundle[..length], None);
        assert!(matches!(error.kind(), ErrorKind::Damaged | ErrorKind::Usage), "{length}: {error}");
        assert!(error.kind() == ErrorKind::Damaged || length < 100, "{length}: {error}");
    }
    let mut longer = bundle.clone();
    longer.extend([0; 9]);
    assert_eq!(other.refuses("something follows", &longer, None).kind(), ErrorKind::Damaged);
    let expected = tiny.weights(|_, _| {});
    let mut harmless = 0;
    for at in (0..bundle.len()).step_by(61).chain(0..120) {
        let mut changed = bundle.clone();
        changed[at] ^= 0x20;
        if let Ok(came) = other.import(&changed, None) {
            harmless += 1;
            assert_eq!(fs::read(came.installed.root.join("model.safetensors")).unwrap(), expected, "at {at}");
            fs::remove_dir_all(came.installed.root).unwrap();
        }
        assert_eq!(other.left(), Vec::<String>::new(), "at {at}");
    }
    assert!(harmless < 60, "{harmless} changes went unnoticed: more than times and versions in headers");
}

#[test]
fn what_is_no_bundle_of_ours_is_refused() {
    let bundle = Machine::new(&Tiny::bert()).bundle();
    let other = Other::new();
    let foreign = archive(&[("README.md".into(), b"hello".to_vec())], |_| stored());
    let mut no_json = parts(&bundle);
    no_json[0].1 = b"hello".to_vec();
    for (what, bytes) in [
        ("nothing", Vec::new()),
        ("text", b"weights and measures".to_vec()),
        ("another archive", foreign),
        ("no JSON", archive(&no_json, |_| stored())),
        ("another kind", with_contents(&bundle, |contents| contents["kind"] = json!("ken export"))),
    ] {
        let error = other.refuses(what, &bytes, None);
        assert!(matches!(error, EmbedError::NoBundle { .. }) && error.kind() == ErrorKind::Usage, "{what}: {error}");
    }
    let newer = with_contents(&bundle, |contents| {
        contents["format"] = json!(2);
        contents["more"] = json!(true);
    });
    let error = other.refuses("a later format", &newer, None);
    assert!(error.kind() == ErrorKind::Mismatch && error.to_string().contains("format 2"), "{error}");
}

type Change = fn(&mut Value);

#[test]
fn hostile_contents_are_refused() {
    let bundle = Machine::new(&Tiny::bert()).bundle();
    let other = Other::new();
    let changes: &[(&str, Change)] = &[
        ("a name that leaves the folder", |c| c["files"][0]["path"] = json!("../config.json")),
        ("an absolute name", |c| c["files"][0]["path"] = json!("/tmp/config.json")),
        ("a name of ours", |c| c["files"][0]["path"] = json!("installed.json")),
        ("a name with control characters", |c| c["files"][0]["path"] = json!("config.json\u{1b}[31m\n")),
        ("a file twice", |c| c["files"][1] = c["files"][0].clone()),
        ("a file too many", |c| {
            let more = json!({"path": "installed.json", "size": 1, "sha256": "0".repeat(64)});
            c["files"].as_array_mut().unwrap().push(more.clone());
            c["manifest"]["files"].as_array_mut().unwrap().push(json!({"path": "installed.json"}));
        }),
        ("a file too few", |c| drop(c["files"].as_array_mut().unwrap().pop())),
        ("many files", |c| {
            let one = c["files"][0].clone();
            c["files"] = json!(vec![one; 5_000]);
        }),
        ("another order", |c| c["files"].as_array_mut().unwrap().reverse()),
        ("a size that lies a little", |c| c["files"][2]["size"] = json!(c["files"][2]["size"].as_u64().unwrap() - 1)),
        ("a size beyond the file", |c| c["files"][2]["size"] = json!(60_u64 << 30)),
        ("a size beyond every bound", |c| c["files"][0]["size"] = json!(u64::MAX)),
        ("a size that is none", |c| c["files"][0]["size"] = json!(-1)),
        ("another hash", |c| c["files"][2]["sha256"] = json!("0".repeat(64))),
        ("no hash", |c| c["files"][2]["sha256"] = json!("x")),
        ("a pin that its own file has not", |c| c["manifest"]["files"][2]["sha256"] = json!("0".repeat(64))),
        ("a model's name that is a path", |c| c["manifest"]["name"] = json!("../../x")),
        ("a model of no length", |c| c["manifest"]["dims"] = json!(0)),
        ("another length of vectors", |c| c["manifest"]["dims"] = json!(64)),
        ("more tokens than positions", |c| c["manifest"]["max_tokens"] = json!(1_u64 << 40)),
        ("vectors elsewhere", |c| {
            let file = json!({"path": "../vectors.ann", "size": 0, "sha256": "0".repeat(64)});
            c["vectors"] = json!({"model": "own@0", "file": file});
        }),
        ("vectors that are not there", |c| {
            let file = json!({"path": "vectors.ann", "size": 0, "sha256": sha256(b"")});
            c["vectors"] = json!({"model": "own@0", "file": file});
        }),
        ("a field that nobody knows", |c| c["run"] = json!("rm")),
        ("more than contents may have", |c| c["manifest"]["description"] = json!("x".repeat(2 << 20))),
    ];
    for (what, change) in changes {
        let error = other.refuses(what, &with_contents(&bundle, change), None);
        let fits = matches!(error.kind(), ErrorKind::Damaged | ErrorKind::NoModel);
        assert!(fits && !error.to_string().contains(['\u{1b}', '\n']), "{what}: {error}");
    }
}

#[test]
fn hostile_archives_are_refused() {
    let bundle = Machine::new(&Tiny::bert()).bundle();
    let other = Other::new();
    let whole = parts(&bundle);
    let changed = |change: &dyn Fn(&mut Parts)| {
        let mut parts = whole.clone();
        change(&mut parts);
        archive(&parts, |_| stored())
    };
    let deflated = |wanted: &'static str| {
        archive(&whole, move |name| {
            let packed = stored().compression_method(CompressionMethod::Deflated);
            if name == wanted { packed } else { stored() }
        })
    };
    // What follows the list of files is no list, or belongs to another archive.
    let mut second = bundle.clone();
    second.extend(archive(&[("x".into(), vec![1; 9])], |_| stored()));
    for (what, bytes) in [
        ("another name in the archive", changed(&|parts| parts[1].0 = "../config.json".into())),
        ("an absolute name in the archive", changed(&|parts| parts[1].0 = "/etc/passwd".into())),
        ("a control character in the archive", changed(&|parts| parts[1].0 = "config.json\u{1b}[2J\n".into())),
        ("another order", changed(&|parts| parts.swap(1, 2))),
        ("a file too many", changed(&|parts| parts.push(("evil.sh".into(), b"rm".to_vec())))),
        ("a file too few", changed(&|parts| drop(parts.pop()))),
        ("many files", changed(&|parts| parts.extend((0..3_000).map(|n| (format!("{n}"), Vec::new()))))),
        ("contents as a bomb", deflated(CONTENTS)),
        ("weights as a bomb", deflated("model.safetensors")),
        ("another archive at the end", second),
    ] {
        let error = other.refuses(what, &bytes, None);
        assert_eq!(error.kind(), ErrorKind::Damaged, "{what}: {error}");
        assert!(!error.to_string().contains(['\u{1b}', '\n']), "{what}: {error}");
    }
    // A link instead of a file: what it says is taken for the file's bytes, which are not those of the contents.
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in &whole {
        match name.as_str() {
            "config.json" => zip.add_symlink(name.as_str(), "/etc/passwd", stored()).unwrap(),
            _ => {
                zip.start_file(name.as_str(), stored()).unwrap();
                zip.write_all(bytes).unwrap();
            }
        }
    }
    let linked = zip.finish().unwrap().into_inner();
    assert_eq!(other.refuses("a link", &linked, None).kind(), ErrorKind::Damaged);
}

/// A bundle cannot put other weights under the name of a model that this program knows.
#[test]
fn pinned_models_stay_what_they_are() {
    let bundle = Machine::new(&Tiny::bert()).bundle();
    let other = Other::new();
    let named = with_contents(&bundle, |contents| contents["manifest"]["name"] = json!("bge-small-en-v1.5-int8"));
    for (bytes, name) in [(&named, None), (&bundle, Some("all-MiniLM-L6-v2"))] {
        let error = other.refuses("another model", bytes, name);
        assert!(matches!(&error, EmbedError::OtherModel { .. }) && error.kind() == ErrorKind::Damaged, "{error}");
    }
    assert!(other.import(&bundle, Some("../x")).is_err());
    // One that is known and is the same is taken with what is known of it.
    let dir = TempDir::new().unwrap();
    let known = Tiny::bert().manifest("own", Vec::new());
    let store = ModelStore::new(StoreSettings { manifests: vec![known.clone()], ..settings(dir.path()) });
    let strange = with_contents(&bundle, |contents| contents["manifest"]["query_prefix"] = json!("evil: "));
    let file = dir.path().join("own.ken");
    fs::write(&file, strange).unwrap();
    assert_eq!(store.import_bundle(&file, None, &mut |_| {}).unwrap().installed.manifest, known);
}

fn names(dir: &Path) -> Vec<String> {
    fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_bundle_appears_whole_or_not_at_all() {
    let machine = Machine::new(&Tiny::bert());
    let out = TempDir::new().unwrap();
    let file = out.path().join("own.ken");
    fs::write(&file, "what was there").unwrap();
    let extras = BundleExtras::default();
    let error = machine.store.bundle(&machine.installed, &extras, &file, &|| true, &mut |_| {}).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    // Weights that have changed since they were recorded, and keep their size and time.
    let weights = machine.installed.root.join("model.safetensors");
    let (mut bytes, time) = (fs::read(&weights).unwrap(), fs::metadata(&weights).unwrap().modified().unwrap());
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&weights, bytes).unwrap();
    fs::File::options().write(true).open(&weights).unwrap().set_modified(time).unwrap();
    let error = machine.store.bundle(&machine.installed, &extras, &file, &|| false, &mut |_| {}).unwrap_err();
    assert!(error.kind() == ErrorKind::Damaged && error.to_string().contains("model.safetensors"), "{error}");
    assert_eq!((names(out.path()), fs::read(&file).unwrap()), (vec!["own.ken".to_owned()], b"what was there".to_vec()));
}
