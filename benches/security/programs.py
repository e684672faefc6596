#!/usr/bin/env python3
"""Watches which programs every verb of `ken` starts, and whom it connects to, in a folder that means harm.

    python3 benches/security/programs.py target/release/ken

The folder is a repository with a commit that is missing, a configuration of git that names commands for everything,
modules that Python would import, programs that a relative search path would find, a configuration for pip, and a
`.ken` folder that nobody trusts. Each verb runs in it under `strace -f`. A verb fails if

- a program is started that the table of `src/process/mod.rs` does not name for it, or one out of the folder,
- an address outside of this machine is connected to, or any but by a verb that pulls,
- one of the traps leaves its mark,
- it takes longer than LIMIT_S.

Nothing is downloaded: the hub's address is a port of this machine where nobody listens, and pip is told of no index.
Needs strace, git and python3; exits with 1 if a verb fails.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT_S = 30
# So that a lookup has something to say.
LOG = "error: the harvest failed\nError: creating S3 Bucket (logs): BucketAlreadyExists\n"

# What an agent reports of a run.
REPORT = '{"session": "s", "tool": "bash", "input": "make", "exit_code": 2, "error": "make: jq: No such file"}\n'

# What the table lets a verb start, beside `ken` itself: by the name of the file.
PIP = re.compile(r"^(python[0-9.]*|pip[0-9.]*|pypy[0-9.]*)$")
# pyenv's stand-ins for python3 and pip are scripts; these are what they run to find the real one.
STANDIN = re.compile(
    r"^(pyenv[\w-]*|bash|sh|env|dirname|basename|g?readlink|realpath|cut|sort|head|tr|sed|grep|uname)$"
)
# pip asks these what system it is on, and tells the package index.
ASKED_BY_PIP = re.compile(r"^(lsb_release|getopt|rustc|ldconfig|ldd)$")


def verbs(work):
    """Every verb: arguments, input, whether it pulls, the program that it runs for the user.

    `bench builtin` is left out: it does what `lookup` does, for a minute.
    """
    a = str(work / "a.md")
    return [
        (["index", "."], "", False, None),
        (["index", ".", "--json"], "", False, None),
        (["search", "--scope", "here", "harvest of apples"], "", False, None),
        (["search", "harvest", "--json"], "", False, None),
        (["search", "--rerank", "harvest"], "", False, None),
        (["pack", "--scope", "here", "--task", "harvest"], "", False, None),
        (["ask", "what do I know about apples"], "", False, None),
        (["lookup", "-"], LOG, False, None),
        (["lookup", "--json", "-"], LOG, False, None),
        (["run", "--", "false"], "", False, "false"),
        (["status"], "", False, None),
        (["status", "--json"], "", False, None),
        (["export", str(work.parent / "export.jsonl")], "", False, None),
        (["import", str(work.parent / "export.jsonl")], "", False, None),
        (["store", "copy", "--to", str(work.parent / "copied")], "", False, None),
        (["forget", "--path", a], "", False, None),
        (["doctor"], "", False, None),
        (["doctor", "--repair"], "", False, None),
        (["gc"], "", False, None),
        (["gc", "--auto"], "", False, None),
        (["canon", "list"], "", False, None),
        (["canon", "stats"], "", False, None),
        (["canon", "search", "bucket"], "", False, None),
        (["canon", "show", "terraform-aws/s3-bucket-exists"], "", False, None),
        (["canon", "check", ".ken/canon/evil.json"], "", False, None),
        (["model", "list"], "", False, None),
        (["model", "path"], "", False, None),
        (["model", "verify"], "", False, None),
        (["model", "use", "bge-small-en-v1.5"], "", False, None),
        (["model", "import", ".", "--name", "evil"], "", False, None),
        (["model", "rm", "evil"], "", False, None),
        (["model", "pull"], "", True, None),
        (["lookup", "--pull", "the harvest failed"], "", True, None),
        (["bench", "noise", a], "", False, None),
        (["bench", "fingerprint", a], "", False, None),
        (["bench", "embed"], "", False, None),
        (["config", "show"], "", False, None),
        (["config", "sample"], "", False, None),
        (["config", "path"], "", False, None),
        (["completions", "bash"], "", False, None),
        (["purge", "--yes"], "", False, None),
        (["trust"], "", False, None),
        # What a trusted folder sets counts only as far as a repository may set it.
        (["lookup", "-"], LOG, False, None),
        (["hook", "post-tool"], REPORT, False, None),
        (["hook", "install", "cursor"], "", False, None),
        (["outcomes"], "", False, None),
        (["outcomes", "--all", "--json"], "", False, None),
        (["patterns", "list"], "", False, None),
        (["patterns", "find"], "", False, None),
        (["patterns", "show", "0"], "", False, None),
        (["patterns", "reject", "0"], "", False, None),
        (["patterns", "promote", "0"], "", False, None),
        (["patterns", "propose-canon", "--least", "1"], "", False, None),
        (["init", "--client", "cursor", "--dry-run"], "", False, None),
        (["init", "--client", "cursor"], "", False, None),
        (["init", "--remove"], "", False, None),
        (["bench", "problems", a], "", False, None),
        (["tools", "add", str(work / "tools.json")], "", False, None),
        (["tools", "list"], "", False, None),
        (["tools", "find", "count", "apples"], "", False, None),
        (["tools", "plan", "count", "apples"], "", False, None),
        (["tools", "approve", "count_apples"], "", False, None),
        (["tools", "remove", "count_apples"], "", False, None),
        (["gateway", "--config", str(work / "tools.json")], "", False, None),
        (["--help"], "", False, None),
    ]


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def hostile(work, marks):
    """Builds the folder."""
    quiet = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"}
    quiet["PATH"] = os.environ["PATH"]

    def git(*arguments):
        line = ["git", "-C", str(work), "-c", "user.name=A", "-c", "user.email=a@example.com", *arguments]
        subprocess.run(line, check=True, env=quiet, capture_output=True)

    work.mkdir(parents=True)
    git("init", "-q", "-b", "main")
    write(work / "a.md", "# Apples\n\nThe harvest of apples begins in September, when the nights are cool.\n")
    write(work / "tools.json", '[{"name": "count_apples", "description": "Count apples"}]\n')
    git("add", "a.md")
    git("commit", "-q", "-m", "first")

    def mark(name):
        return f"touch {marks}/{name}"

    command = work / "evil"
    write(command, f"#!/bin/sh\n{mark('git-config')}\nexit 1\n", 0o755)
    write(
        work / ".git/config",
        f"""[core]
