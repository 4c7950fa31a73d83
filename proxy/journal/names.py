"""
Which names mean a secret, told by their words.

Nobody lists all names that people give to keys: names are split into words, and a few words tell. A word
beside them may say that something else is meant (`next_page_token`, `token_type`). Names in, kinds out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import Final

__all__ = ["STEMS", "Kind", "counts", "folded", "kind_of", "looks_random", "plausible"]


class Kind(Enum):
    """What a name says of its value."""

    NO = "no secret"
    RANDOM = "a secret if it looks random"
    TEXT = "a secret if it is text"
    STRINGS = "texts and lists of texts are secret, numbers are counts or ids"
    ONCE = "a secret that is good for one request"
    YES = "a secret"


STEMS: Final = tuple(
    """token secret pass pwd key mnemonic phrase credential sig otp pin jwt bearer session cookie auth hmac
    crumb csrf xsrf verifier assertion grant_type login logon sid= "sid" 'sid'""".split()
)
"""A text that holds none of these, in lower case, holds no secret that its place would tell."""

_PIECES: Final = re.compile(r"[\[\].]+")
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LOWER: Final = re.compile(r"[a-z]+")

_ANYWHERE: Final = frozenset(
    """secret secrets passphrase passphrases passcode passkey mnemonic mnemonics credential credentials otp totp jwt
    jwts bearer cookie cookies csrf xsrf""".split()
)
_ONCE_ANYWHERE: Final = frozenset("signature signatures hmac".split())
_AT_THE_END: Final = frozenset("token pass pwd pin crumb authorization".split())
_VERIFIED: Final = frozenset([("oauth", "verifier"), ("code", "verifier"), ("client", "assertion")])
_TOGETHER: Final = _VERIFIED | frozenset(
    [("seed", "phrase"), ("recovery", "phrase"), ("session", "id"), ("auth", "code"), ("authorization", "code")]
    + [("session", "ids"), ("pin", "code"), ("listen", "key")]
)
_KEYS: Final = frozenset(
    """api access private priv secret consumer app client wallet signing encryption account subscription license
    auth user service master session functions admin bot webhook ssh shared listen""".split()
)
"""What stands before `key` when it is a secret."""

_TOKENS: Final = frozenset(
    """api access refresh auth session bearer bot user id oauth security client device registration app
    personal service admin""".split()
)
"""What stands before `tokens`, or is written together with `token`, when it is a secret."""

_PAGING: Final = frozenset(
    "page next prev previous pagination continuation continue resume sync cursor last first".split()
)
_COUNTED: Final = _PAGING | frozenset(
    """max min total input output prompt completion cached reasoning stop eos bos pad unk mask special buy sell base
    quote from to in out source target dest fee pay receive collateral reward native gas underlying lp""".split()
)
"""What stands before `token` when it is a page, a piece of text or a coin."""

_ABOUT: Final = frozenset(
    """type types name names count counts limit usage length expires expiry expiration at in ttl url uri path file
    version method algorithm alg status required enabled endpoint policy format hint scope scopes arn issuer""".split()
)
"""A last word that makes a name speak of a secret instead of holding it."""

_AFTER_KEY: Final = frozenset("id ids value data pem hex base b64 string raw v".split())
_AFTER_SHORT: Final = frozenset("value v raw hex base hash code number confirmation confirm".split())

_MERGED: Final = re.compile(
    rf"[a-z]*?(?:{'|'.join(sorted(_KEYS))})keys?(?:id)?|(?:{'|'.join(sorted(_TOKENS))})token|[a-z]*passwords?"
    r"|(?:api|app|client|consumer|user|webhook|bot|my)secret|seedphrase|session(?:id|key)|listenkey|passphrase"
)
"""Written together, as in apikey; only what can't be another word."""

_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\d[T \d]")
_OPTION: Final = re.compile(r"[A-Z.]{1,6}\d{6}[CP]\d{8}")
_RANDOM: Final = re.compile(r"[\w+/=.~-]+", re.ASCII)
_LETTER: Final = re.compile(r"[A-Za-z]")
_DIGIT: Final = re.compile(r"[0-9]")
_NUMBER: Final = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?")


