"""Fixtures for every test: tiny checkpoints, built once a session, and only those that are asked for."""

from __future__ import annotations

import gc
import itertools
import os
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# threads of torch that wait for each other make tiny models ten times slower on a busy machine
os.environ.setdefault("OMP_NUM_THREADS", "1")

# by default the search for cycles walks the millions of objects of all imports and tests again and again: a tenth of the time
gc.set_threshold(50_000, 20, 100)

_NUMBERS = itertools.count()
_MAIN = sys.modules["__main__"]

# the same cases each time, however slow the machine is
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repeatable")


# they come first, so that no worker is left alone with one of them at the end
_LONGEST = (
    *("test_metric_contract", "test_judges", "test_cli_audit", "test_audit_families"),
    *("test_audit", "test_audit_cases", "test_audit_pages", "test_pytest_plugin", "test_reproduce", "test_cli_pack"),
    *("test_training", "test_cross_encoder", "test_plugins", "test_wheel", "test_import_form", "test_battery"),
    *("test_migrate_with_data", "test_examiners", "test_bertscore_deberta", "test_queue", "test_stress_views"),
    *("test_training_data", "test_store", "test_prose"),
    *("test_stress_flow", "test_evaluate_flow"),
)


_KNOWN_METRICS = (
    "test_audit.py",
    "test_audit_cases.py",
    "test_audit_pages.py",
)  # one audit, measured once for a worker


# a server that a second worker would start costs it ten seconds
_ON_THE_SHARED_SERVER = ("tests/e2e/test_annotate_", "tests/e2e/test_campaign_", "tests/e2e/test_review")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand whole files to a worker, as fixtures of a file take seconds; files that share what is slow to make go together.

    The scheduler of xdist for marked groups takes each test alone since pytest 9.2, without a word: it sets a field that
    nodes no longer have.
    """
    from xdist.scheduler import LoadScopeScheduling

    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = _group_of
    return scheduler


def _group_of(nodeid: str) -> str:
    file = nodeid.partition("::")[0]
    if file.count("/") == 1:
        return "rules of the project, for which every file is parsed once"
    if file.startswith("tests/e2e/components/"):
        return "components, each in an app of its own"
    if file.startswith(_ON_THE_SHARED_SERVER):
        return "people who sign in, at one server"
    return "known metrics" if file.endswith(_KNOWN_METRICS) else file


# long texts take seconds in every model, and each model reads plain texts, separators and other scripts for each change
_LONG_TEXTS = (
    *("600-word", "long claim", "more than the models read", "several chunks", "windows beyond"),
    *("120 sentences", "14 sentences", "six sentences", "the same sentence twice"),
)
# what asks questions does so for each phrase
_FURTHER_TEXTS = (
    *("agreement", "blank lines", "figures", "literal separators", "nothing to ask", "odd punctuation"),
    *("one word more", "other scripts", "personal", "short", "ten characters"),
)
_ASKERS = ("test_fenice", "test_q2", "test_qafacteval", "test_questeval")
# metrics whose questions are those of another one that is tried, and studies that fit models
_COSTLY_CONTRACTS = (
    *("alignscore-base", "alignscore-large", "bertscore", "bertscore-minilm", "factcg", "hhem", "longdocfactscore"),
    *("minicheck-deberta", "minicheck-flan-t5", "mine", "retrieve"),
    *("bespoke-minicheck-7b", "claims", "information-density", "lettucedetect", "sampled-assessment", "unieval-sum"),
    *("bartscore", "semantic-similarity"),  # their inner workings are compared with the definition
)
_COSTLY_STUDIES = (
    "combine",
    "drift",
    "edit-discrimination",
    "gaming",
    "measures",
    "percentiles",
    "sensitivity",
    "shifts",
)
# what is asked twice is asked through one cache
_ASKED_TWICE = ("bertscore-minilm", "semantic-similarity", "summac-zs", "unieval-fact", "word-support")
# a fingerprint takes every file that was opened, of whatever kind
_FINGERPRINTS = ("qa_span", "seq2seq_choice", "word_support")
# what a process of its own does with a function that goes wrong; the others go wrong in the same few ways
_WRONG_FUNCTIONS = (
    *("an exception", "an exception without end", "endless recursion", "a change of its input"),
    *("the end of its process", "too much memory", "an address without permission", "a sentence that is not there"),
)
# the others come from the hub by the same code
_FROM_HUB = ("summac-zs", "unieval-fact", "hhem")
# the other tests of the store find on PostgreSQL what they find on SQLite: both have one code above the database
_ON_POSTGRES = {
    "test_database": "",
    "test_store": "^(?!.*(kill_9|twenty_people))",
    "test_migrate": "migrations_lead_to|first_version_keeps",
    "test_queue": "labelled_once|order_is_another|known_answers_come|reserved_with_it|labelled_least|opened_on_probe",
}


_QUICK_CASES = {
    "test_a_metric_comes_from_the_hub_as_it_is[": _FROM_HUB,
    "test_a_change_in_any_of_them_changes_the_hash_and_names_the_file[": ("metric.py",),
    "test_the_end_of_a_long_document_is_not_read_and_this_is_said[": ("ids of T5",),
    "test_a_second_run_asks_nothing[": _ASKED_TWICE,
    "test_every_file_that_a_kind_reads_is_in_its_fingerprint[": _FINGERPRINTS,
    "test_what_gives_no_score_says_why_and_the_others_go_on[": _WRONG_FUNCTIONS,
    "test_a_table_as_people_have_it_is_the_same_by_page_and_terminal[": ("deutsch.csv",),
}


def _cases(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"[{name}]" for name in names)


def _is_slow(item: pytest.Item) -> bool:
    stem = item.path.stem
    if item.path.parent.name == "parity":
        texts = (*_LONG_TEXTS, *_FURTHER_TEXTS) if stem in _ASKERS else _LONG_TEXTS
        return any(text in item.name for text in texts)
    if item.name.startswith(("test_an_unusual_text_gets", "test_a_fresh_engine_and_other_batches")):
        return item.name.endswith(_cases(_COSTLY_CONTRACTS))
    if item.name.startswith("test_a_report_has_every_form"):
        return item.name.endswith(_cases(_COSTLY_STUDIES))
    for test, kept in _QUICK_CASES.items():
        if item.name.startswith(test):
            return not item.name.endswith(_cases(kept))
    return "[postgres" in item.name and not re.search(_ON_POSTGRES.get(stem, "(?!)"), item.name)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put long files first, and mark as slow what is so by a rule."""
    for item in items:
        if _is_slow(item):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: _LONGEST.index(item.path.stem) if item.path.stem in _LONGEST else len(_LONGEST))


