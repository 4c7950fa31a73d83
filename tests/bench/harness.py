"""Starts the upstream, the load generator and the proxies that are compared; runs slices in turn."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.bench.attacked import NAME as ATTACK
from tests.bench.cells import DATA_HOST, TRADING_HOST, Cell
from tests.bench.stats import Slice

ROOT: Final = Path(__file__).parents[2]
BASE: Final = "mitmdump"
TICK_MS: Final = 1000 / os.sysconf("SC_CLK_TCK")
STARTING_S: Final = 30.0


def cpu_ms(pid: int) -> float:
    """User and system time of a process and its threads so far."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_MS


def rss_mb(pid: int) -> float:
    """Resident memory of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1024 / 1024, 1)


@dataclass(slots=True)
class Proxy:
    """One running proxy. `maps`: it sends the venues' hosts to the upstream by itself."""

    name: str
    process: subprocess.Popen[bytes]
    port: int
    maps: bool = False
    session: Path | None = None
    start_mb: float = 0.0
    requests: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Bench:
    """Everything that runs during one measurement."""

    upstream: subprocess.Popen[str]
    upstream_port: int
    load: subprocess.Popen[str]
    proxies: dict[str, Proxy]

    def variants(self, cell: Cell) -> dict[str, Proxy]:
        """The proxies that take part in a cell, by the name that the figures carry."""
        ours = self.proxies["redtape_attacking" if cell.attacked else "redtape"]
        found = {BASE: self.proxies[BASE], "bare_master": self.proxies["bare_master"], "redtape": ours}
        if cell.name == "small":
            found["redtape_logging"] = self.proxies["redtape_logging"]
        return found

    def slice(self, proxy: Proxy, cell: Cell, seconds: float) -> Slice:
        """One slice of load on one proxy, its CPU time counted until it is at rest again."""
        host = f"{cell.host}:443" if cell.host is not None and proxy.maps else f"localhost:{self.upstream_port}"
        job = {"port": proxy.port, "authority": host, "cell": cell.name, "seconds": seconds}
        if proxy.requests.get(cell.name) is None:
            # First the handshakes of keep-alive connections, and code that runs for the first time.
            self._ask(job | {"seconds": 0.05})
            proxy.requests[cell.name] = 0
            at_rest(proxy.process.pid)
        connections = self._connections()
        upstream, proxy_cpu = cpu_ms(self.upstream.pid), cpu_ms(proxy.process.pid)
        result = self._ask(job)
        ended = time.perf_counter()
        rest = at_rest(proxy.process.pid)
        proxy.requests[cell.name] += result["requests"]
        return Slice(
            requests=result["requests"],
            errors=result["errors"],
            seconds=result["seconds"],
            p50_ms=result["p50_ms"],
            p99_ms=result["p99_ms"],
            cpu_ms=cpu_ms(proxy.process.pid) - proxy_cpu,
            rest_ms=max(0.0, (rest - ended) * 1000),
            load_cpu_ms=result["load_cpu_ms"],
            upstream_cpu_ms=cpu_ms(self.upstream.pid) - upstream,
            upstream_connections=self._connections() - connections,
        )

    def _ask(self, job: Mapping[str, Any]) -> dict[str, Any]:
        return dict(json.loads(_line(self.load, json.dumps(job))))

    def _connections(self) -> int:
        return int(_line(self.upstream, ""))


