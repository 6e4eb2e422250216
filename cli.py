"""Touchstone for the terminal: the same metrics, engine and store as the pages, for files."""

from __future__ import annotations

import ast
import functools
import sqlite3
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from core.errors import TouchstoneError, explain_interruption, explain_missing_module
from core.settings import VERSION, add_plugin_files
from pages import commands
from pages.commands.shared.options import example_epilog

GROUPS = {
    "scores": "Scores and perturbations",
    "evaluation": "Meta-evaluation",
    "metrics": "Metrics",
    "data": "Data",
    "language_models": "Language models",
    "trained": "Trained metrics",
    "app": "App and team",
}
"""Folders of commands with their headings, in the order of the list."""

_MODULES = {
    # a keyword is no name of a module: import_.py
    file.stem.removesuffix("_").replace("_", "-"): file
    for file in sorted(Path(commands.__path__[0]).glob("*/[!_]*.py"), key=lambda file: file.stem)
    if file.parent.name in GROUPS
}

_WITH_PLUGINS = frozenset(
    "audit compare doctor metrics pack plugins run score score-dataset serve stress study sweep threshold verify".split()
)
"""The commands that name metrics, which may be functions of a file."""

_new_app = functools.partial(
    typer.Typer,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # it would take name[setting=value] for markup
)


class _Commands(TyperGroup):
    """The commands, listed by group."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands: list[Any] = [self.commands[name] for name in self.list_commands(ctx)]
        width = formatter.width - 6 - max(len(command.name) for command in commands)
        for group in GROUPS.values():
            listed = [command for command in commands if command.rich_help_panel == group]
            with formatter.section(group):
                formatter.write_dl([(command.name, command.get_short_help_str(width)) for command in listed])

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")  # of pydantic, by which Typer reads options
            raise


app = _new_app(no_args_is_help=True, help=__doc__, cls=_Commands)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"touchstone {VERSION}")
        raise typer.Exit


@app.callback(help=__doc__)
def _about(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")
    ] = False,
) -> None: ...


class _Unloaded(TyperCommand):
    """A command in the list, by name and help; called, it is imported, and no other with what it needs."""

    def make_context(self, info_name: str | None, args: list[str], *more: Any, **settings: Any) -> Any:
        return load_command(str(self.name)).make_context(info_name, args, *more, **settings)


def app_commands() -> dict[str, Any]:
    """The commands by name, not loaded."""
    listed: Any = get_command(app)
    return dict(listed.commands)


def load_command(name: str) -> Any:
    """The command of that name with all its options, "study NAME" for that of a study."""
    command_name, _, study = name.partition(" ")
    file = _MODULES[command_name]
    module = import_module(f"{commands.__name__}.{file.parent.name}.{file.stem}")
    command = module.command
    if not isinstance(command, TyperGroup):
        command = _typer_command(command_name, command, epilog=example_epilog(module.EXAMPLE))
    else:
        command.epilog = example_epilog(module.EXAMPLE)
        if study:
            command = command.get_command(typer.Context(command), study)
    if command_name in _WITH_PLUGINS and all(param.name != "plugin" for param in command.params):
        command.params.append(_plugin_option())
    return command


def _typer_command(name: str, function: Callable[..., None], *, epilog: str | None = None) -> Any:
    alone = _new_app()
    alone.command(name, epilog=epilog)(function)
    return get_command(alone)


def _plugin_option() -> Any:
    """The option `--plugin`, which sets what the settings read; no command is given its value."""
    [option] = [param for param in _typer_command("plugins", _set_plugins).params if param.name == "plugin"]
    option.expose_value = False
    return option


def _set_plugins(
    plugin: Annotated[
        list[str] | None,
        typer.Option(
            callback=lambda files: add_plugin_files(files or []),
            metavar="FILE",
            help="A Python file whose functions are metrics, by @touchstone.metric, or a TOML file of services; may be "
            "repeated.",
        ),
    ] = None,
) -> None: ...


def _read_help(file: Path) -> str | None:
    """Help of the command of a module, which is not imported: the docstring of `command`, or the module's after its name."""
    module = ast.parse(file.read_text(encoding="utf-8"))
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and node.name == "command":
            return ast.get_docstring(node)
    return (ast.get_docstring(module) or "").partition(": ")[2]


for _name, _file in _MODULES.items():
    _group = GROUPS[_file.parent.name]
    app.command(_name, cls=_Unloaded, help=_read_help(_file), rich_help_panel=_group)(lambda: None)


def main() -> None:
    try:
        app()
    except TouchstoneError as error:
        typer.echo(str(error), err=True)
        sys.exit(2)
    except ModuleNotFoundError as error:
        if not (message := explain_missing_module(error.name or "")):
            raise
        typer.echo(message, err=True)
        sys.exit(2)
    except (OSError, MemoryError, sqlite3.Error) as error:
        typer.echo(explain_interruption(error), err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
