"""Folders that may be named in this process: any of the machine, or on a server with guests those that its operator allows."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

_limits: list[tuple[Path, ...] | None] = [None]


def limit_folders(folders: Iterable[Path] | None) -> None:
    """Let this process read, by names that people type, inside of these folders alone; None lifts the limit."""
    _limits[0] = None if folders is None else tuple(folder.expanduser().resolve() for folder in folders)


def is_limited() -> bool:
    return _limits[0] is not None


def is_allowed(place: Path) -> bool:
    """True for a place inside of the folders, after links and dots are followed. Nothing is said of whether it exists."""
    folders = _limits[0]
    return folders is None or any(place.expanduser().resolve().is_relative_to(folder) for folder in folders)


def refusal(named: str) -> str:
    """Sentence on a place outside of the folders; the same whether it exists or not."""
    return (
        f"{named!r} may not be named here: people share this server, and it opens no other folder of its disk than those of "
        "trained metrics. Whoever runs it can allow more in TOUCHSTONE_ALLOWED_FOLDERS."
    )
