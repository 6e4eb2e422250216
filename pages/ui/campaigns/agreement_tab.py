"""Agreement of the people of a campaign, question by question, on first blind labels; and who changes their mind."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotations.campaigns.active_order import ORDER_NOTE
from annotations.campaigns.campaign import CampaignSettings
from annotations.results.kept_edits import KEPT_NOTE, kept_row, rejecting_questions
from annotations.results.label_agreement import LabelAgreement, Revisions
from core.stats import format_coefficient, format_count, format_percent
from pages.ui.campaigns.annotator_model_view import annotator_model_view
from pages.ui.campaigns.campaign_choice import campaign_manager
from pages.ui.results.copy_popover import copy_table
from pages.ui.shared.background_results import background_result
from pages.ui.shared.markup import escape_markdown

_AGREEMENT_HELP = (
    "First labels, given without sight of a score. In brackets the 95 % interval of a bootstrap over documents. "
    "Krippendorff's alpha takes answers for no more than the question makes them: nominal, ordinal or interval. Gwet's "
    "AC1 stays meaningful where one answer is far more frequent than the others. Rankings are compared by squared differences "
    "of ranks, best-worst by those of scores (1, 0, -1), soft labels by Jensen-Shannon divergence; split-half is how far two "
    "halves of the people give the options of each item the same best-worst scores (Spearman's rho of 100 halvings)."
)


def agreement_tab(campaign: CampaignSettings) -> None:
    """A question, its figures on every slice, Cohen's kappa of every two people on one of them, and which edits are kept."""
    import pandas as pd

    manager = campaign_manager()
    state = manager.count_events(campaign.id)
    agreements = background_result(
        "Computing bootstrap intervals…",
        ("agreement", campaign.id, campaign.version, state),
        lambda: manager.agreements(campaign.id),
    )
    if agreements is None:
        return
    if not agreements:
        st.info("There is no label of work yet.", icon=":material/handshake:")
        return
    of_question = _question_choice(campaign, agreements)
    st.caption(_AGREEMENT_HELP)
    _caveats(campaign)

    lines = [
        {
            "items": agreement.slice,
            "labels": agreement.labels,
            "people": agreement.people,
            "same answer, %": format_percent(agreement.raw),
            **{f"alpha ({scale})": format_coefficient(estimate) for scale, estimate in agreement.alphas.items()},
            **({"AC1": format_coefficient(agreement.ac1)} if agreement.prevalence else {}),
            **({"split-half": format_coefficient(agreement.reliability)} if agreement.reliability else {}),
            **{f"{answer}, %": format_percent(share) for answer, share in agreement.prevalence.items()},
        }
        for agreement in of_question
    ]
    slices_frame = pd.DataFrame(lines)
    event = st.dataframe(
        slices_frame,
        key=f"agreement-{of_question[0].question}",
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        alt="Agreement on every slice",
    )
    copy_table(f"Agreement on {of_question[0].question}", slices_frame, "agreement-slices")
    rows = event["selection"]["rows"]
    selected = of_question[rows[0]] if rows and rows[0] < len(of_question) else of_question[0]

    slices: dict[str, list[str]] = {}
    for agreement in of_question:
        estimates = [agreement.raw, *agreement.alphas.values(), *([agreement.ac1] if agreement.prevalence else [])]
        estimates += [agreement.reliability] if agreement.reliability else []
        for error in dict.fromkeys(estimate.error for estimate in estimates if estimate.error):
            slices.setdefault(error, []).append(agreement.slice)
    if slices:
        st.text("\n".join(f"{', '.join(names)}: {error}" for error, names in slices.items()))

    if selected.prevalence:
        _kappa_table(selected)
    annotator_model_view(campaign, state)
    if rejecting_questions(campaign.questions):
        edit_rows = [kept_row(edits) for edits in manager.kept_edits(campaign.id)]
        st.subheader("Kept edits")
        st.dataframe(pd.DataFrame(edit_rows), hide_index=True, alt="Edits that nobody rejects")
        st.caption(KEPT_NOTE)
    if campaign.rules.reveal:
        _revision_table(manager.revisions(campaign.id))


def _caveats(campaign: CampaignSettings) -> None:
    """Show which labels the figures rest on: given with help, left out, or of items in an order."""
    manager = campaign_manager()
    if modes := manager.describe_modes(campaign.id):
        st.caption(f":material/edit_note: {escape_markdown(modes)}")
    if left_out := manager.count_left_out(campaign.id):
        st.caption(
            f":material/person_remove: {format_count(left_out, 'label')} left out in whole or in part, with the reasons under Progress."
        )
    if manager.was_ordered_by_disagreement(campaign.id):
        st.caption(f":material/sort: {ORDER_NOTE}")


