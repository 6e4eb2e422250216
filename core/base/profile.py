"""Paper mode: a profile fixes the settings of metrics, perturbations and checks, and the test and slices, as one paper had them.

A profile is one file in `core/base/profiles/`. `name@profile` is the plugin of that name in the paper's form.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.errors import UnknownNameError

_FOLDER = Path(__file__).parent / "profiles"

OWN_WORDS = "+own-words"
"""End of the mark where a prompt or phrase of ours stands in the place of the paper's."""

Setting = str | int | float | bool

FREE_SETTINGS = frozenset(
    {
        *("answerer", "backbone", "checkpoint", "encoder", "entailment", "generator", "head", "parser", "rater"),
        *("endpoint", "languages", "model", "revision", "dtype", "metric", "sample", "text", "place"),
    }
)
"""Settings that no profile fixes: where weights lie, which endpoint is asked, what is wrapped, where a phrase stands."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Settings of one paper, and how its tables were made."""

    name: str
    """The name of the file, which follows the `@` in a spec."""

    paper: str
    """Authors, year and short title."""

    settings: Mapping[str, Mapping[str, Setting]]
    """The settings of each plugin that the paper has a form of, by the plugin's name."""

    test: str
    """The significance test of its tables; "" if it reports none."""

    by: str
    """The field whose values its tables are sliced by; "" if they are not."""

    perturbations: tuple[str, ...]
    """Specs of the kinds of its stress test, without the profile; empty if it has none."""

    nli_check: str
    """The spec of the check of its stress test; "" if it has none."""

    notes: tuple[str, ...]
    """Remarks on what the paper leaves open and was inferred."""

    digest: str
    """SHA-256 of the file in hexadecimal: it changes with every byte."""

    @property
    def mark(self) -> str:
        """Mark of the profile in signatures."""
        return f"paper:{self.name}-{self.digest[:8]}"

    def marks(self, signature: str) -> bool:
        """True for the signature of something in this form, in the paper's words or in ours."""
        return any(part.removesuffix(OWN_WORDS) == self.mark for part in signature.split("|"))

    @property
    def kinds(self) -> list[str]:
        """Specs of the perturbations in this form."""
        parts = [perturbation.partition("[") for perturbation in self.perturbations]
        return [f"{name}@{self.name}{bracket}{settings}" for name, bracket, settings in parts]

    def settings_of(self, plugin: str) -> Mapping[str, Setting]:
        """The form of a plugin; raises UnknownNameError, which names those that have one."""
        if plugin not in self.settings:
            raise UnknownNameError(f"form of paper mode {self.name}", plugin, self.settings)
        return self.settings[plugin]


@cache
def profile_names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


@cache
def read_profile(name: str) -> Profile:
    """The profile of that name; raises UnknownNameError, which names those that exist."""
    if name not in profile_names():
        raise UnknownNameError("paper mode", name, profile_names())
    content = (_FOLDER / f"{name}.toml").read_bytes()
    table = tomllib.loads(content.decode())
    return Profile(
        name=name,
        paper=table["paper"],
        settings=table["settings"],
        test=table.get("test", ""),
        by=table.get("by", ""),
        perturbations=tuple(table.get("perturbations", ())),
        nli_check=table.get("nli_check", ""),
        notes=tuple(table.get("notes", ())),
        digest=hashlib.sha256(content).hexdigest(),
    )


def profiles_with(plugin: str) -> list[Profile]:
    """The profiles that have a form of this plugin."""
    return [profile for profile in map(read_profile, profile_names()) if plugin in profile.settings]