def pytest_collection_finish() -> None:
    gc.freeze()


@pytest.fixture(autouse=True)
def quick_closing(monkeypatch: pytest.MonkeyPatch) -> None:
    # late in a session the search for what a closed pool leaves behind walks millions of objects, for seconds
    monkeypatch.setattr("core.models.device.collect_garbage", lambda: None)


@pytest.fixture(autouse=True)
def own_capabilities(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    # a port is given out again, and what its server refused does not hold for the next one
    file = tmp_path_factory.getbasetemp() / f"capabilities-{next(_NUMBERS)}" / "capabilities.sqlite"
    monkeypatch.setattr("core.llm.capabilities.capabilities_file", lambda: file)


@pytest.fixture(autouse=True)
def main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    # a test of a page leaves the page as the main module, which a process that is spawned would run
    monkeypatch.setitem(sys.modules, "__main__", _MAIN)


class Weights:
    """Tiny checkpoints, each built when a test first asks for it and kept until the session ends."""

    def __init__(self, folders: pytest.TempPathFactory) -> None:
        self._folders = folders
        self._built: dict[tuple[object, ...], Path] = {}

    def __call__(self, build: Callable[..., Path], *given: object) -> Path:
        if (build, *given) not in self._built:
            name = build.__name__
            self._built[build, *given] = build(self._folders.mktemp(name) / name, *given)
        return self._built[build, *given]


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Weights:
    return Weights(tmp_path_factory)


# tests.tiny imports torch, which most tests do not need
@pytest.fixture(scope="session")
def tiny_roberta(weights: Weights) -> Path:
    return weights(import_module("tests.tiny").roberta)


@pytest.fixture(scope="session")
def tiny_deberta(weights: Weights) -> Path:
    return weights(import_module("tests.tiny").deberta)


@pytest.fixture(scope="session")
def tiny_t5(weights: Weights) -> Path:
    return weights(import_module("tests.tiny").t5)
