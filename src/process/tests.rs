use super::*;
use std::os::unix::fs::symlink;

#[path = "../../tests/support/program.rs"]
mod written;

fn program(path: &Path, script: &str) {
    written::program(path, &format!("#!/bin/sh\n{script}\n"));
}

fn programs(variables: &[(&str, &str)], here: &Path) -> Programs {
    Programs::new(variables.iter().map(|(key, value)| ((*key).into(), (*value).into())), here)
}

/// A home with tools, and a repository below it with a folder to work in.
fn place() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    program(&base.join("home/bin/tool"), "true");
    for evil in ["home/repo/tool", "home/repo/bin/tool", "home/repo/sub/tool"] {
        program(&base.join(evil), "false");
    }
    fs::create_dir(base.join("home/repo/.git")).unwrap();
    (dir, base)
}

#[test]
fn programs_of_the_folder_are_never_found() {
    let (_dir, base) = place();
    let home = base.join("home");
    let (repo, own) = (home.join("repo"), home.join("bin/tool"));
    let sub = repo.join("sub");
    symlink(&repo, home.join("by-link")).unwrap();
    symlink(repo.join("bin"), home.join("linked-bin")).unwrap();
    fs::create_dir(home.join("linked")).unwrap();
    symlink(repo.join("tool"), home.join("linked/tool")).unwrap();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let find = |path: &str, here: &Path| programs(&[("HOME", &text(&home)), ("PATH", path)], here).find("tool");
    let bad = [
        ".",
        "",
        "..",
        "bin",
        "../bin",
        &text(&sub),
        &text(&repo),
        &text(&repo.join("bin")),
        &text(&home.join("linked-bin")),
        &text(&home.join("linked")),
        &text(&home.join("by-link/bin")),
    ]
    .map(str::to_owned);
    for here in [sub.clone(), home.join("by-link/sub")] {
        for path in &bad {
            let found = find(path, &here);
            assert!(matches!(found, Err(NotFound::LeftOut(_) | NotFound::Missing)), "{path}: {found:?}");
            let with_own = format!("{path}:{}", text(own.parent().unwrap()));
            assert_eq!(find(&with_own, &here).as_ref(), Ok(&own), "{path}");
        }
    }
    assert_eq!(find(".", &sub), Err(NotFound::LeftOut(sub.join("./tool"))));
    assert_eq!(find("/nonexistent", &sub), Err(NotFound::Missing));
    // By their path as little as by their name.
    let given = programs(&[("HOME", &text(&home)), ("PATH", "/usr/bin")], &sub);
    for path in [repo.join("tool"), home.join("linked/tool"), home.join("by-link/bin/tool")] {
        assert_eq!(given.find(&text(&path)), Err(NotFound::LeftOut(path)));
    }
    assert_eq!(given.find(&text(&own)), Ok(own.clone()));
    assert!(given.find("./tool").is_err() && given.find("../bin/tool").is_err() && given.find("/bin").is_err());
    // In one's own home, and where the system lies, everything is one's own.
    for here in [home.as_path(), &base, Path::new("/"), Path::new("/usr")] {
        assert_eq!(find(&text(own.parent().unwrap()), here).as_ref(), Ok(&own), "{}", here.display());
        assert!(programs(&[("HOME", &text(&home)), ("PATH", "/bin:/usr/bin")], here).find("sh").is_ok());
    }
}

