"""Samples for the evaluation of metrics, from imported datasets, local labels and campaigns; and the provenance of a campaign's labels."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from sqlalchemy.orm import aliased
from sqlmodel import Session, and_, col, select

from annotations.campaigns.answer_verdicts import verdicts_of_answers
from annotations.campaigns.campaign import CampaignSettings, load_campaign_by_name
from annotations.campaigns.error_types import error_type_meanings
from annotations.campaigns.questions import QuestionSet, read_questions
from annotations.results.drawn import load_selection_probabilities
from annotations.results.label_agreement import OVERALL, LabelAgreement, compute_agreement
from annotations.results.local_labels import load_local_labels, load_with_originals, stored_samples
from annotations.results.resolution import Resolution, ResolvedTask, resolve_tasks
from annotations.results.results import CampaignLabel, corrected_error_types, first_blind_labels, load_labels
from annotations.store.campaign_tables import Campaign, Task, VersionRow
from annotations.store.database import read_session
from annotations.store.imported_datasets import (
    FileRow,
    load_examples,
    load_imported_samples,
    load_parts,
    load_stored_ids,
)
from annotations.store.records import CAMPAIGN_PREFIX, LOCAL_LABELS
from annotations.store.response_tables import Reservation
from annotations.store.score_writes import SavedScores
from annotations.store.store import Store
from annotations.store.tables import Explanation, ItemRow, Origin, SampleRow
from annotations.store.writes import ITEM_FACTS
from core.data import DatasetDiff, bundled_items, compare_versions, dataset_of_reference
from core.results import bundled_samples
from core.scoring import SentenceScores
from core.stats import SELECTION_PROBABILITY
from core.types import (
    PRECOMPUTED,
    ErrorType,
    Example,
    GradedExplanation,
    Item,
    Judgement,
    Outcome,
    Sample,
    StoredScore,
    Verdict,
)

_SCORES_PER_WRITE = 500


@dataclass(frozen=True, slots=True)
class _ItemLabels:
    """Labels that a campaign has of one item."""

    verdicts: list[Verdict] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    judgements: dict[str, Judgement] = field(default_factory=dict)
    explanations: list[GradedExplanation] = field(default_factory=list)


def load_campaign_samples(session: Session, dataset: str) -> list[Sample]:
    """Labelled items of a campaign with their originals, and the edits that were written for it.

    An unresolved item has no label; a written edit has the label that its author intended. Raises RecordError for an
    unknown name.
    """
    campaign = load_campaign_by_name(session, dataset.removeprefix(CAMPAIGN_PREFIX))
    tasks = resolve_tasks(session, campaign)
    origins = {row.item_id: row for row in session.exec(select(Origin).order_by(col(Origin.created_at)))}
    written = {id for id, origin in origins.items() if origin.source == f"campaign {campaign.name}"}
    rows = load_with_originals(session, {task.item for task in tasks} | written)
    facts: dict[str, _ItemLabels] = defaultdict(_ItemLabels)
    for task in tasks:
        _add_task_labels(facts, rows[task.item], campaign.questions, task)
    for item, explanation in _graded_explanations(session, campaign, tasks, origins):
        facts[item].explanations.append(explanation)
    meant = written if campaign.questions.measure != "grade" else origins.keys()
    for id, kind in corrected_error_types(session).items():
        facts[id].kinds.append(kind)
    chances = load_selection_probabilities(session, campaign.id)
    probabilities = {task.item: chances[task.task] for task in tasks if task.task in chances}
    items = {
        id: replace(
            _campaign_item(row, facts[id], origins.get(id), id in meant), scores=_drawn_score(probabilities.get(id))
        )
        for id, row in rows.items()
    }
    return stored_samples(session, dataset, rows, items)


def _drawn_score(chance: float | None) -> tuple[StoredScore, ...]:
    """The probability of selection as `pool_of_cases` reads it."""
    return () if chance is None else (StoredScore(SELECTION_PROBABILITY, chance),)


def _add_task_labels(
    facts: Mapping[str, _ItemLabels], row: ItemRow, questions: QuestionSet, task: ResolvedTask
) -> None:
    ids = (row.parent_id or "", row.id)
    for id, verdict in zip(ids, verdicts_of_answers(questions, task.answers), strict=True):
        if verdict:
            facts[id].verdicts.append(verdict)
    for label in task.labels:
        for id, verdict in zip(ids, verdicts_of_answers(questions, label.answers), strict=True):
            if verdict:
                facts[id].judgements[label.pseudonym] = Judgement(id, label.pseudonym, verdict)
    if kind := task.answers.get("error_type"):
        facts[row.id].kinds.append(kind)


def _graded_explanations(
    session: Session, campaign: CampaignSettings, tasks: Sequence[ResolvedTask], origins: Mapping[str, Origin]
) -> Iterator[tuple[str, GradedExplanation]]:
    """The explanations that were graded, with the agreed grade, by item."""
    graded = [resolved for resolved in tasks if resolved.answers.get("grade")]
    authors = _explanation_authors(session, campaign) if graded else {}
    for resolved in graded:
        task = session.get_one(Task, resolved.task)
        stored = session.get(Explanation, task.explanation_id)
        text = stored.text if stored else task.asked.get("explanation", "")
        author = origins[resolved.item].by if resolved.item in origins else ""
        by = stored.by if stored else authors.get((resolved.item, text), author)
        grade, cause = (str(resolved.answers.get(name) or "") for name in ("grade", "cause"))
        yield resolved.item, GradedExplanation(text, by, grade, resolved.resolution.value, cause=cause)


def _explanation_authors(session: Session, campaign: CampaignSettings) -> dict[tuple[str, str], str]:
    """Authors of the explanations that were imported with the items of a campaign, by item and text."""
    items = select(Task.item_id).where(Task.campaign_id == campaign.id)
    texts = aliased(SampleRow)  # the row that names the item: those with explanations may have come without texts
    rows = session.exec(
        select(texts.item_id, SampleRow.facts)
        .join(texts, and_(texts.dataset_id == SampleRow.dataset_id, texts.key == SampleRow.key))
        .where(col(texts.item_id).in_(items))
        .order_by(col(SampleRow.number))
    )
    authors = (
        (item, explanation)
        for item, facts in rows
        for explanation in ITEM_FACTS.validate_json(facts).explanations
        if item
    )
    return {(item, explanation.text): explanation.by for item, explanation in authors}


def _campaign_item(row: ItemRow, facts: _ItemLabels, origin: Origin | None, meant: bool) -> Item:
    intended = Verdict(origin.intended) if origin and origin.intended and meant else None
    kind = next(iter(facts.kinds), origin.error_type if origin else None)
    combined_verdict = (
        None if not facts.verdicts else facts.verdicts[0] if len(set(facts.verdicts)) == 1 else Verdict.BORDERLINE
    )
    return Item(
        Example(row.id, "", row.text),
        parent=row.parent_id,
        intended=combined_verdict or intended,
        error_type=ErrorType(kind) if kind else None,
        domain=origin.domain if origin else "",
        title=origin.title if origin else "",
        judgements=tuple(facts.judgements.values()),
        explanations=tuple(facts.explanations),
    )


@dataclass(frozen=True, slots=True)
class CampaignDescription:
    """The labels of a campaign: `counts` has the number of tasks for each way in which a label was resolved.

    `agreement` is that on the measured question, None where it has no answers. `error_types` has the number of labels with an error
    type for each version of the meanings of error types.
    """

    dataset: str
    title: str
    version: int
    counts: Mapping[Resolution, int]
    agreement: LabelAgreement | None
    error_types: Mapping[int, int]


def load_labelled_campaigns(session: Session) -> list[str]:
    """The datasets of the campaigns in which something was labelled, newest first."""
    labelled = (
        select(Reservation.campaign_id)
        .join(Task, col(Task.id) == Reservation.task_id)
        .where(Task.part == "work", Reservation.state == "answered", ~col(Reservation.excluded))
    )
    names = select(Campaign.name).where(col(Campaign.id).in_(labelled)).order_by(col(Campaign.created_at).desc())
    return [CAMPAIGN_PREFIX + name for name in session.exec(names)]


def describe_campaign(session: Session, dataset: str) -> CampaignDescription:
    """Raises RecordError for an unknown name."""
    campaign = load_campaign_by_name(session, dataset.removeprefix(CAMPAIGN_PREFIX))
    questions, labels = campaign.questions, load_labels(session, campaign)
    return CampaignDescription(
        dataset,
        questions.title,
        campaign.version,
        Counter(task.resolution for task in resolve_tasks(session, campaign)),
        compute_agreement(questions.by_id[questions.measure], OVERALL, first_blind_labels(labels)),
        _count_meanings(session, campaign, labels),
    )


def _count_meanings(session: Session, campaign: CampaignSettings, labels: Sequence[CampaignLabel]) -> Mapping[int, int]:
    """Number of labels of work with an error type, by the version of its meaning that their question set had."""
    versions = session.exec(
        select(VersionRow.version, VersionRow.questions).where(VersionRow.campaign_id == campaign.id)
    )
    questions = {version: read_questions(text) for version, text in versions}
    return Counter(
        questions[label.version].error_types
        for label in labels
        if label.part == "work"
        and label.counts
        and ("error_type" in label.answers or questions[label.version].required_type)
    )


def format_description(description: CampaignDescription) -> list[str]:
    """Sentences for a data card."""
    counts = ", ".join(
        f"{description.counts[resolution]} {resolution}"
        for resolution in Resolution
        if description.counts.get(resolution)
    )
    left_out = (
        " Those unresolved have no label and count in no table."
        if description.counts.get(Resolution.UNRESOLVED)
        else ""
    )
    sentences = [
        f"“{description.title}”, version {description.version} of the guidelines. Labels: {counts or 'none'}.{left_out}"
    ]
    if description.agreement:
        sentences.append(_format_agreement(description.agreement))
    if description.error_types:
        sentences.append(format_meaning_versions(description.error_types))
    return sentences


def format_meaning_versions(versions: Mapping[int, int]) -> str:
    """The meanings by which errors were named; a warning where a table by error type mixes several."""
    newest = error_type_meanings().version
    names = [
        f"version {version} (BUMP's own)" if version == newest else f"version {version}" for version in sorted(versions)
    ]
    if len(names) == 1:
        return f"Error types by {names[0]} of their meanings."
    counts = ", ".join(f"{versions[version]} by {name}" for version, name in zip(sorted(versions), names, strict=True))
    return f"Labels with error types: {counts} of their meanings. A table by error type mixes these."


def _format_agreement(agreement: LabelAgreement) -> str:
    people = f"{agreement.people} {'person' if agreement.people == 1 else 'people'} gave {agreement.labels} first blind label{'' if agreement.labels == 1 else 's'}"
    if agreement.alpha.value is None:
        return f"{people}. {agreement.alpha.error}"
    low, high = agreement.alpha.low, agreement.alpha.high
    between = "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"
    return f"{people}; Krippendorff's alpha ({agreement.scale}) is {agreement.alpha.value:.2f}{between} on {agreement.alpha.n} shared tasks."


def load_samples(store: Store, dataset: str) -> list[Sample]:
    """The samples of an imported dataset, of local labels, of a campaign or of the bundled examples, with our scores.

    Raises RecordError for an unknown name.
    """
    if dataset == PRECOMPUTED:
        return bundled_samples()
    with read_session(store.engine) as session:
        return _load_samples_in(session, dataset)


def load_sentence_scores(store: Store, stored: Sequence[str], signatures: Sequence[str]) -> SentenceScores:
    """Stored sentence scores of these texts by these signatures; empty for the bundled examples, which have none."""
    with read_session(store.engine) as session:
        return load_parts(session, stored, signatures)


def load_texts(store: Store, dataset: str) -> Iterator[Example]:
    """Each stored text that `load_samples` gives once, under the id of its sample, those of one document together."""
    if dataset == PRECOMPUTED:
        yield from (item.example for item in bundled_items())
        return
    with read_session(store.engine) as session:
        yield from load_examples(session, _text_ids_in(session, dataset))


def count_texts(store: Store, dataset: str) -> int:
    """Number of texts that `load_texts` gives of a dataset of the store. Raises RecordError for an unknown name."""
    with read_session(store.engine) as session:
        return len(_text_ids_in(session, dataset))


def campaign_datasets(store: Store) -> list[str]:
    """The names under which `samples` knows the campaigns that have labels, newest first."""
    with read_session(store.engine) as session:
        return load_labelled_campaigns(session)


def load_description(store: Store, dataset: str) -> CampaignDescription:
    """Describe the provenance of the labels of a campaign. Raises RecordError for an unknown name."""
    with read_session(store.engine) as session:
        return describe_campaign(session, dataset)


def load_provenance(store: Store, datasets: Sequence[str]) -> tuple[tuple[FileRow, ...], dict[str, list[str]]]:
    """The imported files of these datasets, and for each dataset that has none a description of its labels.

    The files are those of the version that is asked for, under its name.
    """
    versions = {row.name: row.versions for row in store.datasets()}
    imported = [store.version(name) for name in datasets if _is_imported(name)]
    files = tuple(
        replace(file, dataset=version.reference)
        for version in imported
        for file in versions[version.dataset][version.number - 1].files
    )
    own = [name for name in datasets if not _is_imported(name)]
    campaigns = [name for name in own if name.startswith(CAMPAIGN_PREFIX)]
    described = {name: load_description(store, name) for name in campaigns}
    versions_of_types = {version for description in described.values() for version in description.error_types}
    descriptions = {
        name: [
            *format_description(description),
            *([_OTHER_MEANINGS] if 0 < len(description.error_types) < len(versions_of_types) else []),
        ]
        for name, description in described.items()
    }
    return files, {name: descriptions.get(name, []) for name in own}


_OTHER_MEANINGS = (
    "Another campaign here names errors by other meanings of the error types: a table by error type mixes these."
)


def _is_labelled_here(dataset: str) -> bool:
    return dataset == LOCAL_LABELS or dataset.startswith(CAMPAIGN_PREFIX)


def _is_imported(dataset: str) -> bool:
    return dataset != PRECOMPUTED and not _is_labelled_here(dataset)


def dataset_references(store: Store, names: Iterable[str]) -> list[str]:
    """The names by which results call these datasets: NAME, or NAME@2 where an imported one has several versions.

    A name without a version is the newest. Raises RecordError for an unknown name or version.
    """
    return [store.version(name).reference if _is_imported(name) else name for name in names]


def stored_reference(store: Store, name: str) -> str:
    """The version of an imported dataset with its number, for what is kept; "" for what has no versions."""
    return store.version(name).full_reference if _is_imported(name) else ""


def newer_references(store: Store, names: Iterable[str]) -> dict[str, str]:
    """By name in a result that was kept, the newest version, where it is of an older one.

    A name without a number is of a time in which the dataset had one version.
    """
    references = store.version_references()
    newer = {}
    for name in names:
        dataset = name if name in references else dataset_of_reference(name)
        newest = references.get(dataset, [dataset])[0]
        if newest not in (name, dataset):
            newer[name] = newest
    return newer


def compare_dataset_versions(store: Store, before: str, after: str) -> DatasetDiff:
    """Return the changes from one version of a dataset to another. Raises RecordError for an unknown one."""
    older, newer = store.version(before), store.version(after)
    return compare_versions(
        older.full_reference, load_samples(store, before), newer.full_reference, load_samples(store, after)
    )


def _text_ids_in(session: Session, dataset: str) -> list[str]:
    if not _is_labelled_here(dataset):
        return load_stored_ids(session, dataset)
    return [sample.stored for sample in _load_samples_in(session, dataset)]


def _load_samples_in(session: Session, dataset: str) -> list[Sample]:
    if not _is_labelled_here(dataset):
        return load_imported_samples(session, dataset)
    return load_local_labels(session) if dataset == LOCAL_LABELS else load_campaign_samples(session, dataset)


def save_scores(store: Store, dataset: str, outcomes: Iterable[Outcome]) -> Iterator[SavedScores]:
    """Save scores of a dataset's samples, named by the ids of the dataset; yield the counts of each write."""
    stored = {sample.item.example.id: sample.stored for sample in load_samples(store, dataset)}
    renamed = (replace(outcome, example_id=stored[outcome.example_id]) for outcome in outcomes)
    while some := list(islice(renamed, _SCORES_PER_WRITE)):
        yield store.save_outcomes(some)
