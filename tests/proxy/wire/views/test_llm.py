"""The registry of model APIs: every codec that the catalogue names can be read."""

from __future__ import annotations

from proxy.wire.catalogue import load_catalogue
from proxy.wire.views.llm import CODECS


def test_every_model_endpoint_of_the_catalogue_has_a_codec() -> None:
    codecs = {endpoint.rule.codec for endpoint in load_catalogue().endpoints.values() if endpoint.role == "llm"}
    assert codecs == set(CODECS)
