//! Settings, the record of trusted folders, calibrations.

use crate::fuzz::{Reader, Target, outcome, sort_of};
use kenning::config::{Config, Environment, KEYS, Trust, write_user_key};
use kenning::query::Gates;
use kenning::types::Calibration;
use std::path::Path;

pub const CONFIG: Target = Target {
    name: "config",
    seeds: || {
        let lines: String = KEYS.iter().map(|key| format!("# {} = {}\n", key.name, key.default())).collect();
        vec![lines.into_bytes()]
    },
    words: &[
        "[model]\n",
        "name = \"",
        "[index]\n",
        "[hub]\n",
        "token = ",
        "[[a]]\n",
        "[a.b]\n",
        "a.b = ",
        "'''",
        "\"\"\"",
        "{ a = 1 }",
        "1979-05-27T07:32:00Z",
        "0x",
        "inf",
        "true",
        "#",
    ],
    longest: 64 << 10,
    reader: config,
};
pub const TRUST: Target = Target {
    name: "trust",
    seeds: || vec![b"{\"/a\":\"00\"}".to_vec()],
    words: &["{", "}", "\"/a\"", ":", ","],
    longest: 64 << 10,
    reader: trust,
};
pub const CALIBRATION: Target = Target {
    name: "calibration",
    seeds: || vec![toml::to_string(&kenning::eval::neutral()).unwrap().into_bytes()],
    words: &[
        "neighbours = ",
        "[entries]\n",
        "[entries.semantic]\n",
        "[documents]\n",
        "[prior]\n",
        "weights = [",
        "nan",
        "inf",
        "1e39",
        "gate = ",
    ],
    longest: 16 << 10,
    reader: |_| Box::new(calibration),
};

fn config(room: &Path) -> Reader {
    let (user, repository, written) = (room.join("user.toml"), room.join("repository.toml"), room.join("written.toml"));
    let none = Environment::default();
    Box::new(move |input| {
        std::fs::write(&user, input).unwrap();
        std::fs::write(&repository, input).unwrap();
        std::fs::write(&written, input).unwrap();
        let theirs = Config::resolve(None, Some(&repository), &none);
        if let Ok(theirs) = &theirs {
            let secret = |name: &str| KEYS.iter().any(|key| key.name == name && !key.repository);
            let default = Config::resolve(None, None, &none).unwrap();
            assert!(theirs.all().filter(|s| secret(s.key)).all(|s| s.value == default.get(s.key).unwrap().value));
        }
        let ours = match Config::resolve(Some(&user), None, &none) {
            Ok(ours) => ours,
            Err(error) => return outcome((sort_of(&error), theirs.is_ok())),
        };
        // What can be read can be written to, and only what was written is different.
        let kept = write_user_key(&written, "model.name", "other");
        if kept.is_ok() {
            let again = Config::resolve(Some(&written), None, &none).expect("what is written can be read");
            assert!(ours.all().zip(again.all()).all(|(a, b)| a.value == b.value || a.key == "model.name"));
            assert_eq!(again.settings().model.name, "other");
        }
        outcome((
            ours.all().filter(|setting| setting.origin.to_string() != "default").count(),
            theirs.is_ok(),
            kept.is_ok(),
        ))
    })
}

fn trust(room: &Path) -> Reader {
    let (path, folder) = (room.join("trust.json"), room.join(".ken"));
    std::fs::create_dir_all(&folder).unwrap();
    Box::new(move |input| {
        std::fs::write(&path, input).unwrap();
        match Trust::read(&path) {
            Ok(mut trust) => {
                trust.add(&folder).unwrap();
                let state = Trust::read(&path).expect("what is written can be read").state(&folder).unwrap();
                outcome((format!("{state:?}"), trust.remove(&folder).unwrap()))
            }
            Err(error) => sort_of(&error),
        }
    })
}

fn calibration(input: &[u8]) -> u64 {
    match toml::from_str::<Calibration>(&String::from_utf8_lossy(input)) {
        Ok(found) => {
            let written = toml::to_string(&found).unwrap();
            let again: Calibration = toml::from_str(&written).expect("what is written can be read");
            assert_eq!(toml::to_string(&again).unwrap(), written);
            let gates = Gates::new(Some(found.of_documents()), None);
            let prior = found.prior.as_ref().map(|prior| prior.at(&[0.5, 0.5]).is_nan());
            outcome((prior, gates.among(3).is_nan(), found.entries.semantic.at(0.5).is_nan()))
        }
        Err(error) => sort_of(&error.message()),
    }
}
