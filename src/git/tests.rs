//! Against git itself, and against repositories that mean harm or are broken.

use super::*;
use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Runs git, which only tests do; what it prints.
fn git(folder: &Path, arguments: &[&str]) -> String {
    let out = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1"), ("HOME", "/nonexistent")])
        .output()
        .unwrap();
    assert!(out.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// What was asked of git before.
fn by_git(folder: &Path) -> String {
    git(folder, &["rev-list", "--max-parents=0", "HEAD"]).lines().min().unwrap().to_owned()
}

#[track_caller]
fn same(folder: &Path) -> String {
    let (found, known) = (first_commit(folder).unwrap().id, by_git(folder));
    assert_eq!(found, known);
    assert!(holds(folder, &known) && holds(folder, git(folder, &["rev-parse", "HEAD"]).trim()));
    let tree = git(folder, &["rev-parse", "HEAD^{tree}"]);
    assert!(!holds(folder, tree.trim()), "a tree is no commit");
    found
}

fn commit(folder: &Path, message: &str) {
    git(folder, &["commit", "-q", "--allow-empty", "-m", message]);
}

/// A repository of some commits, two of them branched off and merged.
fn with_history(base: &Path, name: &str, options: &[&str]) -> PathBuf {
    let folder = base.join(name);
    fs::create_dir_all(&folder).unwrap();
    git(&folder, &[&["init", "-q", "-b", "main"], options].concat());
    for number in 0..6 {
        fs::write(folder.join("a"), format!("{number}")).unwrap();
        git(&folder, &["add", "a"]);
        // Long and alike, so that a pack has deltas of commits. Two repositories of one second are told apart by name.
        commit(&folder, &format!("{name} {number}\n\n{}", "The same words in every commit. ".repeat(40)));
    }
    git(&folder, &["checkout", "-q", "-b", "side", "HEAD~2"]);
    commit(&folder, "side");
    git(&folder, &["checkout", "-q", "main"]);
    git(&folder, &["merge", "-q", "--no-edit", "side"]);
    folder
}

/// A history without a common beginning, merged in.
fn merge_unrelated(folder: &Path, name: &str) {
    git(folder, &["checkout", "-q", "--orphan", name]);
    commit(folder, name);
    git(folder, &["checkout", "-q", "main"]);
    git(folder, &["merge", "-q", "--no-edit", "--allow-unrelated-histories", name]);
}

fn temporary() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    (dir, base)
}

#[test]
fn the_same_commit_as_git_finds() {
    let (_dir, base) = temporary();
    let one = with_history(&base, "one", &[]);
    let root = same(&one);
    assert_eq!(root.len(), 40);
    assert_eq!(first_commit(&one.join("not/there/yet")).unwrap().id, root, "from below");

    git(&base, &["clone", "-q", "one", "two"]);
    assert_eq!(same(&base.join("two")), root);
    git(&base, &["clone", "-q", "--shared", "one", "shared"]);
    commit(&base.join("shared"), "own");
    assert_eq!(same(&base.join("shared")), root);
    git(&base, &["clone", "-q", "--shared", "shared", "of-shared"]);
    assert_eq!(same(&base.join("of-shared")), root);
    git(&one, &["worktree", "add", "-q", "../tree", "side"]);
    assert_eq!(same(&base.join("tree")), root);
    git(&one, &["worktree", "add", "-q", "--detach", "../detached", "HEAD~3"]);
    assert_eq!(same(&base.join("detached")), root);
    let outer = with_history(&base, "outer", &[]);
    merge_unrelated(&outer, "other");
    git(&outer, &["submodule", "--quiet", "add", "../one", "inner"]);
    commit(&outer, "with a submodule");
    assert_eq!(same(&outer.join("inner")), root);
    assert_ne!(same(&outer), root);

    // Packed, references too; then more on top.
    git(&one, &["gc", "-q", "--aggressive", "--prune=now"]);
    assert!(one.join(".git/packed-refs").exists() && !one.join(".git/refs/heads/main").exists());
    assert_eq!(same(&one), root);
    commit(&one, "loose");
    assert_eq!(same(&one), root);
    git(&one, &["repack", "-q", "-a", "-d", "-f", "--depth=40", "--window=40"]);
    assert_eq!(same(&one), root);
    git(&one, &["checkout", "-q", "--detach", "HEAD~1"]);
    assert_eq!(same(&one), root);
}

#[test]
fn packs_of_every_kind() {
    let (_dir, base) = temporary();
    for format in ["sha1", "sha256"] {
        let folder = with_history(&base, format, &[&format!("--object-format={format}")]);
        merge_unrelated(&folder, "second");
        merge_unrelated(&folder, "third");
        let root = same(&folder);
        assert_eq!(root.len(), if format == "sha1" { 40 } else { 64 });
        for options in [
            &["-c", "pack.indexVersion=1"][..],
            &["-c", "pack.indexVersion=2"],
            // Deltas that name their base by its id.
            &["-c", "repack.useDeltaBaseOffset=false"],
            &["-c", "pack.writeReverseIndex=false", "-c", "repack.writeBitmaps=false"],
        ] {
            fs::remove_dir_all(folder.join(".git/objects/info")).ok();
            let repack = ["repack", "-q", "-a", "-d", "-f", "--depth=50", "--window=50"];
            git(&folder, &[options, &repack[..]].concat());
            assert_eq!(same(&folder), root, "{options:?}");
        }
    }
}

/// Places beyond 2 GiB stand in a table of their own, which git can be told to use.
#[test]
fn an_index_with_large_places() {
    let (_dir, base) = temporary();
    let folder = with_history(&base, "one", &[]);
    let root = same(&folder);
    git(&folder, &["repack", "-q", "-a", "-d"]);
    let packs = folder.join(".git/objects/pack");
    let pack = fs::read_dir(&packs).unwrap().map(|e| e.unwrap().path()).find(|p| p.extension().unwrap() == "pack");
    let pack = pack.unwrap();
    let index = pack.with_extension("idx");
    fs::remove_file(&index).unwrap();
    let names = [index.to_str().unwrap(), pack.to_str().unwrap()];
    git(&folder, &["index-pack", "--index-version=2,0x40", "-o", names[0], names[1]]);
    assert_eq!(same(&folder), root);
}

#[test]
fn the_commit_graph_alone_and_in_a_chain() {
    let (_dir, base) = temporary();
    for format in ["sha1", "sha256"] {
        let folder = with_history(&base, format, &[&format!("--object-format={format}")]);
        merge_unrelated(&folder, "second");
        // More than two parents stand in a table of their own.
        for name in ["x", "y", "z"] {
            git(&folder, &["checkout", "-q", "-b", name, "HEAD~1"]);
            commit(&folder, name);
        }
        git(&folder, &["checkout", "-q", "main"]);
        git(&folder, &["merge", "-q", "--no-edit", "x", "y", "z"]);
        let root = same(&folder);
        let reads_graph = |folder: &Path| {
            let layout = Layout::discover(folder).unwrap();
            let graph = graph::Graph::open(&layout.object_folders().unwrap(), root.len() / 2).unwrap();
            let head = refs::head(&layout).unwrap();
            let at = graph.find(&head)?;
            assert_eq!(graph.id(at).unwrap(), head);
            Some(graph.count())
        };
        git(&folder, &["commit-graph", "write", "--reachable"]);
        assert_eq!(same(&folder), root);
        let count = git(&folder, &["rev-list", "--count", "--all"]);
        assert_eq!(reads_graph(&folder).unwrap().to_string(), count.trim());
        commit(&folder, "above the graph");
        assert!(reads_graph(&folder).is_none());
        assert_eq!(same(&folder), root);
        fs::remove_file(folder.join(".git/objects/info/commit-graph")).unwrap();
        git(&folder, &["commit-graph", "write", "--reachable", "--split=no-merge"]);
        merge_unrelated(&folder, "third");
        git(&folder, &["commit-graph", "write", "--reachable", "--split=no-merge"]);
        let chain = fs::read_to_string(folder.join(".git/objects/info/commit-graphs/commit-graph-chain")).unwrap();
        assert_eq!(chain.lines().count(), 2);
        let count = git(&folder, &["rev-list", "--count", "--all"]);
        assert_eq!(reads_graph(&folder).unwrap().to_string(), count.trim());
        same(&folder);
        // A clone that shares the objects shares the graph.
        git(&base, &["clone", "-q", "--shared", format, &format!("{format}-shared")]);
        same(&base.join(format!("{format}-shared")));
    }
}

#[test]
fn without_a_whole_history_there_is_no_first_commit() {
    let (_dir, base) = temporary();
    let one = with_history(&base, "one", &[]);
    git(&base, &["clone", "-q", "--depth=2", &format!("file://{}", one.display()), "shallow"]);
    assert!(matches!(first_commit(&base.join("shallow")), Err(GitError::Shallow)));
    assert!(holds(&base.join("shallow"), git(&base.join("shallow"), &["rev-parse", "HEAD"]).trim()));
    let empty = base.join("empty");
    fs::create_dir(&empty).unwrap();
    git(&empty, &["init", "-q"]);
    assert!(matches!(first_commit(&empty), Err(GitError::NoHead)));
    assert!(!holds(&empty, &"1".repeat(40)) && !holds(&empty, "main") && !holds(&base, &"1".repeat(40)));
    assert!(matches!(first_commit(&base), Err(GitError::NoRepository)));
    // A folder called .git that is none is passed by on the way up, as git does.
    fs::create_dir_all(one.join("sub/.git")).unwrap();
    assert_eq!(first_commit(&one.join("sub")).unwrap().id, by_git(&one.join("sub")));
    let tables = base.join("tables");
    fs::create_dir(&tables).unwrap();
    git(&tables, &["init", "-q", "--ref-format=reftable"]);
    commit(&tables, "one");
    assert!(matches!(first_commit(&tables), Err(GitError::NoHead)));
}

/// What another repository's replacement or a broken graph says does not matter where git would not be asked.
#[test]
fn replaced_commits_are_those_they_were() {
    let (_dir, base) = temporary();
    let one = with_history(&base, "one", &[]);
    let root = same(&one);
    git(&one, &["replace", "--graft", "HEAD~1"]);
    assert_eq!(first_commit(&one).unwrap().id, root);
}

#[cfg(unix)]
#[test]
fn links_are_followed_where_git_puts_them_and_nowhere_else() {
    use std::os::unix::fs::symlink;
    let (_dir, base) = temporary();
    let one = with_history(&base, "one", &[]);
    let root = same(&one);
    let two = base.join("two");
    fs::create_dir(&two).unwrap();
    symlink("../one/.git", two.join(".git")).unwrap();
    assert_eq!(same(&two), root);
    // The older way to write HEAD.
    fs::remove_file(one.join(".git/HEAD")).unwrap();
    symlink("refs/heads/main", one.join(".git/HEAD")).unwrap();
    assert_eq!(same(&one), root);
    git(&one, &["pack-refs", "--all"]);
    assert_eq!(same(&one), root);
    let head = git(&one, &["rev-parse", "main"]);
    let secret = base.join("secret");
    fs::write(&secret, &head).unwrap();
    for target in ["../../secret", "/dev/zero", "HEAD", "refs/../../../secret"] {
        fs::remove_file(one.join(".git/HEAD")).unwrap();
        symlink(target, one.join(".git/HEAD")).unwrap();
        assert!(first_commit(&one).is_err(), "{target}");
    }
}

/// Each of these once made somebody wait, or read without end.
#[cfg(unix)]
#[test]
fn traps_are_answered_at_once() {
    use std::os::unix::fs::symlink;
    let (_dir, base) = temporary();
    let fifo = |path: &Path| {
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    };
    let trap = |name: &str, set: &dyn Fn(&Path)| {
        let folder = with_history(&base, name, &[]);
        git(&folder, &["gc", "-q"]);
        set(&folder.join(".git"));
        assert!(first_commit(&folder).is_err(), "{name}");
    };
    let replace = |path: PathBuf, with: &dyn Fn(&Path)| {
        fs::remove_file(&path).ok();
        with(&path);
    };
    trap("head-fifo", &|dot| replace(dot.join("HEAD"), &fifo));
    trap("head-endless", &|dot| replace(dot.join("HEAD"), &|path| symlink("/dev/zero", path).unwrap()));
    trap("head-huge", &|dot| fs::File::create(dot.join("HEAD")).unwrap().set_len(1 << 40).unwrap());
    trap("packed-refs-fifo", &|dot| replace(dot.join("packed-refs"), &fifo));
    trap("commondir-fifo", &|dot| fifo(&dot.join("commondir")));
    trap("circle", &|dot| {
        fs::create_dir_all(dot.join("refs/heads")).unwrap();
        fs::write(dot.join("refs/heads/main"), "ref: refs/heads/other\n").unwrap();
        fs::write(dot.join("refs/heads/other"), "ref: refs/heads/main\n").unwrap();
    });
    trap("link-circle", &|dot| {
        fs::create_dir_all(dot.join("refs/heads")).unwrap();
        symlink("refs/heads/other", dot.join("refs/heads/main")).unwrap();
        symlink("refs/heads/main", dot.join("refs/heads/other")).unwrap();
    });
    trap("itself", &|dot| {
        fs::remove_dir_all(dot).unwrap();
        fs::write(dot, "gitdir: .git\n").unwrap();
    });
    trap("device", &|dot| {
        fs::remove_dir_all(dot).unwrap();
        fs::write(dot, "gitdir: /dev/zero\n").unwrap();
    });
    trap("no-pack", &|dot| {
        remove_graph(dot);
        fs::remove_dir_all(dot.join("objects/pack")).unwrap();
    });
    trap("pack-fifo", &|dot| {
        remove_graph(dot);
        let pack = pack_of(dot).with_extension("pack");
        fs::remove_file(&pack).unwrap();
        fifo(&pack);
    });
    trap("index-link", &|dot| {
        remove_graph(dot);
        let index = pack_of(dot);
        let moved = dot.parent().unwrap().join("moved");
        fs::rename(&index, &moved).unwrap();
        symlink(&moved, &index).unwrap();
    });
    // Alternates that lead in circles, and to what is no folder.
    let folder = with_history(&base, "alternates", &[]);
    let own = folder.join(".git/objects");
    let names = format!("{0}\n/dev/zero\n../objects\n# x\n\"x\n{0}/../objects\n/nonexistent\n", own.display());
    fs::write(own.join("info/alternates"), names).unwrap();
    assert_eq!(first_commit(&folder).unwrap().id, by_git(&folder));
}

fn pack_of(dot: &Path) -> PathBuf {
    let files = fs::read_dir(dot.join("objects/pack")).unwrap().map(|e| e.unwrap().path());
    files.into_iter().find(|p| p.extension().is_some_and(|e| e == "idx")).unwrap()
}

fn remove_graph(dot: &Path) {
    fs::remove_file(dot.join("objects/info/commit-graph")).ok();
    fs::remove_dir_all(dot.join("objects/info/commit-graphs")).ok();
}

/// A repository whose `HEAD` is one object of a pack that was made by hand.
fn with_pack(folder: &Path, objects: &[(Id, Vec<u8>)], head: Id) {
    let dot = folder.join(".git");
    fs::create_dir_all(dot.join("objects/pack")).unwrap();
    fs::create_dir_all(dot.join("refs")).unwrap();
    fs::write(dot.join("HEAD"), head.to_string()).unwrap();
    let mut pack = b"PACK\0\0\0\x02".to_vec();
    pack.extend((objects.len() as u32).to_be_bytes());
    let mut rows: Vec<(Id, u32)> = Vec::new();
    for (id, bytes) in objects {
        rows.push((*id, pack.len() as u32));
        pack.extend(bytes);
    }
    pack.extend([0; 20]);
    rows.sort();
    let mut index = b"\xfftOc\0\0\0\x02".to_vec();
    for byte in 0..256 {
        let below = rows.iter().filter(|(id, _)| usize::from(id.as_bytes()[0]) <= byte).count();
        index.extend((below as u32).to_be_bytes());
    }
    rows.iter().for_each(|(id, _)| index.extend(id.as_bytes()));
    rows.iter().for_each(|_| index.extend([0; 4]));
    rows.iter().for_each(|(_, place)| index.extend(place.to_be_bytes()));
    index.extend([0; 40]);
    let name = dot.join("objects/pack").join(format!("pack-{}", "0".repeat(40)));
    fs::write(name.with_extension("pack"), pack).unwrap();
    fs::write(name.with_extension("idx"), index).unwrap();
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut out, bytes).unwrap();
    out.finish().unwrap()
}

