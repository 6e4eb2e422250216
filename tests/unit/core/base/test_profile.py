"""Paper mode: `name@profile` is a plugin as one paper had it, which its spec and signature say."""

from __future__ import annotations

import pytest

from core.base.profile import profile_names, profiles_with, read_profile
from core.edits.editing.editor import Editor
from core.edits.perturbation import PERTURBATIONS
from core.errors import BadSettingError, UnknownNameError
from core.evaluation.studies.gaming import for_each_metric
from core.registry import format_spec, settings_label
from core.scoring.metric import METRICS, signature
from core.scoring.nli_check import NLI_CHECKS

FORMS = [
    (profile, plugin)
    for profile in profile_names()
    for plugin in read_profile(profile).settings
    if plugin != Editor.name  # no plugin of a registry
]


def test_the_papers_have_their_profiles() -> None:
    assert {"bump", "longdoc", "ramprasad"} <= set(profile_names())
    assert [one.name for one in profiles_with("rouge2")] == ["bump", "ramprasad"]


@pytest.mark.parametrize(("profile", "plugin"), FORMS)
def test_every_form_of_a_profile_is_built_and_spelled_back(profile: str, plugin: str) -> None:
    registry = next(known for known in (METRICS, PERTURBATIONS, NLI_CHECKS) if plugin in known.names())
    built = registry.parse(f"{plugin}@{profile}")  # type: ignore[attr-defined]  # of three kinds of plugin
    assert built.profile == profile
    assert built.spec == f"{plugin}@{profile}"
    assert registry.parse(built.spec) == built  # type: ignore[attr-defined]  # of three kinds of plugin
    assert {name: getattr(built, name) for name in read_profile(profile).settings[plugin]} == read_profile(
        profile
    ).settings[plugin]


@pytest.mark.parametrize("profile", profile_names())
def test_a_profile_names_perturbations_and_a_check_that_exist(profile: str) -> None:
    known = read_profile(profile)
    assert all(PERTURBATIONS.parse(kind).profile == profile for kind in known.kinds)
    assert not known.nli_check or NLI_CHECKS.parse(f"{known.nli_check}@{profile}").profile == profile


def test_the_editor_has_the_form_of_summexecedit() -> None:
    assert format_spec(Editor(profile="summexecedit")) == "edits@summexecedit"


def test_bartscore_is_exponential_and_minicheck_reads_all_in_the_form_of_the_long_documents() -> None:
    assert METRICS.parse("bartscore@longdoc").card.high == 1.0
    assert METRICS.parse("bespoke-minicheck-7b@longdoc").max_tokens == 32_768  # type: ignore[attr-defined]  # a setting of it


def test_gaming_in_the_form_of_its_paper_has_every_row_and_the_assertion_of_each_metric() -> None:
    kinds = read_profile("ramprasad").kinds
    assert {"phrase@ramprasad[place=alone]", "added-llm@ramprasad", "shuffled-llm@ramprasad"} <= {*kinds}
    metrics = [METRICS.parse("questeval@ramprasad"), METRICS.parse("bleu")]
    each = [kind for kind in for_each_metric(kinds, metrics) if kind.startswith("assertion")]
    assert each == [
        "assertion@ramprasad[metric=questeval@ramprasad]",
        "assertion@ramprasad[metric=bleu]",
        "assertion@ramprasad[place=alone,metric=questeval@ramprasad]",
        "assertion@ramprasad[place=alone,metric=bleu]",
    ]


def test_factcc_reads_the_summary_as_one_claim_in_the_form_of_bump() -> None:
    assert METRICS.parse("factcc").claims == "sentences"  # type: ignore[attr-defined]  # a setting of FactCC
    assert METRICS.parse("factcc@bump").claims == "whole"  # type: ignore[attr-defined]  # a setting of FactCC


def test_places_of_weights_may_be_set_and_stand_in_the_spec() -> None:
    metric = METRICS.parse("factcc@bump[checkpoint=./weights]")
    assert metric.spec == "factcc@bump[checkpoint=./weights]"
    assert METRICS.parse("retrieve@longdoc[metric=summac-zs@longdoc]").spec == (
        "retrieve@longdoc[metric=summac-zs@longdoc]"
    )


def test_a_signature_names_the_profile_and_its_version() -> None:
    plain, in_paper = (signature(METRICS.parse(spec), [], "rules", "0") for spec in ("rouge2", "rouge2@bump"))
    assert read_profile("bump").mark in in_paper.split("|")
    assert "paper:" not in plain
    assert in_paper.replace(f"|{read_profile('bump').mark}", "") == plain


@pytest.mark.parametrize(
    ("spec", "error", "words"),
    [
        ("factcc@bump[claims=sentences]", BadSettingError, "Leave @bump out to set it; with it checkpoint"),
        ("factcc@bmp", UnknownNameError, "Did you mean 'bump'"),
        ("hhem@bump", UnknownNameError, "form of paper mode bump"),
        ("factc@bump", UnknownNameError, "No metric is named 'factc'"),
        ("rouge2@bump[claims=whole]", UnknownNameError, "setting of rouge2"),
    ],
)
def test_what_a_profile_fixes_or_does_not_know_is_refused(spec: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words.replace("?", ".")):
        METRICS.parse(spec)


def test_a_row_of_a_table_is_told_apart_by_its_profile_and_settings() -> None:
    assert settings_label("factcc") == ""
    assert settings_label("factcc@bump") == "@bump"
    assert settings_label("factcc@bump[checkpoint=x]") == "@bump checkpoint=x"
    assert settings_label("retrieve[metric=rouge2@bump]") == "metric=rouge2@bump"
    assert settings_label("mine[model=/srv/touchstone/models/ours]") == "model=…/models/ours"
    assert settings_label("factcc[checkpoint=owner/name]") == "checkpoint=owner/name"
