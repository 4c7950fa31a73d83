"""Columns that stay columns, whatever is in them."""

from __future__ import annotations

from deploy.text_table import table


def test_columns() -> None:
    """Numbers to the right, words to the left, nothing trailing."""
    text = table(("name", "qty"), [("AAPL", "1"), ("IBM", "100.5")], frozenset({"qty"}))

    assert text.split("\n") == ["name    qty", "AAPL      1", "IBM   100.5"]


def test_a_column_without_values_goes() -> None:
    """Unless it names the row."""
    assert table(("seq", "limit", "symbol"), [(None, None, "A"), (None, None, "B")]).split("\n") == [
        "seq  symbol",
        "     A",
        "     B",
    ]


def test_no_rows() -> None:
    """Heads that name the rows, and no error."""
    assert "seq" == table(("seq", "symbol"), [])
    assert "" == table(("symbol",), [])


def test_zero_is_a_value() -> None:
    """An empty cell is null, not zero or false."""
    assert table(("a", "b"), [(0, False)]).split("\n") == ["a  b", "0  False"]


def test_hostile_cells_stay_in_their_row(hostile: str, harmless) -> None:
    """One line a row; what a terminal would obey is shown."""
    text = table(("a", "b"), [(hostile, 1), ("x", hostile)])

    harmless(text)
    assert 3 == len(text.split("\n"))
    assert text.split("\n")[1].endswith("  1")


def test_a_long_cell_does_not_fill_the_memory() -> None:
    """Five megabytes are cut, and the cut is said."""
    text = table(("a", "b"), [("x" * 5_000_000, "y")])

    assert len(text) < 20_000
    assert "(4996000 more characters)" in text
