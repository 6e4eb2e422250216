"""The battery: a named list of perturbations by which audits, noise bands, stress tests and trainings measure.

A battery is one file in `core/edits/batteries/`, or one of a person's own. A perturbation that lies in `core/edits/perturbations/` moves
no figure before a battery names it.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date as Date
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from core.base import is_allowed, refusal
from core.edits.perturbation import PERTURBATIONS, Intent, Perturbation
from core.errors import BadSettingError, TouchstoneError, UnknownNameError
from core.registry import split_pieces

STANDARD_BATTERY = "touchstone-1"
"""The battery where none is named, and that of all figures that come with Touchstone."""

LAYOUT_BATTERY = "layout-1"
"""The battery of other layouts, by which audits ask whether layout moves a metric."""

NOT_RECORDED = "not recorded"
"""The battery of figures that were kept before batteries had names."""

_FOLDER = Path(__file__).parent / "batteries"


@dataclass(frozen=True, slots=True)
class Battery:
    """Perturbations by rule, by their specs; their order counts.

    `sha256` is of the specs: two batteries with one hash are one instrument under two names.
    """

    name: str
    title: str
    date: Date
    kinds: tuple[str, ...]
    sha256: str

    @property
    def signature(self) -> str:
        """The name and the beginning of the hash, as reports, plans and cards have it."""
        return f"{self.name}:{self.sha256[:8]}"

    def perturbations(self) -> list[Perturbation]:
        return [PERTURBATIONS.parse(kind) for kind in self.kinds]

    def of_intent(self, intent: Intent) -> list[Perturbation]:
        """The perturbations that keep the meaning, break it, or game metrics."""
        return [kind for kind in self.perturbations() if kind.card.intent == intent]

    def with_kinds(self, specs: Iterable[str]) -> Battery:
        """The battery with further kinds appended, also in its name."""
        further = [kind for kind in _read_kinds(self.name, specs) if kind not in self.kinds]
        kinds = (*self.kinds, *further)
        return replace(self, name="+".join([self.name, *further]), kinds=kinds, sha256=_hash(kinds))


class _BatteryFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: str
    date: Date
    kinds: tuple[str, ...]


@cache
def battery_names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def read_battery(spec: str) -> Battery:
    """The battery of a name or a file, also with further kinds: `touchstone-1`, `mine.toml`, `touchstone-1+hedge+number[most=2]`.

    A battery is called as its file. Raises UnknownNameError for a battery or kind that does not exist, TouchstoneError for a
    file that is no battery or that may not be named here.
    """
    named, *further = split_pieces(spec.strip(), "+") or [""]
    path = Path(named)
    if named in battery_names():
        path = _FOLDER / f"{named}.toml"
    elif path.suffix != ".toml":
        raise UnknownNameError("battery", named, [*battery_names(), "a file of your own that ends in .toml"])
    elif not is_allowed(path):
        raise TouchstoneError(refusal(named))
    try:
        contents = _BatteryFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise TouchstoneError(f"The battery {path} cannot be read: {error.strerror}. Name another file.") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TouchstoneError(f"The battery {path} is no TOML ({error}).") from error
    except ValidationError as error:
        where = error.errors()[0]
        raise TouchstoneError(
            f"{path} is no battery ({'.'.join(map(str, where['loc']))}: {where['msg']}). It has a title, a date and kinds, a "
            f"list as in {_FOLDER / STANDARD_BATTERY}.toml."
        ) from None
    kinds = _read_kinds(str(path), contents.kinds)
    if not kinds:
        raise TouchstoneError(f"The battery {path} has no kinds: there is nothing to measure with. Name at least one.")
    battery = Battery(path.stem, contents.title, contents.date, kinds, _hash(kinds))
    return battery.with_kinds(further) if further else battery


@cache
def standard_battery() -> Battery:
    """The battery where none is named."""
    return read_battery(STANDARD_BATTERY)


def named_kinds(kinds: Sequence[str], battery: str) -> tuple[list[Perturbation], str]:
    """The perturbations that are named one by one, or those of a battery, the standard one where nothing is named.

    With the signature of the battery, "" for kinds that are named one by one.
    """
    if kinds and battery:
        raise BadSettingError(
            f"Kinds are named one by one ({', '.join(kinds)}), and the battery {battery} besides. Leave one of the two out, or "
            f"let the kinds join the battery: {'+'.join([battery, *kinds])}"
        )
    if kinds:
        return [PERTURBATIONS.parse(kind) for kind in kinds], ""
    read = read_battery(battery or STANDARD_BATTERY)
    return read.perturbations(), read.signature


def _read_kinds(where: str, specs: Iterable[str]) -> tuple[str, ...]:
    """The kinds in their full spelling, each once; raises BadSettingError for one that is no rule."""
    kinds = [PERTURBATIONS.parse(spec) for spec in specs]
    for kind in kinds:
        if kind.card.form != "rule":
            raise BadSettingError(
                f"The battery {where} has {kind.spec}, which a model or a person makes. A battery is of rules; `stress "
                f"--kind {kind.spec}` takes such a kind by itself."
            )
    return tuple(dict.fromkeys(kind.spec for kind in kinds))


def _hash(kinds: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(kinds).encode()).hexdigest()
