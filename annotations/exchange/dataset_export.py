"""An imported dataset, or the local labels, as files of a dataset repository of the hub; and the checks before a push."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlmodel import Session, col, select

from annotations.exchange.dataset_card import card_header, cell, parquet_file
from annotations.exchange.export_format import CampaignExport
from annotations.exchange.formats.hf_dataset import HfDataset
from annotations.exchange.labelled_items import load_labelled_items
from annotations.exchange.samples import load_provenance, load_samples
from annotations.people.people import load_pseudonyms
from annotations.store.database import read_session
from annotations.store.imported_datasets import FileRow, load_datasets
from annotations.store.reads import load_edits
from annotations.store.records import CAMPAIGN_PREFIX, LOCAL_LABELS, RecordError
from annotations.store.store import Store
from annotations.store.tables import Dataset, SampleRow
from annotations.store.writes import ITEM_FACTS, document_id
from core.base import HUB_LICENCES
from core.data import DATASETS, Bundled, format_dataset
from core.stats import markdown_table
from core.text import context_records
from core.types import Item, Verdict

if TYPE_CHECKING:
    import pyarrow as pa

LABEL_MEANINGS: Mapping[Verdict, str] = {
    Verdict.CONSISTENT: "the document supports everything that the summary says",
    Verdict.INCONSISTENT: "the summary says something that the document contradicts or does not say",
    Verdict.BORDERLINE: "the judges could not tell, or differ",
}

_OWN = "your own"
_IDS = {"odc-by-1.0": "odc-by", Bundled.licence.lower(): "apache-2.0"}
_KNOWN = HUB_LICENCES | {"mit-0"}
_TEXTS_PER_QUERY = 500

_FACTS = ("edits", "title", "required_type", "scores", "failed_scores", "explanations")
_COLUMNS = {
    "id": "name of the summary in this dataset",
    "document": "source text; empty where the dataset came without",
    "contexts": "the named parts of a document that has any",
    "question": "what the summary answers, where something was asked",
    "summary": "the text that is labelled",
    "parent": "id of the summary that it was edited from",
    "original": "that summary",
    "label": "whether the summary is consistent with the document; see Labels",
    "error_type": "type of the error, as BUMP names them",
    "categories": "the dataset's own names of the errors",
    "domain": "kind of text",
    "group": "document, as the dataset names it, else its hash; split by it",
    "system": "who wrote the summary",
    "source": "part of the dataset",
    "split": "train, dev or test",
    "slices": "parts that the owner of the data named",
    "judgements": "what each judge said: people of this server by pseudonym, without their notes",
    "ratings": "numbers that judges gave, higher is better; of one sentence, or of all",
    "facts": "edits, title, released scores, explanations and claims as JSON, for the import into Touchstone",
}


def dataset_files(store: Store, name: str, licence: str = "") -> dict[str, bytes]:
    """The files of a repository: README.md, the card, and items.parquet, a row for each summary.

    `licence` is that of what is the person's own; a file of a known dataset brings its own. Raises TouchstoneError for an
    unknown name, and for a licence that a dataset does not have.
    """
    if name.startswith(CAMPAIGN_PREFIX):
        raise RecordError(
            f"{name!r} is a campaign. Export it as one: --campaign {name.removeprefix(CAMPAIGN_PREFIX)!r}."
        )
    if error := licence_error(store, name, licence):
        raise RecordError(error)
    labelled, sources = load_labelled_items(store, name), _sources(store, name)
    items = _with_edits(store, labelled.items) if name == LOCAL_LABELS else labelled.items
    licences = _known_licences(sources)
    came_with_data = ", ".join(licences) if all(map(licence_id, licences)) else ""
    card = _card(labelled.name, items, sources, licence.strip() or came_with_data)
    summaries = {item.example.id: item.example.summary for item in items}
    judges = _judge_names(store, name, items)
    rows = [_row(item, summaries, judges) for item in items]
    came_under = ", ".join(sorted({file.licence for file in sources} - {_OWN}))
    stated = came_under or licence.strip()
    return {"README.md": card.encode(), "items.parquet": parquet_file(rows, _schema(), stated)}


def _with_edits(store: Store, items: Sequence[Item]) -> list[Item]:
    """Local items with the edits that made them."""
    with read_session(store.engine) as session:
        return [
            replace(item, edits=tuple(load_edits(session, item.example.id)) if item.parent else ()) for item in items
        ]


def hub_dataset_files(store: Store, name: str, licence: str = "") -> dict[str, bytes]:
    """As `dataset_files`, for a push. Raises TouchstoneError also where `push_error` has one."""
    if error := push_error(store, name, licence):
        raise RecordError(error)
    return dataset_files(store, name, licence)


def licence_error(store: Store, name: str, licence: str) -> str:
    """Error of a stated licence that is not the dataset's own, in a sentence; "" where it is, or none is stated."""
    licences = [] if name == LOCAL_LABELS else _known_licences(_sources(store, name))
    if not licence.strip() or not licences or licences == [licence_id(licence)]:
        return ""
    return f"{name!r} came under {', '.join(licences)}, not under {licence.strip()}. Leave the licence out."


