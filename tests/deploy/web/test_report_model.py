"""The report's values cannot change once they are filled, and cannot be filled by position."""

from dataclasses import FrozenInstanceError, is_dataclass

import pytest

from deploy.web import report_model
from deploy.web.report_model import Report

VALUES = [
    value for value in vars(report_model).values() if is_dataclass(value) and value.__module__ == report_model.__name__
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value.__name__)
def test_values_are_frozen_and_named(value: type) -> None:
    params = value.__dataclass_params__  # type: ignore[attr-defined]
    assert params.frozen
    assert params.kw_only
    assert hasattr(value, "__slots__")


def test_a_report_stays_as_it_is(sample: Report) -> None:
    with pytest.raises(FrozenInstanceError):
        sample.title = "other"  # type: ignore[misc]
