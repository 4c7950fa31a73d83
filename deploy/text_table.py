"""Plain aligned columns for a terminal or a pipe. Nothing is cut; captured text is made visible, not obeyed."""

from __future__ import annotations

from collections.abc import Sequence

from deploy.safe import safe


def table(heads: Sequence[str], rows: Sequence[Sequence[object]], right: frozenset[str] = frozenset()) -> str:
    """
    Rows as text.

    Args:
        heads: Column heads; a trailing unit belongs into the head.
        rows: Cells; null is an empty cell.
        right: Heads of columns with numbers.
    """
    cells = [["" if cell is None else safe(cell) for cell in row] for row in rows]
    keep = [n for n, head in enumerate(heads) if any(row[n] for row in cells) or head in ("seq", "agent")]
    widths = {n: max(len(heads[n]), *(len(row[n]) for row in cells)) if cells else len(heads[n]) for n in keep}

    def line(values: Sequence[str]) -> str:
        parts = (values[n].rjust(widths[n]) if heads[n] in right else values[n].ljust(widths[n]) for n in keep)
        return "  ".join(parts).rstrip()

    return "\n".join([line(list(heads)), *(line(row) for row in cells)])
