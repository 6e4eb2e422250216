"""The claims of the edited summary side by side: the score of every metric for each, their mean and the least consistent."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from textwrap import shorten
from typing import TYPE_CHECKING

import streamlit as st

from core.scoring import METRICS, SURFACE, CellState, Claims, Combine, GivenClaims, Metric
from core.text import (
    BYTE_ORDER_MARK,
    claims_to_json,
    layout_units,
    name_contexts,
    optional_fields,
    records_csv,
    units_without_claim,
)
from core.types import ClaimList, Example, Failure, Outcome, Result
from pages.server import services
from pages.ui.probe.board_rows import format_score
from pages.ui.probe.board_scores import has_pending
from pages.ui.probe.claims_tab import current_claims
from pages.ui.probe.fast_set import waits_for_key
from pages.ui.probe.pair import current_pair
from pages.ui.probe.probe_state import probe_state
from pages.ui.shared.endpoint_form import estimate_caption
from pages.ui.shared.markup import escape_markdown

if TYPE_CHECKING:
    import pandas as pd

_COMBINED: dict[Combine, str] = {"mean": "mean over claims", "min": "least consistent claim"}
_NO_CLAIM = "no claim"
_QUOTE_CHARACTERS = 160


@dataclass(frozen=True, slots=True)
class ScoredClaims:
    """The outcome of each metric for each claim, and for all of them together, by spec; None while one is to come.

    `labels` are the numbers of the claims in the tab; `states` says of what is to come how far it is; `no_claim` are the
    sentences that no claim is of, by their numbers in the summary.
    """

    labels: tuple[str, ...]
    texts: tuple[str, ...]
    metrics: tuple[Metric, ...]
    claims: tuple[tuple[Outcome | None, ...], ...]  # by metric, then claim
    combined: tuple[tuple[Outcome | None, ...], ...]  # by metric, then as _COMBINED
    states: tuple[tuple[str, ...], ...]
    no_claim: Mapping[int, str] = field(default_factory=dict)

    def failures(self) -> list[str]:
        """A line for each metric and reason, with the claims that have it."""
        lines = []
        for metric, outcomes in zip(self.metrics, self.claims, strict=True):
            numbers: dict[str, list[str]] = {}
            for label, outcome in zip(self.labels, outcomes, strict=True):
                if isinstance(outcome, Failure):
                    numbers.setdefault(outcome.error, []).append(label)
            lines += [f"{metric.card.title}, claim {', '.join(some)}: {reason}" for reason, some in numbers.items()]
        return lines


def claims_table(scored: ScoredClaims) -> pd.DataFrame:
    """A row per claim, per sentence without one, then the mean and the least consistent; a column per metric, and the text last."""
    import pandas as pd

    columns: dict[str, list[str]] = {}
    for metric, outcomes, combined, states in zip(
        scored.metrics, scored.claims, scored.combined, scored.states, strict=True
    ):
        name = metric.card.title if metric.spec == metric.name else metric.spec
        columns[name] = [
            *(_format_cell(metric, outcome, state) for outcome, state in zip(outcomes, states, strict=True)),
            *(_NO_CLAIM for _ in scored.no_claim),
            *(_format_cell(metric, outcome, "…") for outcome in combined),
        ]
    columns["text"] = [*scored.texts, *scored.no_claim.values(), *_COMBINED.values()]
    uncovered = [f"sentence {number}" for number in scored.no_claim]
    return pd.DataFrame(columns, pd.Index([*scored.labels, *uncovered, *_COMBINED], name="claim"))


def claim_scores_csv(scored: ScoredClaims) -> str:
    """A line per metric and claim, and per metric and way to combine them: score, signature, or why there is none."""

    lines = []
    for metric, outcomes, combined in zip(scored.metrics, scored.claims, scored.combined, strict=True):
        lines += [_csv_line(metric, text, outcome) for text, outcome in zip(scored.texts, outcomes, strict=True)]
        lines += [{**_csv_line(metric, text, None), "error": _NO_CLAIM} for text in scored.no_claim.values()]
        lines += [_csv_line(metric, name, outcome) for name, outcome in zip(_COMBINED.values(), combined, strict=True)]
    return f"{BYTE_ORDER_MARK}{records_csv(lines)}"


def _csv_line(metric: Metric, claim: str, outcome: Outcome | None) -> dict[str, object]:
    return {
        "metric": metric.spec,
        "claim": claim,
        "score": outcome.score if isinstance(outcome, Result) else None,
        "error": outcome.error if isinstance(outcome, Failure) else "",
        "signature": outcome.signature if isinstance(outcome, Result) else "",
    }


def _format_cell(metric: Metric, outcome: Outcome | None, state: str) -> str:
    if isinstance(outcome, Result):
        return format_score(outcome.score, metric.card.low, metric.card.high)
    return f"failed: {outcome.kind}" if isinstance(outcome, Failure) else state


def claim_scores(metrics: Sequence[Metric]) -> Callable[[], bool]:
    """Render the scores of the claims, if there are any; the function returned renders the current scores, and is true while some are pending."""
    edited = current_claims()
    inner = [METRICS.parse(metric.metric) if isinstance(metric, Claims) else metric for metric in metrics]
    judging = [metric for metric in inner if metric.card.family != SURFACE and metric.card.direction != "neutral"]
    readers = list({metric.spec: metric for metric in judging}.values())
    if edited is None or not edited.claims.claims or not readers:
        for part in ("claims", "combined"):
            services.engine().release(services.session_owner(part))
        return lambda: False
    claims = edited.claims
    requested_before = probe_state().claims_asked == claims
    waiting = [] if requested_before else [metric for metric in readers if waits_for_key(metric)]
    labels = tuple(str(number) for number, row in enumerate(edited.rows, 1) if not row.removed)
    requested = _Requested(claims, labels, [metric for metric in readers if metric not in waiting])
    rendered: list[ScoredClaims] = []

    def draw() -> bool:
        scored, pending = requested.look()
        if [scored] != rendered[-1:]:
            rendered.append(scored)
            with slot.container():
                st.dataframe(claims_table(scored), height="auto", alt="Scores of the claims side by side")
                for line in scored.failures():
                    st.caption(f":material/error: {escape_markdown(line)}")
                means = [(metric, some[0]) for metric, some in zip(scored.metrics, scored.combined, strict=True)]
                for metric, mean in means[:1]:
                    if isinstance(mean, Result):
                        st.caption(escape_markdown(f"Signature of the mean of {metric.card.title}: {mean.signature}"))
                with st.expander("Evidence of each claim", icon=":material/visibility:"):
                    st.markdown("\n".join(_evidence_lines(scored)) or "No metric has evidence yet.")
        return pending

    with st.container(border=True, key="claim-scores"):
        st.markdown("**Claims of the edited summary side by side**")
        slot = st.empty()
        draw()
        with st.container(horizontal=True, vertical_alignment="center"):
            if waiting:
                st.button(
                    f"Score the claims with {len(waiting)} more",
                    key="score-claims",
                    icon=":material/playlist_play:",
                    on_click=partial(setattr, probe_state(), "claims_asked", claims),
                    help=escape_markdown(", ".join(metric.card.title for metric in waiting)),
                )
                st.caption(escape_markdown(estimate_caption(waiting, _examples(claims))))
            _download_buttons(claims, rendered)
    return draw


class _Requested:
    """Requests to the engine: each claim as a summary of its own, and all of them together."""

    def __init__(self, claims: ClaimList, labels: tuple[str, ...], metrics: Sequence[Metric]) -> None:
        engine = services.engine()
        whole = replace(current_pair().as_example("claims", claims.summary), claims=claims)
        self.labels, self.texts = labels, tuple(claim.text for claim in claims.claims)
        self.metrics = tuple(metrics)
        uncovered = units_without_claim(claims.summary, claims.claims)
        units = enumerate(layout_units(claims.summary), 1)
        self.no_claim = {number: unit.of(claims.summary) for number, unit in units if unit in uncovered}
        self.alone = engine.submit(services.session_owner("claims"), metrics, _examples(claims))
        self.wrappers = {
            metric: [Claims(metric.spec, GivenClaims.name, combine) for combine in _COMBINED] for metric in self.metrics
        }
        wrappers = [wrapper for some in self.wrappers.values() for wrapper in some]
        self.together = engine.submit(services.session_owner("combined"), wrappers, [whole])

    def look(self) -> tuple[ScoredClaims, bool]:
        """Current scores, and whether any are pending."""
        _, cells = services.engine().cells(self.alone)
        _, combined = services.engine().cells(self.together)
        by_metric = [[cells[metric.spec, example.id] for example in self.alone.examples] for metric in self.metrics]
        scored = ScoredClaims(
            self.labels,
            self.texts,
            self.metrics,
            tuple(tuple(cell.outcome for cell in some) for some in by_metric),
            tuple(
                tuple(combined[wrapper.spec, "claims"].outcome for wrapper in self.wrappers[metric])
                for metric in self.metrics
            ),
            tuple(
                tuple(("…" if cell.state is CellState.QUEUED else cell.state.value) for cell in some)
                for some in by_metric
            ),
            self.no_claim,
        )
        live = not (self.alone.cancelled.is_set() or self.together.cancelled.is_set())
        return scored, live and (has_pending(cells) or has_pending(combined))


def _examples(claims: ClaimList) -> list[Example]:
    """Each claim as a summary of its own."""
    pair = current_pair()
    return [pair.as_example(f"claim {number}", claim.text) for number, claim in enumerate(claims.claims, 1)]


def _evidence_lines(scored: ScoredClaims) -> list[str]:
    """A list by claim: the words of the document that scores rest on, with the metrics that found them."""
    lines, pair = [], current_pair()
    for place, (label, text) in enumerate(zip(scored.labels, scored.texts, strict=True)):
        titles: dict[str, list[str]] = {}
        for metric, outcomes in zip(scored.metrics, scored.claims, strict=True):
            outcome = outcomes[place]
            evidence = [part.evidence for part in outcome.parts if part.evidence] if isinstance(outcome, Result) else []
            if evidence:
                name, words = name_contexts(pair.contexts, evidence[0]), evidence[0].of(pair.document)
                quote = f"{name}{': ' if name else ''}“{shorten(words, _QUOTE_CHARACTERS, placeholder=' …')}”"
                titles.setdefault(quote, []).append(metric.card.title)
        lines.append(f"- {escape_markdown(f'{label}. {text}')}")
        quotes = [f"{quote} ({', '.join(some)})" for quote, some in titles.items()]
        lines += [f"    - {escape_markdown(quote)}" for quote in quotes]
    return lines


def _download_buttons(claims: ClaimList, rendered: Sequence[ScoredClaims]) -> None:
    pair = current_pair()
    line = {
        "id": pair.example or "pair",
        "document": pair.document,
        "summary": claims.summary,
        **optional_fields(pair.as_example("", claims.summary)),
        **claims_to_json(claims),
    }
    st.download_button(
        "Scores (CSV)",
        lambda: claim_scores_csv(rendered[-1]),  # made in another thread, which has no page
        "claims.csv",
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
    )
    st.download_button(
        "Claims (JSONL)",
        json.dumps(line, ensure_ascii=False),
        "claims.jsonl",
        mime="application/jsonl",
        on_click="ignore",
        icon=":material/download:",
    )
