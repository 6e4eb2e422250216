"""Checkpoints as a file of metrics declares them: `[name]` with `form`, `checkpoint` and settings; read, made a class, written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, make_dataclass
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import ConfigDict, Field

from core.base import NAME_PATTERN, MetricEntry, Setting
from core.errors import BadSettingError
from core.models import is_local_source
from core.registry import read_settings, types_of
from core.scoring.metric import METRICS, Card
from core.scoring.plugins.checkpoints.checkpoint_metric import FORMS, CheckpointMetric
from core.scoring.plugins.metrics_folder import declared_classes
from core.text import require_languages

FAMILY = "Checkpoint"
_HUB_PAGE = "https://huggingface.co/"
_WITH_TEMPLATE = {"seq2seq", "judge"}
_PLACES = ("{document}", "{summary}")


class CheckpointEntry(MetricEntry):
    """One table. What is no line of the card, form or template is a setting of the metric; see `core.scoring.plugins.checkpoints.checkpoint_metric`."""

    # fields that are not listed are the settings of the form
    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    hint: ClassVar[str] = "Further fields are the settings of the form."

    form: Literal["classifier", "regressor", "encoder", "seq2seq", "judge"]
    checkpoint: str
    template: str = ""
    download_mb: int = Field(0, ge=0)

    @classmethod
    def owns(cls, table: dict[str, object]) -> bool:
        return "checkpoint" in table

    @property
    def settings(self) -> dict[str, Setting]:
        """Values of the form's settings; raises TouchstoneError for a setting that the form lacks or that cannot be read."""
        texts = {"checkpoint": self.checkpoint}
        for name, value in (self.model_extra or {}).items():
            if not isinstance(value, str | bool | int | float):
                raise BadSettingError(f"{name} must be a text, number, true or false; got {value!r}.")
            texts[name] = str(value).lower() if isinstance(value, bool) else str(value)
        return read_settings(FORMS[self.form], texts)


def checkpoint_classes(file: str) -> list[type[CheckpointMetric]]:
    """The metrics of the checkpoints in a file. Raises BadSettingError for what cannot be read; loads no weights."""
    return declared_classes(file, CheckpointEntry, checkpoint_class)


def checkpoint_class(entry: CheckpointEntry) -> type[CheckpointMetric]:
    """The metric of a table. Raises TouchstoneError for settings or a template that it cannot have."""
    base = FORMS[entry.form]
    if entry.template or entry.form in _WITH_TEMPLATE:
        if any(entry.template.count(place) != 1 for place in _PLACES):
            raise BadSettingError("template must have {document} and {summary} in it, each once.")
        if entry.form == "encoder":
            raise BadSettingError("An encoder reads one text at a time: leave template out.")
    require_languages(entry.languages, entry.name)
    is_local = is_local_source(entry.checkpoint)
    place = Path(entry.checkpoint).name if is_local else entry.checkpoint
    card = Card(
        title=entry.shown_title,
        family=FAMILY,
        measures=entry.measures or (base.__doc__ or "").partition("\n")[0],
        paper=entry.paper or place,
        url="" if is_local else f"{_HUB_PAGE}{entry.checkpoint}",
        low=-1.0 if entry.form == "encoder" else 0.0,
        high=1.0,
        download_mb=entry.download_mb,
        licence=entry.licence,
        contexts="best",
        languages=entry.languages,
        differs=f"Declared as {entry.form} in a file of metrics; its authors may ask the model in another way.",
    )
    hints = types_of(base)
    fields = [(name, hints[name], field(default=value)) for name, value in entry.settings.items()]
    namespace = {"name": entry.name, "card": card, "template": entry.template, "__module__": base.__module__}
    made: type[CheckpointMetric] = make_dataclass(
        f"{base.__name__}_{entry.name}", fields, bases=(base,), namespace=namespace, frozen=True
    )
    made()  # raises what its settings cannot be
    return made


def entry_of(table: Mapping[str, object], name: str) -> CheckpointEntry:
    """The entry of a name and a table. Raises BadSettingError for a name or field that cannot be."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise BadSettingError(f"{name!r} is no name of a metric. Use small letters, digits and hyphens, as my-metric.")
    return CheckpointEntry.parse("The table", name, dict(table))


def suggested_name(source: str) -> str:
    """A name for the metric of a repository or folder that no other metric has."""
    plain = re.sub(r"[^a-z0-9]+", "-", source.rpartition("/")[2].lower()).strip("-") or "checkpoint"
    taken = METRICS.names()
    return next(name for name in [plain, *(f"{plain}-{number}" for number in range(2, 1000))] if name not in taken)
