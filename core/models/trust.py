"""Whose code may run on this machine: only what its owner names in TOUCHSTONE_TRUSTED_REPOS.

A metric's setting asks for it, and whoever opens a link may ask; the setting of the machine decides.
"""

from __future__ import annotations

import re
from pathlib import Path

from core.errors import LoadError, TouchstoneError
from core.models.configuration import entries
from core.models.files import hub_file, is_local, locate
from core.settings import Settings
from core.types import Checkpoint


def refusal(checkpoint: Checkpoint) -> str:
    """Why the code of a checkpoint may not run here, and what to do; empty where the machine's setting allows it."""
    return _refused(checkpoint, _place(checkpoint, _found(checkpoint)))


def require_trust(checkpoint: Checkpoint, folder: Path) -> None:
    """Raise LoadError, with what to do, unless the code in `folder` was trusted, and nothing there calls for other code."""
    reason = _refused(checkpoint, _place(checkpoint, folder)) or _elsewhere(folder)
    if reason:
        raise LoadError(reason)


def _refused(checkpoint: Checkpoint, place: str) -> str:
    if place in Settings.read().trusted:
        return ""
    return (
        f"{checkpoint.source} brings code of its own, which would run on this machine with the rights of this program, "
        f"and nobody allowed that here. Read the code; then let whoever runs the machine set TOUCHSTONE_TRUSTED_REPOS={place} "
        "and try again."
    )


def _place(checkpoint: Checkpoint, folder: Path | None) -> str:
    """The code as the setting names it: a folder's path, or the repository and the commit that lies in the hub's cache."""
    if is_local(checkpoint.source):
        return str(Path(checkpoint.source).expanduser().resolve())
    repository, _ = hub_file(checkpoint.source)
    return f"{repository}@{folder.name if folder else _commit(checkpoint.revision)}"


def _commit(revision: str) -> str:
    """The revision where it is a commit; of a branch nobody knows what code it will bring."""
    return revision if re.fullmatch(r"[0-9a-f]{40}", revision) else "COMMIT"


def _found(checkpoint: Checkpoint) -> Path | None:
    try:
        return locate(checkpoint)
    except TouchstoneError:
        return None  # nothing to run yet: loading says why


def _elsewhere(folder: Path) -> str:
    """Why a folder is refused that has transformers fetch code or a model from a repository which nobody read."""
    named = entries(folder / "config.json").get("auto_map")
    classes = [str(value) for value in named.values()] if isinstance(named, dict) else []
    foreign = [name for name in classes if "--" in name]
    if (folder / "adapter_config.json").is_file():
        foreign.append("the model in adapter_config.json")
    if not foreign:
        return ""
    return (
        f"{folder} calls for code of another repository ({', '.join(foreign)}), which was not read with it. Put that code "
        "into the folder, name it in config.json without the repository, and trust the folder."
    )
