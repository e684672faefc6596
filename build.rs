//! Lists the packs of `canon/` and the manifests of `models/` for the compiler, so that adding one is adding a file.
//! Reads file names only; downloads and compiles nothing.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    for (folder, ending, target) in [("canon", "json", "packs.rs"), ("models", "toml", "manifests.rs")] {
        println!("cargo::rerun-if-changed={folder}");
        let mut files: Vec<_> = fs::read_dir(Path::new(&root).join(folder))
            .unwrap_or_else(|e| panic!("{folder}/ must be readable: {e}"))
            .map(|entry| entry.expect("a folder entry is readable").path())
            .filter(|path| path.extension().is_some_and(|e| e == ending))
            .collect();
        files.sort();
        let mut list = String::from("&[");
        for path in files {
            let name = path.file_stem().and_then(|s| s.to_str()).expect("file names are UTF-8");
            write!(list, "({name:?}, include_str!({:?})),", path).expect("writing to a string");
        }
        list.push(']');
        fs::write(Path::new(&out).join(target), list).expect("OUT_DIR is writable");
    }
}
