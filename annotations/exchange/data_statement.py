"""The data statement of a campaign in Markdown: items, annotators, instructions, terms and agreement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from sqlmodel import col, select

from annotations.campaigns.active_order import ORDER_NOTE, was_ordered_by_disagreement
from annotations.campaigns.exclusions import describe_exclusion, load_exclusions
from annotations.campaigns.qualification import Stage, mark_answers, training_rounds
from annotations.campaigns.questions import CampaignQuestion
from annotations.campaigns.score_views import count_views
from annotations.campaigns.withdrawals import load_withdrawals
from annotations.exchange.dataset_card import cell
from annotations.exchange.export_format import CampaignExport, LabelledTask
from annotations.labelling.crowd import describe_pay, load_sessions, load_study
from annotations.management.preannotation import describe_modes
from annotations.people.people import load_people
from annotations.results.label_agreement import LabelAgreement
from annotations.results.resolution import Resolution
from annotations.store.campaign_tables import Task
from annotations.store.people_tables import Person
from annotations.store.response_tables import Adjudication
from core.stats import format_coefficient, format_count, format_percent, markdown_table

STATEMENT_TITLE = "# Data statement: "
_NOT_STATED = "Not stated."


def data_statement(export: CampaignExport, tasks: Sequence[LabelledTask]) -> str:
    """The statement; no name of a person is in it. Pay, consent and licence are as the manager states them."""
    campaign, terms = export.campaign, export.terms
    quoted = "\n".join(
        f"> {line}".rstrip() for line in (campaign.guidelines.strip() or campaign.questions.guidelines).splitlines()
    )

    counts = Counter(label.version for task in tasks for label in task.resolved.labels)
    numbers = ", ".join(f"{counts[version]} by version {version}" for version in sorted(counts))
    questions = export.campaign.questions
    source = f", from {cell(questions.source)}" if questions.source else ""
    return (
        "\n\n".join(
            [
                f"{STATEMENT_TITLE}{cell(campaign.name)}",
                _format_counts(tasks),
                *_format_withdrawals(export),
                "## People",
                _format_people(export, tasks),
                *_format_exclusions(export),
                *_format_training(export),
                *_format_crowd(export),
                *_format_views(export),
                f"Pay: {terms.pay.strip() or _NOT_STATED}",
                f"Consent: {terms.consent.strip() or _NOT_STATED}",
                "## Instructions",
                f"Question set `{cell(questions.name)}` (“{cell(questions.title)}”{source}). Labels: {numbers or 'none'}.",
                markdown_table(["question", "asked", "answers"], map(_question_row, export.questions())).rstrip(),
                f"Guidelines of version {campaign.version}:",
                quoted or _NOT_STATED,
                "## Agreement",
                *([ORDER_NOTE] if was_ordered_by_disagreement(export.session, export.campaign) else []),
                *filter(None, [cell(describe_modes(export.session, export.campaign))]),
                _format_agreement(export.agreements()),
                "## Licence",
                f"Labels: {terms.licence.strip() or _NOT_STATED}\n\nDocuments and summaries have terms of their own.",
            ]
        )
        + "\n"
    )


def _format_counts(tasks: Sequence[LabelledTask]) -> str:
    counts = Counter(task.resolved.resolution for task in tasks)
    resolved = ", ".join(f"{counts[resolution]} {resolution}" for resolution in Resolution if counts[resolution])
    labels = sum(len(task.resolved.labels) for task in tasks)
    return (
        f"{format_count(len(tasks), 'item')} with {format_count(labels, 'label')}, given before any score was seen. "
        f"Final labels: {resolved or 'none'}."
    )


def _format_withdrawals(export: CampaignExport) -> Iterator[str]:
    """Format the numbers of withdrawn items by reason; nothing if there is none."""
    withdrawn = load_withdrawals(export.session, export.campaign.id).values()
    if withdrawn:
        yield "Withdrawn, with their labels, from all that follows and from the counts above:"
        reasons = Counter(
            (row.reason, "another version of the texts" if row.replaced_by else "nothing") for row in withdrawn
        )
        rows = [[str(number), cell(reason), instead] for (reason, instead), number in reasons.most_common()]
        yield markdown_table(["items", "reason", "in their place"], rows).rstrip()


def _format_people(export: CampaignExport, tasks: Sequence[LabelledTask]) -> str:
    """Format the number of people of each role who labelled, and of those who decided."""
    pseudonyms = {label.pseudonym for task in tasks for label in task.resolved.labels}
    roles = export.session.exec(select(Person.role).where(col(Person.pseudonym).in_(pseudonyms))).all()
    numbers = ", ".join(f"{number} as {role}" for role, number in sorted(Counter(roles).items()))
    deciding = select(Adjudication.by).join(Task, col(Task.id) == Adjudication.task_id)
    decided = len(set(export.session.exec(deciding.where(Task.campaign_id == export.campaign.id))))
    return f"Labelled by {len(pseudonyms)} ({numbers or 'nobody'}); disagreement adjudicated by {decided}."


def _format_exclusions(export: CampaignExport) -> Iterator[str]:
    """Format the excluded labels with their reasons; nothing if all labels count."""
    valid = [row for row in load_exclusions(export.session, export.campaign) if row.valid]
    if valid:
        yield "Left out of all that follows, and of the counts above:"
        rows = [[row.pseudonym, cell(describe_exclusion(row)), cell(row.reason), f"{row.at:%Y-%m-%d}"] for row in valid]
        yield markdown_table(["annotator", "what", "reason", "day"], rows).rstrip()


def _format_crowd(export: CampaignExport) -> Iterator[str]:
    """Format the outcomes and pay of the sessions of a crowd platform; nothing without one."""
    study = load_study(export.session, export.campaign.id)
    if study:
        yield describe_pay(load_sessions(export.session, export.campaign), study[1])


def _format_views(export: CampaignExport) -> Iterator[str]:
    """Format the number of items whose scores annotators saw on Probe; nothing if there is none."""
    views, people = count_views(export.session, export.campaign)
    if views:
        unaided = export.campaign.rules.mode == "unaided"
        then = " Whoever opened one was not given it afterwards." if unaided else ""
        yield f"Items opened on Probe in sight of their scores, counted for each person: {views}; people: {people}.{then}"


def _format_training(export: CampaignExport) -> Iterator[str]:
    """Format the right training items of each person, by round before the first item; nothing without training."""
    people = load_people(export.session)
    pseudonyms = dict(export.session.exec(select(Person.id, Person.pseudonym)).all())
    rows = [
        [
            pseudonyms[person.id],
            str(training.number),
            f"{training.right} of {training.answered}",
            f"{training.last_at:%Y-%m-%d}",
        ]
        for person in people
        for training in training_rounds(mark_answers(export.session, export.campaign, person, (Stage.TRAINING,)))
    ]
    if rows:
        yield "Training with feedback before the first item, whose answers are no labels:"
        yield markdown_table(["annotator", "round", "right", "day"], sorted(rows)).rstrip()


def _question_row(question: CampaignQuestion) -> list[str]:
    match question.kind:
        case "choice" | "several":
            answers = f"{'one' if question.kind == 'choice' else 'any'} of {', '.join(question.values)}"
        case "ranking" | "best-worst" | "soft":
            means = {"ranking": "order", "best-worst": "best and worst", "soft": "per cent of each"}
            answers = f"{means[question.kind]} of {', '.join(question.values)}"
        case "scale" | "slider":
            answers = f"{question.low} to {question.high}"
        case "span":
            categories = f", each one of {', '.join(question.values)}" if question.options else ""
            answers = f"passages of the {question.of}{categories}"
        case "link":
            answers = "claims with evidence"
        case "text" | "edit":
            answers = question.kind
    return [f"`{question.id}`", cell(question.ask), cell(answers)]


def _format_agreement(agreements: Sequence[LabelAgreement]) -> str:
    if not agreements:
        return "No question with a fixed choice of answers is labelled yet."
    head = ["question", "people", "labels", "same answer, %", "Krippendorff's alpha", "Gwet's AC1"]
    errors = [
        (agreement.question, estimate.error)
        for agreement in agreements
        for estimate in (agreement.raw, agreement.alpha, agreement.ac1)
    ]
    remarks = "".join(f"\n`{question}`: {cell(error)}\n" for question, error in dict.fromkeys(errors) if error)
    return (
        "First labels of each person; in brackets the 95 % interval of a bootstrap over documents.\n\n"
        f"{markdown_table(head, map(_agreement_row, agreements))}{remarks}"
    ).rstrip()


def _agreement_row(agreement: LabelAgreement) -> list[str]:
    alpha = f"{format_coefficient(agreement.alpha)} ({agreement.scale})"
    return [
        f"`{agreement.question}`",
        str(agreement.people),
        str(agreement.labels),
        format_percent(agreement.raw),
        alpha,
        format_coefficient(agreement.ac1),
    ]