def _question_choice(campaign: CampaignSettings, agreements: Sequence[LabelAgreement]) -> list[LabelAgreement]:
    """The figures of one question: that which the campaign measures, unless another is chosen."""
    names = list(dict.fromkeys(agreement.question for agreement in agreements))
    measured = campaign.questions.measure
    texts = {question.id: question.ask for question in campaign.questions.questions}
    name = st.selectbox(
        "Question",
        names,
        index=names.index(measured) if measured in names else 0,
        key=f"agreement-question-{campaign.id}",
        format_func=lambda name: f"{name}: {texts[name]}",
        width=560,
    )
    return [agreement for agreement in agreements if agreement.question == name]


def _kappa_table(agreement: LabelAgreement) -> None:
    import pandas as pd

    st.subheader(escape_markdown(f"Cohen's kappa, {agreement.slice}, {agreement.kappa_weights}"))
    if not agreement.kappas:
        st.caption("No two people have labelled the same item.")
        return
    people = sorted({name for pair in agreement.kappas for name in pair})
    cells, shades = [], []
    for row in people:
        estimates = [agreement.kappas.get((row, column)) or agreement.kappas.get((column, row)) for column in people]
        # with the number of items that both labelled; nothing where they share none
        cells.append([f"{format_coefficient(of)}, n = {of.n}" if of else "" for of in estimates])
        shades.append([_kappa_shade(of.value if of else None) for of in estimates])
    frame = pd.DataFrame(cells, people, people)
    event = st.dataframe(
        frame.style.apply(lambda _: pd.DataFrame(shades, people, people), axis=None),
        key=f"kappa-{agreement.question}-{agreement.slice}",
        on_select="rerun",
        selection_mode="single-cell",
        alt="Cohen's kappa of every two people",
    )
    st.caption("Blue above chance, red below; darker is further from it. Choose a cell for the answers of the two.")
    copy_table(f"Cohen's kappa, {agreement.slice}", frame, "agreement-kappa")
    if selected := event["selection"]["cells"]:
        place, column = selected[0]
        if people[place] != column:
            _confusion_table(agreement, people[place], column)
    errors = dict.fromkeys(estimate.error for estimate in agreement.kappas.values() if estimate.value is None)
    for error in filter(None, errors):
        st.caption(escape_markdown(error))


def _kappa_shade(kappa: float | None) -> str:
    if kappa is None:
        return ""
    colour = "59, 125, 216" if kappa > 0 else "214, 69, 65"
    return f"background-color: rgba({colour}, {0.55 * abs(kappa):.2f})"


def _confusion_table(agreement: LabelAgreement, first: str, second: str) -> None:
    """Numbers of items by the answers of two people: a row for each of the first, a column for each of the second."""
    import pandas as pd

    pair = (first, second) if (first, second) in agreement.confusions else (second, first)
    if pair not in agreement.confusions:
        st.caption(escape_markdown(f"{first} and {second} have labelled no item both."))
        return
    answers, counts = list(agreement.prevalence), agreement.confusions[pair]
    numbers = [[counts.get((of_first, of_second), 0) for of_second in answers] for of_first in answers]
    most = max(max(row) for row in numbers)
    rows = [f"{pair[0]}: {answer}" for answer in answers]
    columns = [f"{pair[1]}: {answer}" for answer in answers]
    shades = [
        [
            f"background-color: rgba({'59, 125, 216' if row == column else '214, 69, 65'}, {0.55 * number / most:.2f})"
            for column, number in enumerate(line)
        ]
        for row, line in enumerate(numbers)
    ]
    frame = pd.DataFrame(numbers, rows, columns)
    st.dataframe(
        frame.style.apply(lambda _: pd.DataFrame(shades, rows, columns), axis=None),
        alt=f"Answers of {pair[0]} and {pair[1]}",
    )
    copy_table(f"Answers of {pair[0]} and {pair[1]}", frame, "agreement-confusion")


def _revision_table(revisions: Revisions) -> None:
    import pandas as pd

    st.subheader("After the scores were shown")
    if not revisions.total:
        st.caption("Nobody has answered again yet.")
        return
    st.text(
        f"{revisions.changed} of {revisions.total} labels were changed ({revisions.changed / revisions.total:.0%})."
    )
    st.dataframe(
        pd.DataFrame(
            [
                {"before": before, "after": after, "labels": number}
                for (before, after), number in revisions.moves.items()
            ]
        ),
        hide_index=True,
        alt="Answers before and after the scores were shown",
    )