/// An object as a pack has it.
fn packed(kind: u8, base: &[u8], bytes: &[u8]) -> Vec<u8> {
    let (mut size, mut out) = (bytes.len() >> 4, vec![kind << 4 | (bytes.len() & 15) as u8]);
    while size > 0 {
        *out.last_mut().unwrap() |= 0x80;
        out.push((size & 0x7f) as u8);
        size >>= 7;
    }
    out.extend(base);
    out.extend(zlib(bytes));
    out
}

fn id(byte: u8) -> Id {
    Id::from_bytes(&[byte; 20]).unwrap()
}

fn size(mut value: usize) -> Vec<u8> {
    let mut out = Vec::new();
    while value > 0x7f {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

#[test]
fn packs_made_by_hand_for_harm() {
    let (_dir, base) = temporary();
    let text = format!("tree {}\nauthor A <a@example.com> 0 +0000\n\nx\n", "1".repeat(40));
    let made = |name: &str, objects: &[(Id, Vec<u8>)], head: Id| {
        with_pack(&base.join(name), objects, head);
        first_commit(&base.join(name))
    };
    // The maker makes what can be read.
    let plain = packed(1, &[], text.as_bytes());
    assert_eq!(made("plain", &[(id(7), plain.clone())], id(7)).unwrap().id, id(7).to_string());
    let whole = [size(text.len()), size(text.len()), vec![0x80 | 16, text.len() as u8]].concat();
    let on = |base: Id, delta: &[u8]| packed(7, base.as_bytes(), delta);
    assert!(made("delta", &[(id(7), plain.clone()), (id(8), on(id(7), &whole))], id(8)).is_ok());
    assert!(holds(&base.join("delta"), &id(8).to_string()));
    // Two deltas, each on the other; one on itself.
    let found = made("circle", &[(id(7), on(id(8), &whole)), (id(8), on(id(7), &whole))], id(7));
    assert!(matches!(found, Err(GitError::Bound(_))), "{found:?}");
    assert!(!holds(&base.join("circle"), &id(7).to_string()));
    assert!(made("itself", &[(id(7), on(id(7), &whole))], id(7)).is_err());
    assert!(made("itself-by-place", &[(id(7), packed(6, &[0], &whole))], id(7)).is_err());
    assert!(made("before-all", &[(id(7), packed(6, &[0xff, 0xff, 0x7f], &whole))], id(7)).is_err());
    // A delta that makes 16 GB of a page.
    let mut bomb = [size(text.len()), size(16 << 30)].concat();
    bomb.extend([0x80 | 16, text.len() as u8].repeat(100_000));
    assert!(made("bomb", &[(id(7), plain.clone()), (id(8), on(id(7), &bomb))], id(8)).is_err());
    // Deltas that each double what is below, far beyond the bound.
    let mut chain = vec![(id(1), plain.clone())];
    let mut long = text.len();
    for step in 2..60 {
        let mut delta = [size(long), size(long * 2)].concat();
        let copy = [0x80 | 16 | 32 | 64, long as u8, (long >> 8) as u8, (long >> 16) as u8];
        delta.extend([copy, copy].concat());
        chain.push((id(step), on(id(step - 1), &delta)));
        long = (long * 2).min(1 << 40);
    }
    assert!(made("doubling", &chain, id(59)).is_err());
    // A commit of parents without end, a message of zeros without end, another kind of object, a torn stream.
    let parents = format!("tree {}\n{}", "1".repeat(40), format!("parent {}\n", "2".repeat(40)).repeat(200_000));
    assert!(made("parents", &[(id(7), packed(1, &[], parents.as_bytes()))], id(7)).is_err());
    let message = [text.as_bytes(), &vec![0; 200 << 20]].concat();
    assert!(made("message", &[(id(7), packed(1, &[], &message))], id(7)).is_ok(), "only its head is read");
    assert!(made("blob", &[(id(7), packed(3, &[], text.as_bytes()))], id(7)).is_err());
    let torn = [&plain[..6], &[0xff; 40]].concat();
    assert!(made("torn", &[(id(7), torn)], id(7)).is_err());
    // Counts and places of an index.
    for (at, with) in
        [(8 + 255 * 4, [0xff; 4]), (8 + 7 * 4, [0xff; 4]), (8 + 1024 + 20 + 4, [0x7f; 4]), (8 + 1024 + 24, [0xff; 4])]
    {
        let folder = base.join(format!("index-{at}"));
        with_pack(&folder, &[(id(7), plain.clone())], id(7));
        let index = pack_of(&folder.join(".git"));
        let mut bytes = fs::read(&index).unwrap();
        bytes[at..at + 4].copy_from_slice(&with);
        fs::write(&index, bytes).unwrap();
        // The table by first bytes may say too much where the count bounds it.
        assert!(first_commit(&folder).is_err() || at == 8 + 7 * 4, "{at}");
    }
}

#[test]
fn a_loose_commit_that_is_a_bomb_or_torn() {
    let (_dir, base) = temporary();
    let dot = base.join(".git");
    fs::create_dir_all(dot.join("objects/77")).unwrap();
    fs::create_dir_all(dot.join("refs")).unwrap();
    fs::write(dot.join("HEAD"), "77".repeat(20)).unwrap();
    let object = dot.join("objects/77").join("77".repeat(19));
    let text = format!("commit 90\0tree {}\nauthor A <a@example.com> 0 +0000\n\nx\n", "1".repeat(40));
    fs::write(&object, zlib(text.as_bytes())).unwrap();
    assert!(first_commit(&base).is_ok());
    let parent = format!("commit 90\0tree {0}\nparent {0}\n", "1".repeat(40));
    let parents = [parent.clone().into_bytes(), b"parent ".repeat(30 << 20)].concat();
    for bytes in [&zlib(text.as_bytes())[..20], &zlib(&parents), &zlib(parent.as_bytes()), b"", &vec![0; 2 << 20]] {
        fs::write(&object, bytes).unwrap();
        assert!(first_commit(&base).is_err());
    }
}

/// The files that an answer depends on, of a repository with packs, a graph, loose objects and packed references.
#[cfg(unix)]
fn files(dot: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dot).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, out);
        } else if !["hooks", "logs", "description", "index"].iter().any(|other| path.to_str().unwrap().contains(other))
        {
            out.push(path);
        }
    }
}