#[test]
fn a_program_works_in_an_empty_folder_with_few_variables() {
    let (_dir, base) = place();
    let home = base.join("home");
    let sub = home.join("repo/sub");
    let inside = sub.join("pip.conf");
    let report = home.join("report");
    program(
        &home.join("bin/show"),
        &format!("{{ pwd; ls -A; ls -ld .; env; }} > {} 2>&1; echo why >&2; exit 3", report.display()),
    );
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let path = format!(".:{}:{}:/usr/bin:/bin", text(&sub), text(&home.join("bin")));
    let cert = text(&home.join("cert.pem"));
    let links = format!("https://a.example/x ./wheels {} /opt/wheels", text(&sub));
    let variables = [
        ("HOME", text(&home)),
        ("PATH", path),
        ("LANG", "de".into()),
        ("LC_ALL", "C".into()),
        ("https_proxy", "http://p:1".into()),
        ("PIP_INDEX_URL", "https://a.example".into()),
        ("PIP_CERT", cert.clone()),
        ("PIP_FIND_LINKS", links),
        ("SSL_CERT_FILE", "cert.pem".into()),
        ("REQUESTS_CA_BUNDLE", text(&inside)),
        ("PIP_CONFIG_FILE", text(&inside)),
        ("PYTHONPATH", text(&sub)),
        ("PYTHONSTARTUP", "x".into()),
        ("PYTHONHOME", text(&sub)),
        ("PIP_PYTHON", text(&sub)),
        ("PIP_LOG", "x".into()),
        ("LD_PRELOAD", String::new()),
        ("PYENV_VERSION", "x".into()),
        ("UV_INDEX", "x".into()),
        ("TMPDIR", ".".into()),
        ("BASH_ENV", text(&inside)),
    ];
    let variables: Vec<(&str, &str)> = variables.iter().map(|(key, value)| (*key, value.as_str())).collect();
    let own = programs(&variables, &sub);
    let near = base.join("near");
    fs::create_dir(&near).unwrap();
    let show = own.find("show").unwrap();
    let ended = own.run(&show, &[], &near).unwrap();
    assert_eq!((ended.status.code(), ended.complaint.as_str()), (Some(3), "why\n"));
    let report = fs::read_to_string(report).unwrap();
    let mut lines = report.lines();
    assert!(lines.next().unwrap().starts_with(near.to_str().unwrap()), "{report}");
    assert!(lines.next().unwrap().starts_with("drwx------"), "it is empty and nobody else's: {report}");
    let names: Vec<&str> = lines.filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    for dropped in
        ["PYTHON", "LD_", "PYENV", "UV_", "PIP_LOG", "PIP_CONFIG", "TMPDIR", "SSL_CERT", "REQUESTS", "BASH_ENV"]
    {
        assert!(!names.iter().any(|name| name.starts_with(dropped)), "{dropped}: {report}");
    }
    for kept in ["HOME", "LANG", "LC_ALL", "https_proxy", "PIP_INDEX_URL"] {
        assert!(names.contains(&kept), "{kept}: {report}");
    }
    assert!(
        report.contains(&format!("PIP_CERT={cert}\n"))
            && report.contains("PIP_FIND_LINKS=https://a.example/x /opt/wheels\n")
    );
    assert!(report.contains(&format!("PATH={}:/usr/bin:/bin\n", text(&home.join("bin")))), "{report}");
    assert_eq!(fs::read_dir(&near).unwrap().count(), 0, "nothing is left");
    // A folder for it in the stranger's folder would have strangers above it.
    own.run(&show, &[], &sub).unwrap();
    assert!(!fs::read_to_string(home.join("report")).unwrap().starts_with(sub.to_str().unwrap()));
}

#[test]
fn the_users_own_configuration_is_kept() {
    let (_dir, base) = place();
    let conf = base.join("home/pip.conf");
    let own = programs(&[("HOME", "/h"), ("PIP_CONFIG_FILE", conf.to_str().unwrap())], &base.join("home/repo/sub"));
    assert!(own.variables.contains(&("PIP_CONFIG_FILE".into(), conf.into())));
}

#[test]
fn the_program_knows_where_it_lies_though_the_system_does_not_say() {
    let (_dir, base) = place();
    let unknown = || Err(io::Error::from(io::ErrorKind::NotFound));
    let tool = base.join("home/bin/tool");
    assert_eq!(located(Ok("/a".into()), Some("/b".into())).unwrap(), Path::new("/a"));
    assert_eq!(located(unknown(), Some(tool.clone().into())).unwrap(), tool);
    // What is not an absolute path could be another program tomorrow.
    for other in ["tool".into(), "./tool".into(), base.join("home/bin").into(), base.join("gone").into()] {
        assert!(located(unknown(), Some(other)).is_err());
    }
    assert!(located(unknown(), None).is_err());
}
