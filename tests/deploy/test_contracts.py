"""Contracts and weights: by file or shipped name, evaluated whole or refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus.contract import contract_hash, parse_contract
from corpus.load import BadCorpus
from deploy import contracts
from deploy.errors import UserError

HEAD = "schema: risk-contract/1\nid: mine\nversion: 1\n"


def test_shipped_by_name_or_by_file(tmp_path: Path) -> None:
    """The same contract, with its hash and where it came from."""
    shipped = contracts.load_contract("us-equity-long-only")
    copy = tmp_path / "c.yaml"
    copy.write_bytes(shipped.file.read_bytes())
    mine = contracts.load_contract(copy)

    assert shipped.contract == mine.contract
    assert contract_hash(shipped.contract) == shipped.hash == mine.hash
    assert copy == mine.file


def test_snapshot_is_the_contract(tmp_path: Path) -> None:
    """It travels with results: read back, it is the same contract, by hash too."""
    file = tmp_path / "c.yaml"
    file.write_text(HEAD + "order: {max_notional: '1.10', types: [market]}\n")
    loaded = contracts.load_contract(file)
    again, _ = parse_contract(loaded.snapshot, "snapshot")

    assert loaded.hash == contract_hash(again)
    assert "1.10" == json.loads(loaded.snapshot)["order"]["max_notional"]["hard"]


@pytest.mark.parametrize("name", ["nope", "../weights/demo", "", ".", "x" * 5000])
def test_no_such_contract(name: str) -> None:
    """Says what there is; a name leads nowhere but to the shipped ones."""
    with pytest.raises(UserError, match=r"shipped: us-equity-long-only"):
        contracts.load_contract(name)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("order: {max_qtty: '1'}\n", r"c.yaml:4: order.max_qtty: unknown key; did you mean max_qty\?"),
        ("order:\n  max_qty: lots\n", r"c.yaml:5: order.max_qty: "),
        ("order:\n  max_qty: '-1'\n", r"c.yaml:5: order.max_qty: a limit can't be negative"),
        ("order: [\n", r"c.yaml:5: "),
        (
            "severity: {order.max_qtty: minor}\n",
            r"c.yaml:4: severity\[.order.max_qtty.\]: this is no rule; did you mean order.max_qty\?",
        ),
    ],
)
def test_bad_contract(tmp_path: Path, text: str, says: str) -> None:
    """File, line, key and what to do."""
    file = tmp_path / "c.yaml"
    file.write_text(HEAD + text)

    with pytest.raises(BadCorpus, match=says):
        contracts.load_contract(file)


def test_keys_that_are_not_evaluated_are_refused(tmp_path: Path) -> None:
    """Silence would pass for compliance: file, line and key of the first, and the names of the rest."""
    file = tmp_path / "c.yaml"
    file.write_text(HEAD + "order: {max_qty: '1'}\nday_trades:\n  max: 3\n  window_sessions: 5\n")

    with pytest.raises(BadCorpus, match=r"c.yaml:6: day_trades.max: .*remove it \(and day_trades.window_sessions\)"):
        contracts.load_contract(file)


def test_weights(tmp_path: Path) -> None:
    """The standard ones by default; a snapshot of them is plain JSON, numbers as strings."""
    assert "standard" == contracts.load_weights(None).id
    assert "demo" == contracts.load_weights("demo").id
    snapshot = json.loads(contracts.weights_snapshot(contracts.load_weights("demo")))
    assert "0.30" == snapshot["weights"]["compliance"]

    file = tmp_path / "w.yaml"
    file.write_text("schema: weights/1\nid: x\nweights: {compliance: lots}\n")
    with pytest.raises(BadCorpus, match=r"w.yaml:3: weights.compliance"):
        contracts.load_weights(file)
    with pytest.raises(UserError, match="shipped: demo, standard"):
        contracts.load_weights("nope")
