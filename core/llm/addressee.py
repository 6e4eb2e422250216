"""Who answers: the checkpoints of an endpoint, by its name and, once they are asked, by its address."""

from __future__ import annotations

from core.types import Checkpoint

SOURCE = "package:core.llm"
"""The source of a checkpoint whose answers come from a configured endpoint: code of ours, and nothing to download."""

_MARK = "@"  # in a revision, between name and address; no name of an endpoint contains it


def at(endpoint: str, kind: str) -> Checkpoint:
    """Who answers the questions of a kind: the endpoint of that name, "" for the default one, wherever it is then."""
    return Checkpoint(SOURCE, kind, f"{endpoint}{_MARK}") if endpoint else Checkpoint(SOURCE, kind)


def pinned(endpoint: str, kind: str, address: str) -> Checkpoint:
    """The same endpoint at one address: what it says there is not said by another server of that name."""
    return Checkpoint(SOURCE, kind, f"{endpoint}{_MARK}{address}")


def name_in(checkpoint: Checkpoint) -> str:
    """The name of the endpoint; "" for the default one."""
    return checkpoint.revision.partition(_MARK)[0] if _MARK in checkpoint.revision else ""


def address_in(checkpoint: Checkpoint) -> str:
    """The address that was pinned; "" where none was."""
    return checkpoint.revision.partition(_MARK)[2]
