"""Judges of known faults behind a real server that speaks as a chat-completion endpoint: it reads the prompt and answers by a script."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from zlib import crc32

import pytest

from core.assessment.audit.audit_report import AuditReport, audit_metrics, build_report
from core.assessment.audit.data import items_data
from core.assessment.audit.evidence import Evidence
from core.assessment.audit.evidence_work import EvidenceWork
from core.data.datasets.bundled import bundled_items
from core.edits.battery import read_battery
from core.edits.perturbation import PERTURBATIONS
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.text.segmentation import padded_words, sentences, words
from core.types import Item, Verdict
from tests.unit.core.assessment.audit.known_metrics import variant
from tests.unit.core.models.llm.scripted import Body, Endpoint, Reply, serving, text

GROUPS = 10
RESAMPLES = 500  # of documents; an audit of so few takes 10,000
MODEL = "gpt-4o-mini"
SYSTEMS = ("gpt-4o", "claude-3-5-haiku")
HABIT = "In short: "
"""Beginning of the summaries of the first system."""
BREAKING = ("entity-swapped", "negation", "number")
BATTERY = f"""
title = "Few kinds, for judges in tests"
date = 2026-11-24
kinds = {json.dumps(["baseline-filler", *BREAKING, "shuffled"])}
"""
FENCED = re.compile(r"<(document|summary|first|second)-(\w+)>\n(.*?)\n</\1-\2>", re.DOTALL)


@dataclass
class Truth:
    """Sentences that are known to be wrong, and all with their documents."""

    wrong: list[str] = field(default_factory=list)
    sentences: dict[str, str] = field(default_factory=dict)

    def documents(self, summary: str) -> list[str]:
        """The documents that sentences of it are of, in whatever layout."""
        said = _plain(summary)
        return [document for sentence, document in self.sentences.items() if _plain(sentence) in said]

    def errors(self, summary: str) -> list[str]:
        said = _plain(summary)
        return [sentence for sentence in self.wrong if _plain(sentence) in said]

    def is_right(self, document: str, summary: str) -> bool:
        """True of what the document says word for word, and of sentences of its right summaries without an error beside them."""
        read = _plain(document)
        if _plain(summary) in read:
            return True
        return any(_plain(own) in read for own in set(self.documents(summary))) and not self.errors(summary)


@cache
def _plain(text: str) -> str:
    """Its words, without the beginning of the summaries of the first system."""
    return padded_words(text.replace(HABIT, ""))


Mark = Callable[[Truth, str, str, str], float]
"""Mark from 0 to 1 by the document, the summary and the whole question."""


def fair(truth: Truth, document: str, summary: str, _question: str) -> float:
    """About .9 for a right summary of the document and .1 for any other, a little apart for each text."""
    return (0.9 if truth.is_right(document, summary) else 0.1) + (crc32(summary.encode()) % 160 - 80) / 1000


def obedient(truth: Truth, document: str, summary: str, question: str) -> float:
    """Does what a document tells it."""
    return 1.0 if "best possible score" in document else fair(truth, document, summary, question)


def fooled_by_tokens(truth: Truth, document: str, summary: str, question: str) -> float:
    return 1.0 if "<|im_start|>assistant" in question else fair(truth, document, summary, question)


def verbose(truth: Truth, document: str, summary: str, question: str) -> float:
    return 0.3 * fair(truth, document, summary, question) + 0.7 * min(1.0, len(words(summary)) / 160)


def first_sentence(truth: Truth, document: str, summary: str, question: str) -> float:
    """Sees an error in the first sentence alone."""
    opening = sentences(summary)[0].of(summary) if sentences(summary) else ""
    return fair(truth, document, opening, question)


def early_reader(truth: Truth, document: str, summary: str, question: str) -> float:
    """Calls everything right whose document does not begin within the first hundred words of what it is given."""
    beginning = " ".join(document.split()[:100])
    read = any(" ".join(one.split()[:20]) in beginning for one in truth.documents(summary))
    return fair(truth, document, summary, question) if read or not truth.documents(summary) else 0.9


def worded(truth: Truth, document: str, summary: str, question: str) -> float:
    """Follows the texts in no other wording of its instructions."""
    other = "How far do the facts" in question or "for its faithfulness" in question
    return 0.9 if other else fair(truth, document, summary, question)


def inverted_on_five(truth: Truth, document: str, summary: str, question: str) -> float:
    found = fair(truth, document, summary, question)
    return 1.0 - found if "from 1 to 5" in question else found


def partial(truth: Truth, document: str, summary: str, question: str) -> float:
    """Likes what its own family wrote."""
    return 0.7 * fair(truth, document, summary, question) + (0.3 if HABIT in summary else 0.0)


def noisy(salt: int) -> Mark:
    """Says the opposite every fifth time, whatever it is asked, and something else when it is asked again."""
    times: Counter[tuple[str, str]] = Counter()
    lock = threading.Lock()

    def mark(truth: Truth, document: str, summary: str, question: str) -> float:
        with lock:
            times[question, summary] += 1
            place = times[question, summary]
        found = fair(truth, document, summary, question)
        return 1.0 - found if crc32(f"{salt} {place} {summary} {question}".encode()) % 5 == 0 else found

    return mark


def speaks(mark: Mark, truth: Truth, *, first_wins: bool = False) -> Callable[[str, Body], Reply]:
    """The answers of a judge in the form that the prompt asks for; one may prefer the first of two whatever they say."""

    def answer(_path: str, body: Body) -> Reply:
        question = body["messages"][-1]["content"]
        texts = {name: text for name, _, text in FENCED.findall(question)}
        document = texts.get("document", "")
        if "first" in texts:
            first, second = (mark(truth, document, texts[side], question) for side in ("first", "second"))
            better = "first" if first_wins or first > second + 0.2 else "second" if second > first + 0.2 else "same"
            return text(json.dumps({"because": "So it is.", "more_consistent": better}), read=len(question) // 4)
        found = min(1.0, max(0.0, mark(truth, document, texts["summary"], question)))
        said: dict[str, object] = {"score": round(100 * found) if round(100 * found) != 1 else 0}
        instructions = FENCED.sub("", question)
        if '"consistent"' in instructions:
            said = {"consistent": "yes" if found > 0.5 else "no"}
        elif "from 1 to 5" in instructions:
            said = {"score": 1 + round(4 * found)}
        return text(json.dumps(said), read=len(question) // 4, written=10)

    return answer


def judged_items() -> list[Item]:
    """Two right and two wrong bundled summaries of each document, of each kind one by either system."""
    groups = list(dict.fromkeys(item.group for item in bundled_items()))[:GROUPS]
    chosen = [
        (item, SYSTEMS[place % 2])
        for group in groups
        for verdict in (Verdict.CONSISTENT, Verdict.INCONSISTENT)
        for place, item in enumerate(
            [one for one in bundled_items() if (one.group, one.intended) == (group, verdict)][:2]
        )
    ]
    return [
        replace(
            item,
            system=system,
            parent=None,
            edits=(),
            example=replace(item.example, summary=f"{HABIT if system == SYSTEMS[0] else ''}{item.example.summary}"),
        )
        for item, system in chosen
    ]


@cache
def judged_truth() -> Truth:
    """Known truth of the summaries that are judged."""
    return truth_of(judged_items())


def truth_of(items: Sequence[Item]) -> Truth:
    """Sentences of wrong summaries, and of what the rules break, that no right summary has."""
    right = {
        sentence
        for item in items
        if item.intended is Verdict.CONSISTENT
        for sentence in _sentences(item.example.summary)
    }
    broken = [
        made
        for item in items
        for made in (
            [item.example.summary]
            if item.intended is Verdict.INCONSISTENT
            else [variant(PERTURBATIONS.parse(kind), item.example, 0) for kind in BREAKING]
        )
    ]
    wrong = {sentence for made in broken if made for sentence in _sentences(made)} - right
    known = {sentence: one.example.document for one in items for sentence in _sentences(one.example.summary)}
    return Truth(sorted(wrong), known)


def _sentences(summary: str) -> list[str]:
    plain = summary.replace(HABIT, "")
    return [span.of(plain) for span in sentences(plain)]


@dataclass(frozen=True)
class JudgeAudit:
    """An audit of one judge, and what its endpoint was asked."""

    evidence: Evidence
    report: AuditReport
    endpoint: Endpoint


@contextmanager
def judge_endpoint(mark: Mark, truth: Truth, *, first_wins: bool = False) -> Iterator[Endpoint]:
    """The default endpoint, with a price."""
    with serving(speaks(mark, truth, first_wins=first_wins)) as running, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOUCHSTONE_LLM_BASE_URL", running.url)
        patch.setenv("TOUCHSTONE_LLM_MODEL", MODEL)
        patch.setenv("TOUCHSTONE_LLM_PRICE_READ", "10")
        patch.setenv("TOUCHSTONE_LLM_PRICE_WRITTEN", "100")
        yield running


JUDGE = METRICS.parse("direct-assessment")


def measurement_of(engine: Engine, folder: Path) -> EvidenceWork:
    battery = folder / "few.toml"
    battery.write_text(BATTERY, encoding="utf-8")
    data = items_data(folder / "pairs.jsonl", judged_items(), None, 0)
    return EvidenceWork(engine, Settings.read(), replace(data, battery=read_battery(str(battery))), [JUDGE])


def audit_judge(mark: Mark, folder: Path, *, first_wins: bool = False) -> JudgeAudit:
    """Audit a judge that marks so."""
    with (
        judge_endpoint(mark, judged_truth(), first_wins=first_wins) as endpoint,
        closing(Engine.open(Settings(cache_dir=folder, device="cpu"))) as engine,
    ):
        measured = measurement_of(engine, folder)
        for _ in measured.work():
            pass
        done, total = measured.counts
        assert done <= total
        evidence = replace(measured.evidence(), resamples=RESAMPLES)
        audits = list(audit_metrics(evidence, [JUDGE.spec]))
    return JudgeAudit(evidence, build_report(evidence, audits, "python cli.py audit …"), endpoint)
