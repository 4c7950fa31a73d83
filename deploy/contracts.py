"""Contracts and weights from files, or by the name of a shipped one."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from corpus.base import canonical
from corpus.contract import Contract, contract_hash, read_contract
from corpus.load import load
from corpus.weights import Weights
from deploy.errors import UserError
from scoring.controls import check_evaluated


@dataclass(frozen=True, slots=True)
class LoadedContract:
    """A contract that this version evaluates whole."""

    contract: Contract
    hash: str
    file: Path

    @property
    def snapshot(self) -> str:
        """The contract as canonical JSON, to travel with results."""
        return canonical(self.contract.model_dump(mode="json", by_alias=True, exclude_none=True))


def _find(name: str | Path, folder: str) -> Path:
    path = Path(name)
    with contextlib.suppress(OSError):  # such as a name that is too long for a file
        if path.is_file():
            return path
    known = shipped(folder)
    if str(name) in known:
        return known[str(name)]
    raise UserError(f"no file {name}, and nothing shipped is called that; shipped: {', '.join(sorted(known))}")


def shipped(folder: str) -> dict[str, Path]:
    """What comes with Redtape in a folder of the corpus, by id."""
    return {file.stem: file for file in Path(str(files("corpus"))).joinpath(folder).glob("*.yaml")}


def load_contract(name: str | Path) -> LoadedContract:
    """
    A contract, by file or by the id of a shipped one.

    Raises:
        BadCorpus: It does not fit, or uses keys that this version would not evaluate.
        UserError: There is no such contract.
    """
    path = _find(name, "contracts")
    contract, lines = read_contract(path)
    check_evaluated(contract, lines, str(path))
    return LoadedContract(contract, contract_hash(contract), path)


def load_weights(name: str | Path | None) -> Weights:
    """Weights, by file or by the id of shipped ones; `standard` by default. Raises BadCorpus, UserError."""
    return load(Weights, _find(name or "standard", "weights"))


def weights_snapshot(weights: Weights) -> str:
    """Weights as canonical JSON."""
    return canonical(weights.model_dump(mode="json", by_alias=True))