def push_error(store: Store, name: str, licence: str) -> str:
    """Error of pushing a dataset, in a sentence; "" where it may be pushed."""
    sources = _sources(store, name)
    if error := licence_error(store, name, licence) or _sharing_error(sources):
        return error
    own = name == LOCAL_LABELS or any(file.licence == _OWN for file in sources)
    if own and not licence.strip():
        return f"Nobody has stated a licence of {name!r}. State it, as cc-by-4.0, before a push."
    return ""


def hub_campaign_files(export: CampaignExport) -> dict[str, bytes]:
    """As the format hf-dataset has them, for a push.

    Raises RecordError where the manager has not stated licence and consent, nothing is labelled, or the licence of a text
    forbids it.
    """
    if error := missing_terms(export.terms.licence, export.terms.consent):
        raise RecordError(error)
    tasks = export.tasks()
    if not tasks:
        raise RecordError(f"Nothing of {export.campaign.name!r} is labelled yet. Push it when something is.")
    if error := _sharing_error(_files_of_documents(export.session, {task.document_id for task in tasks})):
        raise RecordError(error)
    return HfDataset().files(export)


def missing_terms(licence: str, consent: str) -> str:
    """Terms that a manager has to state for a campaign before a push, as a sentence; "" where nothing is missing."""
    terms = {"the licence of the labels": licence, "what people consented to": consent}
    missing = [name for name, stated in terms.items() if not stated.strip()]
    if not missing:
        return ""
    return f"State {' and '.join(missing)} before a push: the card tells it to everybody who uses the labels."


def licence_remarks(store: Store, name: str) -> list[str]:
    """A sentence for each licence of a dataset that comes with terms beside its identifier."""
    stated = dict.fromkeys((file.dataset, file.licence) for file in _sources(store, name))
    return [
        f"{dataset!r} is under {licence}: see whether that permits to share its texts."
        for dataset, licence in stated
        if licence_id(licence) and not re.fullmatch(r"\S+", licence) and licence != Bundled.licence
    ]


def _sources(store: Store, name: str) -> list[FileRow]:
    """Imported files of a dataset; for local labels, the files that its documents came from."""
    if name == LOCAL_LABELS:
        with read_session(store.engine) as session:
            return _files_of_documents(session, {sample.document for sample in load_samples(store, name)})
    return list(load_provenance(store, [name])[0])


def _files_of_documents(session: Session, documents: Iterable[str]) -> list[FileRow]:
    """The files of every dataset that has one of these documents."""
    names: set[str] = set()
    document_ids = sorted(documents)
    held = select(Dataset.name).join(SampleRow, col(SampleRow.dataset_id) == Dataset.id).distinct()
    for start in range(0, len(document_ids), _TEXTS_PER_QUERY):
        some = document_ids[start : start + _TEXTS_PER_QUERY]
        names.update(session.exec(held.where(col(SampleRow.document_id).in_(some))))
    return [file for row in load_datasets(session) if row.name in names for file in row.files]


def licence_id(stated: str) -> str:
    """The identifier with which a licence begins, as importers state it: "MIT (articles: XSum)"; "" where it has none."""
    text = stated.strip().lower()
    if "none stated" in text:  # of a part, as the annotations
        return ""
    first = re.split(r"[\s,;(]", text, maxsplit=1)[0]
    identifier = _IDS.get(text) or _IDS.get(first, first)
    return identifier if identifier in _KNOWN else ""


def _known_licences(sources: Iterable[FileRow]) -> list[str]:
    """Identifiers of the licences that came with the data; the statement itself where a licence has no identifier."""
    return sorted({licence_id(file.licence) or file.licence for file in sources if file.licence != _OWN})


def _sharing_error(sources: Iterable[FileRow]) -> str:
    """Error of sending the texts of these files to the hub in another form; "" where it is allowed."""
    for file in sources:
        identifier = licence_id(file.licence)
        if not identifier and file.licence != _OWN:
            cause = f"has no licence that permits it ({file.licence})"
        elif "-nd-" in identifier:
            cause = f"is under {file.licence}, which forbids to share it in another form"
        else:
            continue
        return (
            f"{file.dataset!r} {cause}: its texts are not pushed. Export it to a file for yourself, and refer others to "
            f"{_address(file.importer) or 'its authors'}."
        )
    return ""


def _address(importer: str) -> str:
    return DATASETS.get(importer).url if importer in DATASETS.names() else ""


