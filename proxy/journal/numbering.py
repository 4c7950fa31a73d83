"""Order events numbered and chained as facts: one state for each session, live or imported. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from corpus.terms import Instant, Source
from proxy.journal.events import ChainLinked, Fact, LlmCalled, OrderFact, Seen, ToolCalled
from proxy.wire.chains import Linker
from proxy.wire.exchange import Response
from proxy.wire.order_events import OrderEvent, OrderRequested
from proxy.wire.reader import Intent, RequestReading, ResponseReading


@dataclass(slots=True)
class Numbering:
    """Counts a session's order events and links its chains."""

    linker: Linker = field(default_factory=Linker)
    seqs: int = 0
    orders: int = 0
    """Requests to act that left on the wire; intents are not counted."""

    def number(self, event: OrderEvent, seen: Seen = "both") -> list[Fact]:
        """An event as facts: itself, numbered, and its chain when it continues one."""
        self.seqs += 1
        seq = self.seqs
        if not isinstance(event, OrderRequested):
            return [OrderFact(seq=seq, event=event, seen=seen)]
        self.orders += event.source is Source.WIRE
        retry = self.linker.retry_of(seq, event)
        facts: list[Fact] = [OrderFact(seq=seq, event=event, seen=seen, retry_of=retry)]
        if retry is None:
            facts += [ChainLinked(seq=one.seq, chain=one.chain, how=one.how) for one in self.linker.link(seq, event)]
        return facts

    def intents(self, intents: tuple[Intent, ...], exchange: int, at_ns: Instant) -> list[Fact]:
        """Tool calls of one model answer, with the order requests that they amount to."""
        facts: list[Fact] = []
        for intent in intents:
            seq = None
            if intent.order is not None:
                facts += self.number(intent.order)
                seq = self.seqs
            facts.append(
                ToolCalled(
                    at_ns=at_ns,
                    exchange=exchange,
                    source="llm",
                    name=intent.call.name,
                    call_id=intent.call.call_id,
                    arguments=intent.call.arguments,
                    order=seq,
                )
            )
        return facts

    def answer(
        self,
        asked: RequestReading,
        said: ResponseReading,
        response: Response,
        sent_ns: Instant,
        exchange: int,
        streamed: bool,
    ) -> list[Fact]:
        """A model call and what it asked its tools to do; nothing when the exchange was no model call."""
        if asked.chat is None:
            return []
        answer = said.answer
        call = LlmCalled(
            at_ns=sent_ns,
            end_ns=response.end_ns,
            exchange=exchange,
            api=asked.endpoint.id if asked.endpoint else "",
            model=(answer.model if answer else None) or asked.chat.model,
            prompt_tokens=answer.prompt_tokens if answer else None,
            cached_tokens=answer.cached_tokens if answer else None,
            completion_tokens=answer.completion_tokens if answer else None,
            finish_reason=answer.finish_reason if answer else None,
            streamed=streamed,
            text=answer.text if answer else None,
        )
        return [call, *self.intents(said.intents, exchange, response.end_ns)]
