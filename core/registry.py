"""Plugins found by being there: a registry imports every module of one folder on first use, and what packages add to it."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import re
import typing
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Generic, Protocol, TypeVar

from core.base import FREE_SETTINGS, Setting, read_profile
from core.errors import BadSettingError, UnknownNameError


class Plugin(Protocol):
    """A frozen dataclass with a name; its fields are its settings."""

    name: typing.ClassVar[str]


P = TypeVar("P", bound=Plugin)


class Registry(Generic[P]):
    """The plugins of one folder, by name; nothing is imported before the first question.

    Entry points of `groups` join them, classes that fulfil the `contract`; see `core.scoring.plugins.extensions`.
    """

    def __init__(self, what: str, package: str, groups: Sequence[str] = (), contract: type[object] = object) -> None:
        self.what = what
        self._package = package
        self._groups = groups
        self._contract = contract
        self._classes: dict[str, type[P]] = {}
        self._listed = False

    def add(self, plugin: type[P]) -> type[P]:
        """Register a class under its name; used as a decorator at the end of a plugin's module."""
        registered = self._classes.get(plugin.name)
        if registered is not None and registered.__module__ != plugin.__module__:
            raise ValueError(
                f"Two {self.what}s are named {plugin.name!r}: {registered.__module__} and {plugin.__module__}."
            )
        self._classes[plugin.name] = plugin
        return plugin

    def remove(self, name: str) -> None:
        """Remove a plugin that was added at run time."""
        self._classes.pop(name, None)

    def names(self) -> list[str]:
        return sorted(self._all())

    def __iter__(self) -> Iterator[type[P]]:
        return iter([self._all()[name] for name in self.names()])

    def get(self, name: str) -> type[P]:
        classes = self._all()
        if name not in classes:
            raise UnknownNameError(self.what, name, classes, _extensions().missing_note() if self._groups else "")
        return classes[name]

    def parse(self, spec: str) -> P:
        """Build a plugin from `name` or `name[setting=value,…]`, or from `name@profile` its form in a paper.

        Commas and brackets inside brackets or double quotes belong to the value. Raises UnknownNameError for a name,
        setting or profile that does not exist, BadSettingError for a value that cannot be read or that the profile fixes.
        """
        named, _, rest = spec.strip().partition("[")
        name, at, profile = named.partition("@")
        plugin = self.get(name.strip())
        if rest and not rest.endswith("]"):
            raise BadSettingError(f"{spec!r} opens a bracket and does not close it. Write {named}[setting=value].")
        pairs: dict[str, str] = {}
        for piece in split_pieces(rest[:-1]):
            setting, equals, value = piece.partition("=")
            if not equals:
                raise BadSettingError(f"{piece!r} in {spec!r} is not of the form setting=value.")
            value = value.strip()
            is_quoted = len(value) > 1 and value[0] == value[-1] == '"'
            pairs[setting.strip()] = value[1:-1].replace('""', '"') if is_quoted else value
        settings = read_settings(plugin, pairs) if rest else {}
        return plugin(**(_in_profile(plugin, profile.strip(), settings) if at else settings))

    def build(self, name: str, settings: Mapping[str, Setting]) -> P:
        """The plugin of that name with typed settings; a value that it cannot take raises the plugin's TouchstoneError."""
        return self.get(name)(**settings)

    def build_in_profile(self, name: str, profile: str, settings: Mapping[str, Setting]) -> P:
        """The form that a paper used, with typed values of what the profile leaves free; raises as `parse` does."""
        plugin = self.get(name)
        return plugin(**_in_profile(plugin, profile, settings))

    @property
    def listed(self) -> Mapping[str, type[P]]:
        """The plugins that were added so far, by name."""
        return self._classes

    def _all(self) -> Mapping[str, type[P]]:
        if not self._listed:
            package = importlib.import_module(self._package)
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{self._package}.{module.name}")
            self._listed = True
            if self._groups:
                _extensions().extend(self, self._groups, self._contract)
        return self._classes


def _extensions() -> Any:
    """The module that adds what comes from outside; it knows contracts that know this one."""
    return importlib.import_module(f"{__package__}.scoring.plugins.extensions")


def profile_field() -> str:
    """The field of a contract that holds the profile of a plugin: no setting, and "" for one that is in no paper's form."""
    profile: str = dataclasses.field(default="", kw_only=True, metadata=_NO_SETTING)
    return profile


_NO_SETTING: Mapping[str, bool] = {"setting": False}


def settings_of(plugin: Plugin | type[Plugin]) -> dict[str, dataclasses.Field[Setting]]:
    """The settings of a plugin: its dataclass fields by name, without the one that names its profile."""
    fields = dataclasses.fields(plugin)  # type: ignore[arg-type]  # plugins are dataclasses
    return {field.name: field for field in fields if field.metadata.get("setting", True)}


