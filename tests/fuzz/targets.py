"""One fuzz target for each reader of bytes that a peer or an author wrote: what it is fed, and what it may raise."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import brotli
import zstandard

from corpus.load import BadCorpus, parse_yaml
from corpus.terms import Source, decimal, instant
from deploy.safe import safe
from proxy.journal.redact import Redactor
from proxy.wire.catalogue import ViewRule, load_catalogue
from proxy.wire.codecs import content, sse
from proxy.wire.codecs.frames import Splitter
from proxy.wire.codecs.incremental import Decoder
from proxy.wire.codecs.json_span import children, compile_path, loads, root, select
from proxy.wire.edit import Unreadable
from proxy.wire.exchange import Headers, Request, Response
from proxy.wire.intents import read_call
from proxy.wire.reader import Reader
from proxy.wire.views import anthropic, chat, news

ORDER = b'{"symbol":"AAPL","qty":"1.10","side":"buy","type":"limit","limit_price":150.25,"time_in_force":"day"}'
ACK = b'{"id":"61e69015","client_order_id":"c","status":"partially_filled","symbol":"AAPL","qty":"2","filled_qty":"1"}'
NEWS = (
    b'{"news":[{"id":1,"headline":"H","summary":"S \\u00e9","content":"<p>C</p>","symbols":["AAPL"],'
    b'"created_at":"2026-11-30T13:00:00Z","updated_at":null}, {"id":2,"headline":"X"}],"next_page_token":null}'
)
BARS = b'{"bars":{"AAPL":[{"t":"2026-11-27T05:00:00Z","o":1.0,"h":2.0,"l":0.5,"c":1.5,"v":100}]}}'
ASK = (
    b'{"model":"m","max_tokens":5,"messages":[{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"get_news",'
    b'"arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"text"}]}'
)
ANSWER = (
    b'{"model":"m","choices":[{"message":{"content":"x","tool_calls":[{"id":"c1","function":{"name":"place_order",'
    b'"arguments":"{\\"symbol\\":\\"AAPL\\",\\"side\\":\\"buy\\",\\"qty\\":1}"}}]},"finish_reason":"tool_calls"}],'
    b'"usage":{"prompt_tokens":9,"completion_tokens":2}}'
)
STREAM = (
    b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"buy","arguments":"{"}}]}}]}'
    b"\n\ndata: [DONE]\n\n"
)
CLAUDE = (
    b'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"n"}}'
    b'\n\nevent: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"partial_json":"{}"}}\n\n'
)
YAML = b"schema: attacks/1\nfamily: f\ncases:\n  - id: a\n    n: '1.10'\n    l: [1, 2, {a: b}]\n    t: |\n      text\n"
ALL_JSON = [ORDER, ACK, NEWS, BARS, ASK, ANSWER]

_READER = Reader(load_catalogue())
_NEWS_RULE = ViewRule(
    kind="news",
    items="news[*]",
    parts={"id": "id", "symbols": "symbols"},
    text={"content": "content"},
    html=("content",),
)
_PATHS = (
    ("paper-api.alpaca.markets", "POST", "/v2/orders"),
    ("paper-api.alpaca.markets", "PATCH", "/v2/orders/1"),
    ("paper-api.alpaca.markets", "DELETE", "/v2/positions"),
    ("paper-api.alpaca.markets", "GET", "/v2/orders"),
    ("paper-api.alpaca.markets", "GET", "/v2/positions"),
    ("paper-api.alpaca.markets", "GET", "/v2/account"),
    ("data.alpaca.markets", "GET", "/v2/stocks/bars"),
    ("data.alpaca.markets", "GET", "/v2/stocks/snapshots"),
    ("api.openai.com", "POST", "/v1/chat/completions"),
    ("api.anthropic.com", "POST", "/v1/messages"),
)


@dataclass(frozen=True, slots=True)
class Target:
    """A reader, inputs that it knows, and the only exceptions that it may raise."""

    name: str
    read: Callable[[bytes], object]
    seeds: tuple[bytes, ...]
    may_raise: tuple[type[Exception], ...] = (Unreadable,)


def _spans(data: bytes) -> None:
    node = root(data)
    for child in children(data, node):
        assert node.start <= child.start <= child.end <= node.end
    list(select(data, node, compile_path("news[*].content")))
    list(select(data, node, compile_path("*.*[*].c")))


def _exchange(data: bytes) -> None:
    head, _, body = data.partition(b"\n")
    host, method, path = _PATHS[(head[0] if head else 0) % len(_PATHS)]
    kind = (b"application/json", b"application/x-www-form-urlencoded", b"text/event-stream")[len(head) % 3]
    headers = Headers(((b"Content-Type", kind),))
    query = head[1:80].decode("latin-1")
    asked = _READER.request(Request(method, "https", host, 443, f"{path}?{query}", headers, body, 1), 1)
    response = Response((200, 207, 422, 500)[len(body) % 4], headers, body, 2, 3, complete=len(head) % 5 != 0)
    _READER.response(asked, response, 1)


def _frames(data: bytes) -> None:
    for kind in ("sse", "ndjson"):
        splitter = Splitter(kind, cap=500)  # type: ignore[arg-type]
        frames = [frame for n in range(0, len(data), 7) for frame in splitter.feed(data[n : n + 7])] + splitter.finish()
        assert data == b"".join(frame.raw for frame in frames)
        for frame in frames:
            frame.payload()


def _decoders(data: bytes) -> None:
    for name in ("gzip", "deflate", "br", "zstd"):
        try:
            whole = content.decode(data, (name,), 1_000_000)
        except Unreadable:
            continue
        decoder = Decoder((name,), 1_000_000)
        assert whole == b"".join(decoder.feed(data[n : n + 5]) for n in range(0, len(data), 5))
        decoder.finish()


def _redact(data: bytes) -> None:
    redactor = Redactor(b"k" * 32, values=("hunter2hunter2",))
    for kind in ("application/json", "application/x-www-form-urlencoded", "text/plain"):
        assert b"hunter2hunter2" not in redactor.body(data + b"hunter2hunter2", kind)
    redactor.url(data.decode("latin-1"))
    redactor.headers(((data[:20], data[20:60]),), response=bool(len(data) % 2))


def _text(data: bytes) -> None:
    text = data.decode("latin-1")
    decimal(text)
    instant(text)
    assert not set(safe(text)) & {chr(n) for n in (*range(32), *range(127, 160))}
    read_call(text[:30], text, Source.LLM, 1, 1, 0)


TARGETS = (
    Target("json spans", _spans, tuple(ALL_JSON)),
    Target("json values", loads, tuple(ALL_JSON)),
    Target(
        "exchange",
        _exchange,
        tuple(bytes([n]) + b"a=1&b=2\n" + one for n in range(10) for one in (*ALL_JSON, STREAM, CLAUDE)),
    ),
    Target("server-sent events", sse.events, (STREAM, CLAUDE), ()),
    Target("frames", _frames, (STREAM, CLAUDE, ORDER + b"\n" + ACK), ()),
    Target("chat answer", lambda data: chat.read_answer(data, "application/json"), (ANSWER,)),
    Target("chat stream", lambda data: chat.read_answer(data, "text/event-stream"), (STREAM,), ()),
    Target("chat results", chat.tool_results, (ASK,)),
    Target("messages answer", lambda data: anthropic.read_answer(data, "application/json"), (ANSWER,)),
    Target("messages stream", lambda data: anthropic.read_answer(data, "text/event-stream"), (CLAUDE,), ()),
    Target("messages results", anthropic.tool_results, (ASK,)),
    Target("news", lambda data: news.read(_NEWS_RULE, data), (NEWS,)),
    Target(
        "content codings",
        _decoders,
        (gzip.compress(NEWS), zlib.compress(NEWS), brotli.compress(NEWS), zstandard.compress(NEWS)),
    ),
    Target("redaction", _redact, (ORDER, b"api_key=abcdefgh&x=1", b"https://u:p@h/?signature=1"), ()),
    Target("strict YAML", lambda data: parse_yaml(data.decode("latin-1"), "f.yaml"), (YAML,), (BadCorpus,)),
    Target("text", _text, (b"1.10", b"2026-11-30T13:00:00Z", b"place_order", ORDER), ()),
)
