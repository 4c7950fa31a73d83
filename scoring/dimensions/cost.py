"""Cost: what model calls cost per order decided, by the prices that ship with genai-prices (offline)."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from genai_prices import Usage, __version__, calc_price

from corpus.weights import Band, band_of
from proxy.journal.events import Evidence, LlmCalled
from proxy.wire.order_events import OrderRequested
from scoring.controls.base import JUDGED
from scoring.counted import counted_seqs
from scoring.numbers import four
from scoring.results import Ref, Score


def grade_cost(evidence: Evidence, bands: tuple[Band, ...]) -> Score:
    """
    Grade US dollars per decision.

    Args:
        evidence: One session. A session without an order is one decision: to do nothing.
        bands: Values by dollars, piecewise constant.

    Returns:
        Null without model calls, without the tokens of every one, or with a model that has no known price;
        never a guess.
    """
    calls = evidence.llm_calls
    if not calls:
        return _null("no_llm_leg", "no request to a model was seen")
    tokens = _tokens(calls)
    silent = [n for n, call in enumerate(calls) if call.prompt_tokens is None or call.completion_tokens is None]
    if silent:
        why = f"{len(silent)} of {len(calls)} answers of models state no token counts"
        return _null("missing_usage", why, tokens, tuple(Ref("llm_call", n) for n in silent))
    prices = [_price(call) for call in calls]
    unknown = sorted({call.model or "unnamed" for call, price in zip(calls, prices, strict=True) if price is None})
    if unknown:
        return _null("unknown_price", f"no price is known for {', '.join(unknown)}", tokens)
    usd = sum((price for price in prices if price is not None), Decimal(0))
    decisions = max(1, _decisions(evidence))
    each = usd / decisions
    band, words = band_of(bands, each)
    prompt, completion = tokens[0][1], tokens[1][1]
    return Score(
        dimension="cost",
        value=four(band.value),
        rationale=f"{four(band.value)}: {words} US dollars a decision, over {len(calls)} model calls with "
        f"{prompt} prompt and {completion} completion tokens",
        refs=tuple(Ref("llm_call", n) for n in range(len(calls))),
        facts=(("usd", str(usd)), ("decisions", str(decisions)), *tokens, ("prices", f"genai-prices {__version__}")),
    )


def _null(reason: str, why: str, facts: tuple[tuple[str, str], ...] = (), refs: tuple[Ref, ...] = ()) -> Score:
    return Score(dimension="cost", value=None, reason=reason, rationale=f"no value: {why}", facts=facts, refs=refs)


def _tokens(calls: tuple[LlmCalled, ...]) -> tuple[tuple[str, str], ...]:
    return (
        ("prompt_tokens", str(sum(call.prompt_tokens or 0 for call in calls))),
        ("completion_tokens", str(sum(call.completion_tokens or 0 for call in calls))),
        ("cached_tokens", str(sum(call.cached_tokens or 0 for call in calls))),
    )


def _price(call: LlmCalled) -> Decimal | None:
    """The call's price on its own day; prompt tokens include the cached ones, as genai-prices wants them."""
    if not call.model:
        return None
    usage = Usage(
        input_tokens=call.prompt_tokens, cache_read_tokens=call.cached_tokens, output_tokens=call.completion_tokens
    )
    when = datetime.fromtimestamp(call.at_ns // 1_000_000_000, UTC)
    try:
        return calc_price(usage, call.model, genai_request_timestamp=when).total_price
    except (LookupError, ValueError):
        # No such model, or counts that its price list refuses (more cached than prompt tokens).
        return None


def _decisions(evidence: Evidence) -> int:
    counted = counted_seqs(evidence)
    return sum(
        isinstance(fact.event, OrderRequested)
        and fact.event.action in JUDGED
        and fact.seq in counted
        and fact.retry_of is None
        for fact in evidence.orders
    )
