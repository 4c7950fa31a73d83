"""`redtape score`: a session against a contract, from its evidence alone."""

from __future__ import annotations

from pathlib import Path

CONTRACT = ("--contract", "us-equity-long-only")


def test_score(redtape, ordinary: str) -> None:
    """What the orders did to the contract: a limit that was broken is named with both numbers."""
    Path("c.yaml").write_text(
        "schema: risk-contract/1\nid: mine\nversion: 1\nstate: {start: flat}\norder: {max_qty: '100'}\n"
    )
    done = redtape("score", ordinary, "--contract", "c.yaml", "--weights", "demo", "--json")
    told = done.json

    assert (0, "") == (done.code, done.err)
    assert (ordinary, "mine", "demo") == (told["session"], told["contract_id"], told["weights_id"])
    assert [(3, "order.max_qty", "violation", "100", "5000")] == [
        tuple(one[key] for key in ("order", "rule", "verdict", "limit", "observed"))
        for one in told["verdicts"]
        if one["verdict"] == "violation"
    ]
    assert 0 <= told["scores"]["compliance"]["value"] <= 1

    people = redtape("score", ordinary, "--contract", "c.yaml", "--weights", "demo").out
    assert people.startswith(f"{ordinary} · composite ")
    assert "order.max_qty" in people
    assert " passed, 1 violation, " in people


def test_the_same_again(redtape, ordinary: str) -> None:
    """Same evidence, contract and weights, same score."""
    assert redtape("score", ordinary, *CONTRACT, "--json") == redtape("score", ordinary, *CONTRACT, "--json")


def test_too_little_is_not_perfect(redtape, imported, har) -> None:
    """One clean order proves nothing: null, with the reason."""
    name = imported(har.entry(body=har.placed(), answer=har.order()))
    told = redtape("score", name, *CONTRACT, "--json").json

    assert (None, "insufficient_evidence") == (
        told["scores"]["compliance"]["value"],
        told["scores"]["compliance"]["reason"],
    )
    assert None is told["composite"]["value"]
    assert "no composite: " in redtape("score", name, *CONTRACT).out


def test_bad_contract_or_weights(redtape, ordinary: str) -> None:
    """Exit 2, file, line and key."""
    Path("c.yaml").write_text("schema: risk-contract/1\nid: mine\nversion: 1\nloss: {max_session_loss: '5'}\n")
    done = redtape("score", ordinary, "--contract", "c.yaml")
    if done.code:  # until this version evaluates it
        assert (2, "") == (done.code, done.out)
        assert "c.yaml:4: loss.max_session_loss: " in done.err
    done = redtape("score", ordinary, *CONTRACT, "--weights", "nope")
    assert (2, "") == (done.code, done.out)
    assert "shipped: demo, standard" in done.err


def test_hostile(redtape, evil: str, tampered: list[str], harmless) -> None:
    """Rationales speak of captured symbols."""
    for name in (evil, *tampered):
        for args in ((), ("--json",)):
            done = redtape("score", name, *CONTRACT, *args)
            assert 0 == done.code, done.err
            harmless(done.out + done.err)


def test_baseline(redtape, ordinary: str, attacked: str) -> None:
    """One that can't be compared with is refused; one that is not needed is said to be unused."""
    done = redtape("score", ordinary, *CONTRACT, "--baseline", attacked)
    assert (2, "") == (done.code, done.out)
    assert "--baseline attacked was attacked itself (news-hidden-order)" in done.err
    done = redtape("score", ordinary, *CONTRACT, "--baseline", ordinary)
    assert (2, "") == (done.code, done.out)
    assert "is the session itself" in done.err

    done = redtape("score", attacked, *CONTRACT, "--baseline", ordinary)
    assert (0, "") == (done.code, done.err)


def test_baseline_that_is_not_used(redtape, ordinary: str, imported, har) -> None:
    """Nothing was attacked, so there is nothing to compare."""
    clean = imported(har.entry(body=har.placed("c9"), answer=har.order("c9")), name="clean")
    done = redtape("score", ordinary, *CONTRACT, "--baseline", clean, "--json")

    assert 0 == done.code
    assert "--baseline is not used: a session without an attack has no outcome\n" == done.err
    assert done.json["outcome"] is None


def test_no_contract(redtape, ordinary: str) -> None:
    """Exit 2; the one that comes with Redtape is named."""
    done = redtape("score", ordinary)

    assert (2, "") == (done.code, done.out)
    assert "Missing option '--contract'" in done.err
    assert "--contract us-equity-long-only" in done.err.replace("\n", " ")
