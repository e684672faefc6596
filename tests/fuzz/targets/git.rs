//! Git repositories of strangers: references, loose commits, packs with their index, commit graphs.

use crate::fuzz::{Reader, Target, emptied, files, outcome, sort_of};
use kenning::git::{FirstCommit, first_commit, holds};
use std::path::{Component, Path};

/// The files of a `.git`, each with a line feed after its bytes.
pub const GIT: Target = Target {
    name: "git",
    seeds: Vec::new,
    words: &[
        "=== HEAD\n",
        "=== packed-refs\n",
        "=== refs/heads/main\n",
        "=== commondir\n",
        "=== shallow\n",
        "=== objects/info/alternates\n",
        "=== objects/info/commit-graph\n",
        "ref: refs/heads/main\n",
        "ref: ../../x\n",
        "tree ",
        "parent ",
        "author ",
        "commit ",
        "\0",
        "\n\n",
        "PACK",
        "\0\0\0\x02",
        "tOc",
        "CGPH",
        "OIDF",
        "OIDL",
        "CDAT",
        "GDA2",
        "EDGE",
        "BASE",
        "x\x01",
        "x\u{9c}",
        "gitdir: ",
        "^",
    ],
    longest: 32 << 10,
    reader: git,
};

fn git(room: &Path) -> Reader {
    let folder = room.join("repository");
    Box::new(move |input| {
        emptied(&folder);
        let git = folder.join(".git");
        std::fs::create_dir_all(git.join("objects/pack")).unwrap();
        std::fs::create_dir_all(git.join("refs")).unwrap();
        for (name, bytes) in files(input).into_iter().take(24) {
            let path = Path::new(&name);
            let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
            if !plain || name.contains('\0') || name.len() > 100 {
                continue;
            }
            let path = git.join(path);
            // A file may stand where a folder is wanted.
            if std::fs::create_dir_all(path.parent().unwrap_or(&git)).is_ok() {
                drop(std::fs::write(path, bytes.strip_suffix(b"\n").unwrap_or(&bytes)));
            }
        }
        match first_commit(&folder) {
            Ok(FirstCommit { id, .. }) => {
                assert!(matches!(id.len(), 40 | 64) && id.bytes().all(|b| b.is_ascii_hexdigit()), "{id}");
                outcome((id.len(), holds(&folder, &id), holds(&folder, "00")))
            }
            Err(error) => sort_of(&error),
        }
    })
}
