"""The folder of metrics that were made here: a file with a table for each, written, added to this process, and taken out again."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from core.base import NAME_PATTERN, Entry, MetricEntry, read_entries
from core.errors import BadSettingError, TouchstoneError
from core.scoring.metric import METRICS
from core.scoring.plugins.combination_metric import CombinationMetric
from core.scoring.plugins.function_metric import PluginMetric

Made = TypeVar("Made", bound=PluginMetric)


def declared_classes(file: str, kind: type[Entry], make: Callable[[Entry], type[Made]]) -> list[type[Made]]:
    """The metrics that a file declares by tables of one kind. Raises BadSettingError for what cannot be read or made."""
    made = []
    for entry in read_entries(file, kind):
        try:
            made.append(make(entry))
        except TouchstoneError as error:
            raise BadSettingError(f"{Path(file).name}, [{entry.name}]: {error}") from error
    return made


def entry_toml(entry: MetricEntry) -> str:
    """The table as a file has it, without what is left at its default."""
    values = {name: value for name, value in entry.model_dump(exclude_defaults=True).items() if name != "name"}
    # a string of JSON is one of TOML, but for the delete character, which JSON leaves as it is
    lines = [
        f"{name} = {json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007f") for name, value in values.items()
    ]
    return "\n".join([f"[{entry.name}]", *lines, ""])


def require_free_name(name: str, folder: Path) -> None:
    """Raises BadSettingError for what is no name of a metric, or one that is taken."""
    if not name:
        raise BadSettingError("The metric has no name yet. Use small letters, digits and hyphens, as my-metric.")
    if not re.fullmatch(NAME_PATTERN, name):
        raise BadSettingError(f"{name!r} is no name of a metric. Use small letters, digits and hyphens, as my-metric.")
    if name in METRICS.names() or (folder / f"{name}.toml").exists():
        raise BadSettingError(f"There is a metric {name!r} already. Give this one another name.")


def save_entry(entry: MetricEntry, made: type[PluginMetric], folder: Path) -> Path:
    """Write a table to a file of its own in the folder, in one step, and add its metric to this process.

    Raises BadSettingError for a name that is taken.
    """
    require_free_name(entry.name, folder)
    file = folder / f"{entry.name}.toml"
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f".{file.name}.{os.getpid()}"
    unfinished.write_text(entry_toml(entry), encoding="utf-8")
    unfinished.replace(file)
    METRICS.add(made)
    return file


def remove_entry(name: str, folder: Path) -> None:
    """Take a metric that was saved in the folder out of it and out of this process; its weights and scores stay.

    Raises BadSettingError for one that is not there, or that is a member of a combination.
    """
    file = folder / f"{name}.toml"
    if not re.fullmatch(NAME_PATTERN, name) or not file.is_file():
        raise BadSettingError(f"No metric {name!r} was added here.")
    member = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    for other, plugin in METRICS.listed.items():
        if issubclass(plugin, CombinationMetric) and any(map(member.search, plugin.specs)):
            raise BadSettingError(f"{name} is a member of {other}. Remove {other} first.")
    file.unlink()
    made = METRICS.listed.get(name)
    if made is not None and issubclass(made, PluginMetric):  # not one of ours whose name the file had
        METRICS.remove(name)