\trepositoryformatversion = 1
\tsshCommand = {command}
\tfsmonitor = {command}
\thooksPath = {work}/hooks
\tpager = {command}
\teditor = {command}
\tgitProxy = {command}
[extensions]
\tpartialClone = origin
[alias]
\trev-list = !{command}
\trev-parse = !{command}
\tcat-file = !{command}
[credential]
\thelper = !{command}
[filter "x"]
\tclean = {command}
\tsmudge = {command}
[diff]
\texternal = {command}
[remote "origin"]
\turl = ssh://host.invalid/x
\tpromisor = true
\tpartialclonefilter = tree:0
\tuploadpack = {command}
""",
    )
    write(work / ".git/refs/heads/main", "1" * 40 + "\n")
    write(work / ".gitattributes", "* filter=x diff=x\n")
    for hook in ["post-checkout", "reference-transaction", "post-index-change", "fsmonitor-watchman"]:
        write(work / "hooks" / hook, f"#!/bin/sh\n{mark('hook')}\n", 0o755)
    names = ["python3", "python", "pip", "pip3", "uv", "git", "ssh", "sh", "less", "curl", "ken", "id", "uname", "env"]
    for name in names:
        for folder in [work, work / "bin"]:
            write(folder / name, f"#!/bin/sh\n{mark('program-' + name)}\nexit 1\n", 0o755)
    for module in ["pip", "json", "logging", "sitecustomize", "usercustomize", "encodings", "startup"]:
        write(work / f"{module}.py", f"open({str(marks / ('module-' + module))!r}, 'w')\n")
    write(work / "pip.conf", f"[global]\nlog = {marks}/pip-conf\n")
    write(work / ".python-version", "evil\n")
    write(work / "pyproject.toml", "[tool.uv]\nindex-url = 'http://host.invalid'\n")
    write(work / ".netrc", "machine host.invalid login a password b\n")
    settings = f"[pip]\ncommand = '{command}'\n[hub]\nendpoint = 'http://host.invalid'\n[model]\nauto_pull = true\n"
    write(work / ".ken/config.toml", settings)
    write(work / ".ken/canon/evil.json", '{"schema_version": 1, "pack": "evil", "title": "E", "entries": []}\n')


CALL = re.compile(r"^(?:\[pid +\d+\] |\d+ +)?(\w+)\((.*)$")


def watch(ken, work, home, arguments, given, pulls, own):
    """What is wrong with one verb, and what it started."""
    trace = home.parent / "trace"
    environment = {
        "PATH": f".:bin::{os.environ['PATH']}",
        "HOME": str(home),
        "KEN_HOME": str(home / "ken"),
        "PYTHONPATH": str(work),
        "PYTHONSTARTUP": "startup.py",
        "PIP_CONFIG_FILE": "pip.conf",
        "PIP_PYTHON": str(work / "python3"),
        "BASH_ENV": str(work / "evil"),
        "ENV": str(work / "evil"),
        "GIT_SSH_COMMAND": str(work / "evil"),
        "PAGER": str(work / "less"),
        "EDITOR": str(work / "evil"),
    }
    if pulls:
        (home / "empty").mkdir(exist_ok=True)
        environment |= {"HF_ENDPOINT": "http://127.0.0.1:9", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(home / "empty")}
    # strace itself is found before the search path is the hostile one.
    calls = "trace=execve,execveat,connect,sendto,socket"
    line = [shutil.which("strace"), "-f", "-qq", "-s", "4096", "-e", calls, "-o", str(trace), str(ken), *arguments]
    how = {"cwd": work, "env": environment, "input": given.encode(), "capture_output": True, "timeout": LIMIT_S}
    begun = time.monotonic()
    try:
        ran = subprocess.run(line, **how)
        code = ran.returncode
    except subprocess.TimeoutExpired:
        return [f"no end after {LIMIT_S} s"], [], None, LIMIT_S
    took = time.monotonic() - begun
    faults, started = [], []
    if b"panicked" in ran.stderr or code == 70:
        faults.append(f"a fault of ours: {ran.stderr[-200:]!r}")
    if code == 2 and b"Usage:" in ran.stderr:
        faults.append(f"no such arguments: {ran.stderr[:200]!r}")
    for row in trace.read_text(errors="replace").splitlines():
        found = CALL.match(row)
        if not found:
            continue
        call, rest = found.groups()
        if call in ("execve", "execveat"):
            program = rest.split('"')[1] if '"' in rest else "?"
            if rest.rstrip().endswith("= 0") and program != str(ken):
                started.append(program)
            name = os.path.basename(program)
            inside = not os.path.isabs(program) or os.path.realpath(program).startswith(str(work) + os.sep)
            if program == str(ken) or (own == name):
                continue
            if inside:
                faults.append(f"a program of the folder: {program}")
            elif not (pulls and any(kind.match(name) for kind in (PIP, STANDIN, ASKED_BY_PIP))):
                faults.append(f"a program that no table names: {program}")
        elif call in ("connect", "sendto") and "sa_family" in rest:
            local = "AF_UNIX" in rest or "127.0.0.1" in rest or '"::1"' in rest or "AF_NETLINK" in rest
            if not local or ("AF_INET" in rest and not pulls):
                faults.append(f"a connection: {call}({rest[:120]}")
        elif call == "socket" and "AF_INET" in rest and not pulls:
            faults.append(f"a socket for the network: {rest[:80]}")
    return faults, started, code, took


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    ken = Path(sys.argv[1]).resolve()
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="ken-programs-") as folder:
        base = Path(folder).resolve()
        work, marks, home = base / "work", base / "marks", base / "home"
        marks.mkdir()
        home.mkdir()
        hostile(work, marks)
        print(f"{'verb':<46} {'exit':>4} {'s':>6}  started")
        for arguments, given, pulls, own in verbs(work):
            faults, started, code, took = watch(ken, work, home, arguments, given, pulls, own)
            left = sorted(path.name for path in marks.iterdir())
            faults += [f"a trap was sprung: {name}" for name in left]
            for name in left:
                (marks / name).unlink()
            label = "ken " + " ".join("FILE" if str(base) in word else word for word in arguments)
            names = sorted({os.path.basename(program) for program in started})
            print(f"{label[:46]:<46} {code!s:>4} {took:6.2f}  {' '.join(names) or '-'}")
            for fault in dict.fromkeys(faults):
                print(f"    FAILED: {fault}")
            passed, failed = passed + (not faults), failed + bool(faults)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