def _in_profile(plugin: type[Plugin], profile: str, settings: Mapping[str, Setting]) -> dict[str, Setting]:
    """Settings of a plugin in a paper's form; raises BadSettingError where a setting is given that the profile fixes."""
    fixed = read_profile(profile).settings_of(plugin.name)
    for name in settings:
        if name in fixed or name not in FREE_SETTINGS:
            free = ", ".join(other for other in settings_of(plugin) if other in FREE_SETTINGS - fixed.keys())
            raise BadSettingError(
                f"{plugin.name}@{profile} fixes {name!r} as the paper had it. Leave @{profile} out to set it"
                f"{f'; with it {free} can be set' if free else ''}."
            )
    return {**fixed, **settings, "profile": profile}


@cache
def types_of(plugin: type[Plugin]) -> Mapping[str, object]:
    """The type of each setting: bool, int, float, str, or the Literal of its choices."""
    hints = typing.get_type_hints(plugin)
    return {name: hints[name] for name in settings_of(plugin)}


def choices_of(hint: object) -> tuple[Setting, ...]:
    """Values that a setting of that type can have; empty where it is not a choice."""
    return typing.get_args(hint) if typing.get_origin(hint) is typing.Literal else ()


def format_spec(plugin: Plugin) -> str:
    """The spec that `Registry.parse` reads back to an equal plugin: only settings that differ from the default, or the profile's."""
    profile: str = getattr(plugin, "profile", "")
    expected = {name: field.default for name, field in settings_of(plugin).items()}
    if profile:
        expected |= read_profile(profile).settings_of(plugin.name)
    changed = {name: getattr(plugin, name) for name, value in expected.items() if getattr(plugin, name) != value}
    named = f"{plugin.name}@{profile}" if profile else plugin.name
    if not changed:
        return named
    return f"{named}[{','.join(f'{name}={_quote(value)}' for name, value in changed.items())}]"


def read_settings(plugin: type[Plugin], texts: Mapping[str, str]) -> dict[str, Setting]:
    """Parse the values of a plugin's settings by the types of its fields."""
    hints = types_of(plugin)
    for name in texts:
        if name not in hints:
            raise UnknownNameError(f"setting of {plugin.name}", name, hints)
    return {name: _parse_value(f"{plugin.name}[{name}=…]", hints[name], text) for name, text in texts.items()}


def _parse_value(where: str, hint: object, text: str) -> Setting:
    if choices := {str(choice): choice for choice in choices_of(hint)}:
        if text not in choices:
            raise BadSettingError(f"{where} must be one of {', '.join(choices)}; got {text!r}.")
        return choices[text]
    if hint is bool:
        if text.lower() not in {"true", "false"}:
            raise BadSettingError(f"{where} must be true or false; got {text!r}.")
        return text.lower() == "true"
    if hint is str:
        return text
    try:
        return float(text) if hint is float else int(text)
    except ValueError:
        kind = "number" if hint is float else "whole number"
        raise BadSettingError(f"{where} must be a {kind}; got {text!r}.") from None


def split_pieces(text: str, separator: str = ",") -> list[str]:
    """The pieces between separators, of which those inside brackets or double quotes belong to their piece."""
    pieces, depth, quoted, start = [], 0, False, 0
    for position, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif not quoted and character in "[]":
            depth += 1 if character == "[" else -1
        elif character == separator and not quoted and depth == 0:
            pieces.append(text[start:position])
            start = position + 1
    return [piece for piece in [*pieces, text[start:]] if piece.strip()]


def settings_label(spec: str) -> str:
    """Label of a spec besides the name: "@profile", settings, or both with a blank between; of a long path its end."""
    named, _, rest = spec.partition("[")
    profile = named.partition("@")[2]
    settings = _LONG_PATH.sub("…/", rest.removesuffix("]"))
    return " ".join(filter(None, [f"@{profile}" if profile else "", settings]))


def title_with_settings(title: str, spec: str) -> str:
    """The title, with the settings of its spec behind it as people write them, such as "ROUGE-2 (measured: f1)"."""
    settings = settings_label(spec).replace("=", ": ").replace(",", ", ")
    return f"{title} ({settings})" if settings else title


_LONG_PATH = re.compile(r'(?<=[="])/[^,"]*/(?=[^/,"]+/[^/,"]+)')


def _quote(value: Setting) -> str:
    """A value as a spec writes it; quoted, with inner quotes doubled, if it would not parse back otherwise."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    balanced = text.count("[") == text.count("]")
    if balanced and '"' not in text and text == text.strip() and split_pieces(f"={text}") == [f"={text}"]:
        return text
    return '"' + text.replace('"', '""') + '"'