def folded(name: str) -> str:
    """clientSecret, client-secret and CLIENT_SECRET are one name."""
    return name.lower().replace("_", "").replace("-", "").strip()


@lru_cache(maxsize=4096)
def kind_of(name: str) -> Kind:
    """
    What a member, field or part of this name holds.

    Names may have a path in them: `user[password]`, `login.token`.
    """
    if len(name) > 200 or name.count(" ") > 2:
        # No name of a field; running text that has a colon after it.
        name = name[-64:] if " " not in name else ""
    kind = _whole(name)
    if kind is Kind.NO and ("[" in name or "." in name):
        pieces = _PIECES.split(name)
        for before, piece in zip(["", *pieces], pieces, strict=False):
            if before.lower() not in _PAGING and (kind := _whole(piece)) is not Kind.NO:
                return kind
    return kind


def _whole(name: str) -> Kind:
    # ToKeN is one word, whatever its case changes say.
    for words in ([word.lower() for word in _WORDS.findall(name)], _LOWER.findall(name.lower())):
        if words and (kind := _of(words)) is not Kind.NO:
            return kind
    return Kind.NO


def _of(words: Sequence[str]) -> Kind:
    last = words[-1]
    if last in _ABOUT:
        return Kind.NO
    before = words[-2] if len(words) > 1 else ""
    if len(words) == 1 and last in ("key", "session", "sid"):
        return Kind.RANDOM
    if list(words) == ["key", "id"]:
        return Kind.RANDOM
    if last == "auth":
        return Kind.TEXT
    if last == "tokens":
        return Kind.STRINGS if not before or before in _TOKENS else Kind.NO
    if any(_tells(words, n) for n in range(len(words))):
        return Kind.YES
    if not _ONCE_ANYWHERE.isdisjoint(words) or words in (["sign"], ["api", "sign"]) or _short(words, "sig"):
        return Kind.ONCE
    return Kind.NO


def _tells(words: Sequence[str], n: int) -> bool:
    word, before = words[n], words[n - 1] if n else ""
    if word in _ANYWHERE or word.startswith("passw") or (before, word) in _TOGETHER or _MERGED.fullmatch(word):
        return True
    if word in ("key", "keys"):
        return before in _KEYS and (n == len(words) - 1 or words[n + 1] in _AFTER_KEY)
    if word == "token":
        return before not in _COUNTED and _short(words[n:], word)
    return word in _AT_THE_END and _short(words[n:], word)


def _short(words: Sequence[str], word: str) -> bool:
    """Whether a word that means many things stands at the end of a name."""
    return words[-1] == word or (len(words) > 1 and words[-2] == word and words[-1] in _AFTER_SHORT)


def counts(kind: Kind, text: str, *, string: bool) -> bool:
    """
    Whether a scalar is secret.

    Args:
        kind: What its name says.
        text: The value.
        string: Whether it is text, rather than a number.
    """
    match kind:
        case Kind.NO:
            return False
        case Kind.RANDOM:
            return looks_random(text)
        case Kind.TEXT:
            return string
        case Kind.STRINGS:
            return string and _NUMBER.fullmatch(text) is None
    return True


def looks_random(text: str) -> bool:
    """At least 16 letters and digits, mixed; no time, address or symbol of an option."""
    return (
        len(text) >= 16
        and _RANDOM.fullmatch(text) is not None
        and _LETTER.search(text) is not None
        and _DIGIT.search(text) is not None
        and not (_ADDRESS.fullmatch(text) or _INSTANT.match(text) or _OPTION.fullmatch(text))
    )


def plausible(text: str) -> bool:
    """Whether a bare word after `password:` in running text can be one, rather than the next word."""
    if len(text) < 8 or _LETTER.search(text) is None:
        return False
    return _DIGIT.search(text) is not None or (len(text) >= 20 and text.isalnum())
