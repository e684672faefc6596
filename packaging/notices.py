#!/usr/bin/env python3
"""Prints the licences of all crates that are linked into ken: their terms ask for it where binaries are passed on.

    packaging/notices.py [TARGET]

TARGET is the triple that the program was built for, this machine's by default. The texts are those in the crates' own
packages, which cargo has downloaded. Dependencies of the build and of tests are left out, since they are not in the
program. Equal texts are printed once.
"""

import json
import subprocess
import sys
from pathlib import Path

NAMES = ("LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE")


def said(*command):
    """What a command prints, run in the top folder."""
    root = Path(__file__).resolve().parent.parent
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=root, text=True).stdout


def this_machine():
    """The triple of this machine."""
    return next(line.split()[1] for line in said("rustc", "-vV").splitlines() if line.startswith("host: "))


def metadata(target):
    """What cargo knows of this package and its dependencies on a target."""
    return json.loads(said("cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target))


def linked(found):
    """The packages that the program is made of, without this one."""
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    root = found["resolve"]["root"]
    seen, waiting = set(), [root]
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        for dependency in nodes[at]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    packages = [package for package in found["packages"] if package["id"] in seen - {root}]
    return sorted(packages, key=lambda package: (package["name"], package["version"]))


def texts(package):
    """Name and text of each licence file of a package."""
    folder = Path(package["manifest_path"]).parent
    files = {file for file in folder.iterdir() if file.is_file() and file.name.upper().startswith(NAMES)}
    if package["license_file"]:
        files.add(folder / package["license_file"])
    for file in sorted(files):
        lines = file.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").strip("\n").split("\n")
        yield "\n".join(line.rstrip() for line in lines)


def main():
    packages = linked(metadata(sys.argv[1] if len(sys.argv) > 1 else this_machine()))
    users = {}
    print("Libraries of others in ken, with their licences. The texts are below, each with the libraries it is of.")
    print("Where a package has no licence file, the text of LICENSE-MIT holds, with the copyright of its authors.\n")
    for package in packages:
        title = f"{package['name']} {package['version']}"
        own = list(dict.fromkeys(texts(package)))
        line = f"{title}: {package['license'] or 'see its licence file'}"
        if not own:
            authors = f"; authors: {', '.join(package['authors'])}" if package["authors"] else ""
            line += f" (its package has no licence file{authors})"
        print(line)
        for text in own:
            users.setdefault(text, []).append(title)
    for text, titles in sorted(users.items(), key=lambda item: (item[1], item[0])):
        print("\n" + "-" * 80 + "\n" + "\n".join(titles) + "\n" + "-" * 80 + "\n\n" + text)


main()
