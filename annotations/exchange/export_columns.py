"""The columns of exported rows: each is declared once, with its type, where it comes from and how it is read back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict

from annotations.store.records import MAX_TEXT, RecordError, require_storable
from annotations.store.tables import StoreTable
from core.types import ErrorType


def _require_storable(text: str) -> str:
    try:
        require_storable("a text", text, most=MAX_TEXT)
    except RecordError as error:
        raise ValueError(str(error)) from None
    return text


StorableText = Annotated[str, AfterValidator(_require_storable)]

_Key = TypeVar("_Key")
_Id = TypeVar("_Id")


def require_known(ids: Mapping[_Key, _Id], key: _Key, what: str) -> _Id:
    """The id of a name or number in the file. Raises RecordError for one that no row of the file has."""
    if key not in ids:
        raise RecordError(f"A row names {what} {key!r}, which is not in the file. Export the campaign again.")
    return ids[key]


@dataclass(frozen=True, slots=True)
class LocalIds:
    """Ids in this database of the names and numbers in a file; filled while the file is imported."""

    names: dict[str, str] = field(default_factory=dict)
    """Names of people here, by their pseudonyms in the file."""
    people: dict[str, str] = field(default_factory=dict)
    """Ids of people here, by their pseudonyms in the file."""
    summaries: dict[str, str] = field(default_factory=dict)
    """Texts of summaries, by the ids of items in the file."""
    explanations: dict[str, str] = field(default_factory=dict)
    """Ids of explanations here, by those in the file."""
    tasks: dict[int, str] = field(default_factory=dict)
    """Ids of tasks here, by their numbers in the file."""
    turns: dict[tuple[int, str, int], int] = field(default_factory=dict)
    """Ids of reservations here, by task number, pseudonym and turn."""
    labels: dict[str, int] = field(default_factory=dict)
    """Ids of responses here, by their events."""

    def name(self, pseudonym: str) -> str:
        """The name of a person here; the name itself of anything else, such as a model."""
        return self.names.get(pseudonym, pseudonym)

    def person(self, pseudonym: str) -> str:
        return require_known(self.people, pseudonym, "person")

    def explanation(self, exported_id: str) -> str:
        return require_known(self.explanations, exported_id, "explanation") if exported_id else ""

    def task(self, number: int) -> str:
        return require_known(self.tasks, number, "task")

    def label(self, event_id: str) -> int:
        return require_known(self.labels, event_id, "label")

    def label_list(self, event_ids: Iterable[str]) -> list[int]:
        return [self.label(event_id) for event_id in event_ids]


def _as_exported(value: Any, _: Mapping[str, str]) -> Any:
    return value


def _as_stored(_: LocalIds, value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class ExportColumn:
    """The source of a column of an exported row; a column without one is the table's column of its name.

    `stored` names the table's column, "" for the column's own name. `write` makes the exported value from the stored one
    and the pseudonyms of people; None for a value that the exporting query gives. `read` makes the stored value from the
    exported one; None for a column that is not stored in this table.
    """

    stored: str = ""
    write: Callable[[Any, Mapping[str, str]], Any] | None = _as_exported
    read: Callable[[LocalIds, Any], Any] | None = _as_stored


def _pseudonym(name: str, pseudonyms: Mapping[str, str]) -> str:
    return pseudonyms.get(name, name)


def _error_type_name(_: LocalIds, error_type: ErrorType) -> str:
    return error_type.value


QUERIED = ExportColumn(write=None, read=None)
"""A column that the exporting query gives; importing computes it again, or stores it elsewhere."""

MakerName = Annotated[StorableText, ExportColumn("by", _pseudonym, LocalIds.name)]
TaskNumber = Annotated[int, ExportColumn("task_id", None, LocalIds.task)]
PersonPseudonym = Annotated[StorableText, ExportColumn("person_id", None, LocalIds.person)]
LabelEvent = Annotated[StorableText, ExportColumn("response_id", None, LocalIds.label)]
ErrorTypeName = Annotated[ErrorType, ExportColumn(read=_error_type_name)]
AnyErrorTypeName = Annotated[ErrorType | None, ExportColumn(read=_error_type_name)]


class ExportedModel(BaseModel):
    """A row of an export. `table` has its columns, apart from those that are QUERIED."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    table: ClassVar[type[StoreTable]]

    @classmethod
    def from_table(cls, row: StoreTable, pseudonyms: Mapping[str, str], **queried: Any) -> Self:
        """The exported row of a row of the table; `queried` has every column that the table does not give."""
        stored = {
            name: column.write(getattr(row, column.stored or name), pseudonyms)
            for name, column in columns_of(cls).items()
            if column.write
        }
        return cls(**stored, **queried)

    def table_values(self, ids: LocalIds) -> dict[str, Any]:
        """Values of the table's columns that the row has. Raises RecordError for a name or number of no row of the file."""
        values = {}
        for name, column in columns_of(type(self)).items():
            if column.read:
                value = getattr(self, name)
                values[column.stored or name] = None if value is None else column.read(ids, value)
        return values


@cache
def columns_of(model: type[ExportedModel]) -> dict[str, ExportColumn]:
    """The columns of a kind of row, apart from the kind itself."""
    return {
        name: next((part for part in info.metadata if isinstance(part, ExportColumn)), ExportColumn())
        for name, info in model.model_fields.items()
        if name != "kind"
    }
