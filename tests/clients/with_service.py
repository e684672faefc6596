#!/usr/bin/env python3
"""Runs a command while a service answers, in a home of its own that has the models of KEN_HOME and one document.

    KEN_HOME=... tests/clients/with_service.py target/release/ken [--no-token] -- COMMAND ...

`{url}` and `{token}` in the command are those of the service. Exits as the command does; with 1 if the service did not
end in good order.
"""

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

DOCUMENT = "# Signing keys\n\nSigning keys are rotated every ninety days.\n"


@contextmanager
def service(ken, *options):
    """The address and the token of a service that runs meanwhile; no token with `--no-token`."""
    with tempfile.TemporaryDirectory() as scratch:
        home, docs = Path(scratch, "home"), Path(scratch, "docs")
        home.mkdir(mode=0o700)
        docs.mkdir()
        for shared in ("models", "vectors"):
            (home / shared).symlink_to(Path(os.environ["KEN_HOME"], shared))
        (docs / "keys.md").write_text(DOCUMENT)
        variables = {**os.environ, "KEN_HOME": str(home)}
        subprocess.run([ken, "index", "--quiet", "docs"], cwd=scratch, env=variables, check=True,
                       stdout=subprocess.DEVNULL)
        command = [ken, "serve", "--listen", "127.0.0.1:0", *options]
        process = subprocess.Popen(command, cwd=scratch, env=variables, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        try:
            url = process.stdout.readline().strip().rstrip("/")
            token = home / "token"
            yield url, token.read_text().strip() if token.exists() else ""
            process.send_signal(signal.SIGTERM)
            if process.wait(20) != 0:
                sys.exit(f"the service ended with {process.returncode}")
        finally:
            process.kill()


def main():
    options, behind, command = sys.argv[2:], "--", []
    if behind in options:
        at = options.index(behind)
        options, command = options[:at], options[at + 1:]
    if not command:
        sys.exit(__doc__)
    with service(str(Path(sys.argv[1]).resolve()), *options) as (url, token):
        command = [part.replace("{url}", url).replace("{token}", token) for part in command]
        code = subprocess.run(command, check=False).returncode
    sys.exit(code)


if __name__ == "__main__":
    main()