def _card(name: str, items: Sequence[Item], sources: Sequence[FileRow], licence: str) -> str:
    labels = Counter(item.intended for item in items)
    types = Counter(item.error_type.value for item in items if item.error_type)
    documents = len({item.example.document or item.group for item in items})
    meant = [[f"`{verdict}`", str(labels[verdict]), meaning] for verdict, meaning in LABEL_MEANINGS.items()]
    counted = [[cell(kind), str(number)] for kind, number in types.most_common()]
    parts = [
        card_header(name, licence, ["items"]),
        f"# {cell(format_dataset(name))}",
        f"{len(items)} summaries of {documents} documents, {sum(item.parent is not None for item in items)} of them "
        "edits of another. Exported from Touchstone.",
        "## Labels",
        markdown_table(["label", "summaries", "meaning"], [*meant, ["none", str(labels[None]), "not labelled"]]),
        *(["## Error types", markdown_table(["type", "summaries"], counted)] if types else []),
        "## Licence and source",
        f"Licence: {cell(licence) or 'not stated'}. Texts that a dataset took from others have terms of their own.",
        *([markdown_table(_SOURCE_HEAD, map(_source_row, sources))] if sources else []),
        "## Columns",
        markdown_table(["column", "what it holds"], [[f"`{column}`", about] for column, about in _COLUMNS.items()]),
    ]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


_SOURCE_HEAD = ["dataset", "file", "read as", "licence", "release", "from", "SHA-256"]


def _source_row(file: FileRow) -> list[str]:
    values = (file.dataset, file.file, file.importer, file.licence, file.release, _address(file.importer), file.sha256)
    return [cell(value) for value in values]


def _judge_names(store: Store, name: str, items: Sequence[Item]) -> dict[str, str]:
    """Name of each judge and maker in the file: people by pseudonym; in local labels, judges without one are numbered."""
    with read_session(store.engine) as session:
        pseudonyms = load_pseudonyms(session)
    verdicts = [judgement.judge for item in items for judgement in item.judgements]
    judges = dict.fromkeys([*verdicts, *(rating.judge for item in items for rating in item.ratings)])
    makers = dict.fromkeys(
        [edit.by for item in items for edit in item.edits]
        + [name for item in items for explanation in item.explanations for name in (explanation.by, explanation.judge)]
    )
    if name != LOCAL_LABELS:
        return {person: pseudonyms.get(person, person) for person in judges | makers}
    numbered = {judge: pseudonyms.get(judge, f"person-{number}") for number, judge in enumerate(judges, 1)}
    return {
        maker: pseudonyms.get(maker, "") for maker in makers
    } | numbered  # a model, or a person who is not registered


def _row(item: Item, summaries: Mapping[str, str], judges: Mapping[str, str]) -> dict[str, Any]:
    example = item.example
    values = (
        *(example.id, example.document or None, context_records(example), example.question or None, example.summary),
        *(item.parent, summaries.get(item.parent or "")),
        *(item.intended and item.intended.value, item.error_type and item.error_type.value, item.categories),
        *(
            item.domain or None,
            item.group or (document_id(example) if example.document else None),
            item.system or None,
            item.source or None,
        ),
        *(item.split and item.split.value, item.slices),
        [
            {
                "judge": judges[judgement.judge],
                "verdict": judgement.verdict.value,
                "category": judgement.category,
                "start": judgement.span and judgement.span.start,
                "end": judgement.span and judgement.span.end,
            }
            for judgement in item.judgements
        ],
        [
            {"judge": judges[rating.judge], "aspect": rating.aspect, "value": rating.value, "sentence": rating.sentence}
            for rating in item.ratings
        ],
        json.dumps(_facts(item, judges), ensure_ascii=False),
    )
    return dict(zip(_COLUMNS, values, strict=True))


def _facts(item: Item, people: Mapping[str, str]) -> dict[str, Any]:
    """Facts of an item that are in no other column, JSON-able; makers by the names that `people` has, notes left out."""
    values = ITEM_FACTS.dump_python(item, mode="json")
    for part in (*values["edits"], *values["explanations"]):
        part["by"] = people.get(part["by"], part["by"])
    for explanation in values["explanations"]:
        explanation["judge"] = people.get(explanation["judge"], explanation["judge"])
    facts = {name: values[name] for name in _FACTS} | {"claims": values["example"]["claims"]}
    return {name: value for name, value in facts.items() if value}


def _schema() -> pa.Schema:
    import pyarrow as pa  # slow to load, and only exports for the hub need it

    text, number = pa.string(), pa.float64()
    lists = {
        "contexts": pa.struct({"name": text, "text": text}),
        "categories": text,
        "slices": text,
        "judgements": pa.struct(
            {"judge": text, "verdict": text, "category": text, "start": pa.int64(), "end": pa.int64()}
        ),
        "ratings": pa.struct({"judge": text, "aspect": text, "value": number, "sentence": pa.int64()}),
    }
    return pa.schema({name: pa.list_(lists[name]) if name in lists else text for name in _COLUMNS})
