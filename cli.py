"""Touchstone for the terminal: the same metrics, engine and store as the pages, for files."""

from __future__ import annotations

import functools
import pkgutil
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import typer

from core.errors import TouchstoneError
from pages import commands

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # it would take name[setting=value] for markup
    help=__doc__,
)

_OLD_NAMES = {
    "infer-mapping": "columns",
    "surface-correlation": "surface",
    "explanation-report": "explanations",
}
"""By the names that commands have now; the old ones stay for one version."""


def _renamed(command: Callable[..., None], old: str, new: str) -> Callable[..., None]:
    """The command under its old name, with a line on stderr that gives the new one."""

    @functools.wraps(command)
    def renamed(*arguments: Any, **options: Any) -> None:
        typer.echo(f"`{old}` is called `{new}` now. The old name will be removed in the next version.", err=True)
        command(*arguments, **options)

    return renamed


for _file in pkgutil.iter_modules(commands.__path__):
    # a keyword is no name of a module: import_.py
    _name = _file.name.removesuffix("_").replace("_", "-")
    _command = import_module(f"{commands.__name__}.{_file.name}").command
    app.command(_name)(_command)
    if _name in _OLD_NAMES:
        app.command(_OLD_NAMES[_name], hidden=True)(_renamed(_command, _OLD_NAMES[_name], _name))


def main() -> None:
    try:
        app()
    except TouchstoneError as error:
        typer.echo(str(error), err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
