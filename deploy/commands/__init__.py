"""The subcommands, one a file; each is imported only when it runs. This table is all that `--help` needs."""

from __future__ import annotations

from typing import Final

COMMANDS: Final = {
    "demo": ("demo", "Run the main job offline, end to end, and write a report."),
    "proxy": ("proxy", "Stand between an agent and its services: observe, or attack."),
    "sim": ("sim", "Serve a market and a chat model offline, with real venues' protocols."),
    "import": ("import_", "Read a HAR or mitmproxy file as a session."),
    "orders": ("orders", "The orders of a session, as they were sent."),
    "show": ("show", "What a session or a run holds."),
    "score": ("score", "Score a session against a risk contract."),
    "diff": ("diff", "What an exchange sent, against what the agent was shown."),
    "export": ("export", "Write a session or a run in another format."),
    "sessions": ("sessions", "List the sessions of a workspace."),
    "runs": ("runs", "List the runs of a workspace."),
    "corpus": ("corpus", "List, show and check attack cases."),
    "contract": ("contract", "Check a risk contract."),
    "ca": ("ca", "The certificate authority that agents must trust."),
    "scan": ("scan", "Prove that no secret is in the evidence."),
    "purge": ("purge", "Remove old sessions."),
    "doctor": ("doctor", "Check that this installation can do its job."),
}
"""Command to module in deploy.commands, and its line in the help."""
