"""Templates of HTML: files beside the code that uses them, in which every text is escaped."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def open_templates(*folders: Path) -> Environment:
    """The templates of folders, of which the first that has one counts; rendering raises UndefinedError for a missing variable."""
    templates = Environment(
        loader=FileSystemLoader(folders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.policies["json.dumps_kwargs"] = {}  # keys in the order of the data, not of the alphabet
    return templates
