"""Touchstone for the terminal: the same metrics, engine and store as the pages, for files."""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module

import typer

import pages.commands
from core.errors import TouchstoneError

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # it would take name[setting=value] for markup
    help=__doc__,
)

for _file in pkgutil.iter_modules(pages.commands.__path__):
    # a keyword is no name of a module: import_.py
    _name = _file.name.removesuffix("_").replace("_", "-")
    app.command(_name)(import_module(f"pages.commands.{_file.name}").command)


def main() -> None:
    try:
        app()
    except TouchstoneError as error:
        typer.echo(str(error), err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