def _line(process: subprocess.Popen[str], text: str) -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(text + "\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        raise RuntimeError(f"{process.args} ended with {process.wait()}")
    return answer


def at_rest(pid: int, *, quiet_s: float = 0.06, limit_s: float = 10.0) -> float:
    """Wait until a process uses no more CPU time; when it last did."""
    last, moved = cpu_ms(pid), time.perf_counter()
    until = moved + limit_s
    while (now := time.perf_counter()) < until and now - moved < quiet_s:
        time.sleep(0.01)
        used = cpu_ms(pid)
        if used > last:
            last, moved = used, time.perf_counter()
    return moved


@contextmanager
def running(folder: Path) -> Iterator[Bench]:
    """All processes, started and ready; ended on the way out."""
    roots, certificate = certificates(folder)
    with ExitStack() as stack:
        said = stack.enter_context((folder / "stderr.txt").open("ab"))

        def start(*command: object, text: bool = False, pipes: bool = False) -> Any:
            process = subprocess.Popen(
                [str(part) for part in command],
                cwd=ROOT,
                env=os.environ | {"PYTHONPATH": str(ROOT)},
                text=text,
                stdin=subprocess.PIPE if pipes else subprocess.DEVNULL,
                stdout=subprocess.PIPE if pipes else subprocess.DEVNULL,
                stderr=said,
            )
            stack.callback(_end, process)
            return process

        upstream = start(sys.executable, "-m", "tests.bench.upstream", certificate, text=True, pipes=True)
        port = int(upstream.stdout.readline())
        load = start(sys.executable, "-m", "tests.bench.load", text=True, pipes=True)
        proxies = {}
        for name, command in _commands(folder, roots, port).items():
            own = free_port()
            process = start(*(str(part).replace(PORT, str(own)) for part in command))
            session = folder / name / "sessions/bench.db" if name.startswith("redtape") else None
            proxies[name] = Proxy(name, process, own, session is not None, session)
        for proxy in proxies.values():
            _await(proxy, folder)
            proxy.start_mb = rss_mb(proxy.process.pid)
        yield Bench(upstream, port, load, proxies)


PORT: Final = "{port}"
"""Stands for the port to listen on, which is chosen when the proxy is started."""


def _commands(folder: Path, roots: Path, upstream: int) -> dict[str, Sequence[object]]:
    bin_folder = Path(sys.executable).parent
    target = f"https://localhost:{upstream}"

    def redtape(name: str, *start: object, quiet: bool = True, attack: bool = False) -> list[object]:
        # -q as mitmdump has it; `redtape_logging` says what a line an exchange costs.
        command: list[object] = [*start, "--workspace", folder / name, *(["-q"] if quiet else []), "proxy"]
        command += ["--listen", f"127.0.0.1:{PORT}", "--session", "bench", "--upstream-ca", roots]
        for host in (DATA_HOST, TRADING_HOST):
            command += ["--map", f"{host}={target}"]
        return command + (["--attack", ATTACK] if attack else [])

    python = sys.executable
    commands: dict[str, list[object]] = {
        BASE: [
            *(bin_folder / "mitmdump", "-q", "--listen-host", "127.0.0.1", "-p", PORT),
            *("--set", f"confdir={folder / BASE}", "--set", f"ssl_verify_upstream_trusted_ca={roots}"),
        ],
        "bare_master": [python, "-m", "tests.bench.bare", PORT, folder / "bare_master", roots],
        "redtape": redtape("redtape", bin_folder / "redtape"),
        "redtape_attacking": redtape("redtape_attacking", python, "-m", "tests.bench.attacked", attack=True),
        "redtape_logging": redtape("redtape_logging", bin_folder / "redtape", quiet=False),
    }
    return commands


def _end(process: subprocess.Popen[Any]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    process.terminate()
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _await(proxy: Proxy, folder: Path) -> None:
    until = time.monotonic() + STARTING_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", proxy.port), 1).close()
            return
        except OSError:
            if proxy.process.poll() is not None or time.monotonic() > until:
                said = (folder / "stderr.txt").read_text("utf-8", "replace")[-2000:]
                raise RuntimeError(f"{proxy.name} did not start: {said}") from None
            time.sleep(0.05)


def free_port() -> int:
    """A port of the loopback address that no one uses now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def recorded(session: Path) -> dict[str, int]:
    """How many facts of each kind a closed session file holds."""
    counts = {
        "exchanges": "SELECT count(*) FROM exchanges",
        "bodies": "SELECT count(*) FROM bodies",
        "edited": "SELECT count(*) FROM exchanges WHERE outcome = 'edited'",
        "orders": "SELECT count(*) FROM order_events WHERE kind = 'requested'",
        "acked": "SELECT count(*) FROM order_events WHERE kind = 'acked'",
        "failed": "SELECT count(*) FROM notes WHERE kind = 'hook_failed'",
    }
    connection = sqlite3.connect(f"{session.as_uri()}?mode=ro", uri=True)
    try:
        return {name: int(connection.execute(query).fetchone()[0]) for name, query in counts.items()}
    finally:
        connection.close()


def certificates(folder: Path) -> tuple[Path, Path]:
    """An EC root that every proxy trusts, and the upstream's certificate under it, key included."""
    root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    root_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "bench root")])
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    root = _signed(root_name, root_name, root_key, root_key, x509.BasicConstraints(ca=True, path_length=None))
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))])
    leaf = _signed(name, root_name, key, root_key, names)
    roots, certificate = folder / "roots.pem", folder / "upstream.pem"
    pem = serialization.Encoding.PEM
    roots.write_bytes(root.public_bytes(pem))
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    certificate.write_bytes(private + leaf.public_bytes(pem))
    return roots, certificate


def _signed(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    issuer_key: ec.EllipticCurvePrivateKey,
    extension: x509.ExtensionType,
) -> x509.Certificate:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=2))
        .add_extension(extension, critical=isinstance(extension, x509.BasicConstraints))
        .sign(issuer_key, hashes.SHA256())
    )
