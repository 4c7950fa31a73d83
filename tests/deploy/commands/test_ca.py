"""`redtape ca`: where the certificate is, and what a shell must set."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from deploy import ca


def test_path(redtape) -> None:
    """Absolute, made when missing, and nothing else on stdout."""
    done = redtape("ca", "path")

    assert (0, "") == (done.code, done.err)
    assert Path(".redtape/ca").resolve() / ca.CERT_NAME == Path(done.out.removesuffix("\n"))
    assert Path(done.out.strip()).read_bytes().startswith(b"-----BEGIN CERTIFICATE-----")
    assert done == redtape("ca", "path")
    assert redtape("ca", "path", "--bundle").out.endswith(f"{ca.BUNDLE_NAME}\n")


def test_env_is_for_a_shell(redtape) -> None:
    """`eval "$(redtape ca env)"` sets every variable, also in a folder with an odd name."""
    folder = "it's $(a) workspace"
    done = redtape("--workspace", folder, "ca", "env", "--proxy", "http://127.0.0.1:9999")
    shell = subprocess.run(["sh", "-c", f"{done.out}\nenv -0"], capture_output=True, env={"NO_PROXY": "*"}, check=True)
    variables = dict(one.split("=", 1) for one in shell.stdout.decode().split("\0") if one)

    assert (0, "") == (done.code, done.err)
    assert ca.environment(Path(folder, "ca").resolve(), "http://127.0.0.1:9999").items() <= variables.items()
    assert ("", str(Path(folder, "ca", ca.BUNDLE_NAME).resolve())) == (
        variables["NO_PROXY"],
        variables["SSL_CERT_FILE"],
    )
    assert all(line.startswith("export ") and 2 == len(shlex.split(line)) for line in done.out.splitlines())


def test_env_says_where_the_proxy_listens_by_default(redtape) -> None:
    """The port that `redtape proxy` takes."""
    assert "export HTTPS_PROXY=http://127.0.0.1:8080\n" in redtape("ca", "env").out


def test_a_key_that_others_can_read(redtape) -> None:
    """Nothing is printed that would make an agent trust it."""
    redtape("ca", "path")
    Path(".redtape/ca", ca.KEY_NAME).chmod(0o644)

    for verb in ("path", "env"):
        done = redtape("ca", verb)
        assert (2, "") == (done.code, done.out)
        assert "chmod 600" in done.err
