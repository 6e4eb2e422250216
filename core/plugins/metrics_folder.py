"""The folder of metrics that were made here: a file with a table for each, written, added to this process, and taken out again."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from core.errors import BadSettingError
from core.metric import METRICS
from core.metric_tables import NAME_PATTERN, MetricEntry
from core.plugins.function_metric import PluginMetric


def entry_toml(entry: MetricEntry) -> str:
    """The table as a file has it, without what is left at its default."""
    values = {name: value for name, value in entry.model_dump(exclude_defaults=True).items() if name != "name"}
    # a string of JSON is one of TOML, but for the delete character, which JSON leaves as it is
    lines = [
        f"{name} = {json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007f") for name, value in values.items()
    ]
    return "\n".join([f"[{entry.name}]", *lines, ""])


def save_entry(entry: MetricEntry, made: type[PluginMetric], folder: Path) -> Path:
    """Write a table to a file of its own in the folder, in one step, and add its metric to this process.

    Raises BadSettingError for a name that is taken.
    """
    known = METRICS.names()
    file = folder / f"{entry.name}.toml"
    if entry.name in known or file.exists():
        raise BadSettingError(f"There is a metric {entry.name!r} already. Give this one another name.")
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f".{file.name}.{os.getpid()}"
    unfinished.write_text(entry_toml(entry), encoding="utf-8")
    unfinished.replace(file)
    METRICS.add(made)
    return file


def remove_entry(name: str, folder: Path) -> None:
    """Take a metric that was saved in the folder out of it and out of this process; its weights and scores stay."""
    file = folder / f"{name}.toml"
    if not re.fullmatch(NAME_PATTERN, name) or not file.is_file():
        raise BadSettingError(f"No metric {name!r} was added here.")
    file.unlink()
    made = METRICS.listed.get(name)
    if made is not None and issubclass(made, PluginMetric):  # not one of ours whose name the file had
        METRICS.remove(name)