#[cfg(unix)]
#[test]
fn flipped_bytes_never_end_the_program_nor_take_long() {
    let (_dir, base) = temporary();
    let mut all = Vec::new();
    for (name, graph) in [("plain", false), ("graph", true)] {
        let folder = with_history(&base, name, &[]);
        git(&folder, &["repack", "-q", "-a", "-d", "-f", "--depth=50", "--window=50"]);
        git(&folder, &["pack-refs", "--all"]);
        if graph {
            git(&folder, &["commit-graph", "write", "--reachable"]);
        }
        commit(&folder, "loose");
        let mut inside = Vec::new();
        files(&folder.join(".git"), &mut inside);
        all.extend(inside.into_iter().map(|path| {
            fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
            (folder.clone(), fs::read(&path).unwrap(), path)
        }));
    }
    let flips = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6);
    let cases = (any::<prop::sample::Index>(), flips, prop::option::of(any::<prop::sample::Index>()));
    let config = ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() };
    proptest!(config, |((file, flips, cut) in cases)| {
        let (folder, sound, path) = &all[file.index(all.len())];
        let mut bytes = sound.clone();
        for (at, with) in &flips {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] ^= with;
            }
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        fs::write(path, bytes).unwrap();
        let _ = first_commit(folder);
        holds(folder, &"7".repeat(40));
        fs::write(path, sound).unwrap();
    });
}
