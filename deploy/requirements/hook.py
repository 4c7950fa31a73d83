"""The package's dependencies are the lines of runtime.in: one list, not two."""

from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Dependencies(MetadataHookInterface):
    """Reads runtime.in beside this file."""

    def update(self, metadata: dict) -> None:  # type: ignore[type-arg]
        lines = (Path(__file__).parent / "runtime.in").read_text("utf-8").splitlines()
        wanted = (line.split("#")[0].strip() for line in lines)
        metadata["dependencies"] = [line for line in wanted if line]
