"""What a stress run teaches a cross-encoder: which of its rows are learned from, the loss of its pairs, and its figures on other documents."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from core.errors import TouchstoneError
from core.evaluation.training.benchmark_figures import benchmark_figures, benchmark_section, judged_examples
from core.evaluation.training.card import (
    BROKEN,
    DIFFERENCE,
    HARMLESS,
    LEFT_ALONE,
    NOTICED,
    PAIR_SHARE,
    WITHOUT,
    CardFigure,
    verdict,
)
from core.evaluation.training.claim_batches import stress_batches
from core.evaluation.training.stress_figures import stress_figures, stress_section
from core.evaluation.training.stress_rows import StressSource, with_stress_run
from core.evaluation.training.training_data import TrainingData, training_data
from core.evaluation.training.training_plan import TrainingPlan, TrainingSource
from core.models.words.claims import Batch, Unit
from core.results.runs.stress_run import Check, Meaning, Opinion, Plan, Source, StressRun, Variant
from core.scoring.nli_check import NliResult
from core.types import Example, Item, Split, Verdict
from tests.unit.core.evaluation.training.training_process import items

PHRASE = "assertion"


def run(documents: int = 24) -> StressRun:
    """A run on the documents of `items`, where the first half lies: a harmless, another harmless and a broken variant each."""
    found = StressRun(Plan("own", ("synonyms", "negation", "shuffled", PHRASE), ("rouge2",)))
    for item in items(documents)[::2]:
        example = item.example
        found.add(Source(example, item.group))
        made = {
            "synonyms": example.summary.replace("brought", "carried"),
            "shuffled": " ".join(reversed(example.summary.split(". "))),
            "negation": example.summary.replace("brought", "never brought"),
            PHRASE: example.summary + " All of this is true.",
        }
        for kind, summary in made.items():
            found.add(Variant(example.id, kind, summary=summary))
    return found


def data() -> TrainingData:
    return training_data(items(), 0, seed=0)


def hardened(source: StressSource, tests: tuple[str, ...] = ()) -> TrainingData:
    return with_stress_run(data(), source, tests)


def of_benchmark(documents: Sequence[str]) -> list[Item]:
    return [Item(Example(f"b{number}", document, "A summary.")) for number, document in enumerate(documents)]


def test_variants_become_pairs_of_the_documents_that_the_labels_are_of() -> None:
    found = hardened(StressSource("own", run()))
    stress = found.stress
    assert len(stress.pairs) == 24 * 3
    assert {stress.rows[variant].kind: stress.rows[variant].wrong for _, variant in stress.pairs} == {
        "synonyms": False,
        "shuffled": False,
        "negation": True,
    }
    numbers = {row.document: number for row, number in zip(found.rows, found.documents, strict=True)}
    assert [numbers[row.document] for row in stress.rows] == stress.documents.tolist()
    assert stress.left_out == {"variants with a phrase that games metrics": 24}


def test_no_document_of_a_benchmark_or_test_is_learned_from_however_it_is_spaced() -> None:
    documents = [item.example.document for item in items()[::2]]
    respaced = [document.upper().replace(" ", "  ") for document in documents[:5]]
    found = hardened(StressSource("own", run(), {"bump": of_benchmark(respaced)}), (documents[7],))
    kept = {row.document for row in found.stress.rows}
    assert not kept & {*documents[:5], documents[7]}
    assert 12 < len(kept) <= 18  # some of these documents are near-duplicates of one another
    assert found.stress.left_out["of a benchmark's or a test's document"] == 4 * (24 - len(kept))
    assert found.stress.benchmarks == {"bump": []}  # its documents are those of the labels, too: it would be no test
    with pytest.raises(TouchstoneError, match="has no harmless variant to learn from"):
        hardened(StressSource("own", run(), {"bump": of_benchmark(documents)}))


def test_a_plan_keeps_what_its_own_data_mark_as_test_out_of_the_run() -> None:
    marked = [Item(one.example, one.parent, one.edits, one.intended, group=one.group) for one in items(30)]
    tests = [Item(one.example, intended=one.intended, group=one.group, split=Split.TEST) for one in items(30)[48:]]
    source = TrainingSource("own", [*marked[:48], *tests])
    plan = TrainingPlan([source], 0, recipe="cross-encoder", stress=StressSource("own", run(30)))
    groups = {row.group for row in plan.data().stress.rows}
    assert len(groups) > 12
    assert groups <= {f"g{number}" for number in range(24)}
    with pytest.raises(TouchstoneError, match="hardens a cross-encoder, and the recipe is words"):
        TrainingPlan([source], 0, stress=StressSource("own", run())).data()


def test_what_a_check_or_a_person_objects_to_is_not_learned_from() -> None:
    objected = run()
    objected.add(Check("d0", "synonyms", NliResult(contradicts=True, by="entailment")))
    objected.add(Opinion("d1", "negation", Meaning.KEPT, "ann"))
    objected.add(Opinion("d2", "negation", Meaning.CHANGED, "ann"))
    found = hardened(StressSource("own", objected)).stress
    ids = {row.id for row in found.rows}
    assert not {"d0/synonyms", "d1/negation"} & ids
    assert {"d0/negation", "d1/synonyms", "d2/negation"} <= ids
    assert found.left_out["variants that a check or a person objects to"] == 2


def test_a_batch_of_a_run_has_pairs_and_no_label() -> None:
    stress = hardened(StressSource("own", run())).stress
    texts = [(place,) for place in range(len(stress.rows))]
    found = list(stress_batches(stress.rows, texts, stress.pairs, "seed"))
    assert not any(batch.units for batch in found)
    assert sum(len(batch.pairs) for batch in found) == 24
    assert sum(len(batch.harmless) for batch in found) == 48
    assert found == list(stress_batches(stress.rows, texts, stress.pairs, "seed"))
    for batch in found:
        for pairs, wrong in ((batch.pairs, True), (batch.harmless, False)):
            for (original,), (variant,) in pairs:
                row = stress.rows[batch.texts[variant]]
                assert (stress.rows[batch.texts[original]].id, row.wrong) == (row.parent, wrong)


def test_harmless_edits_cost_what_they_move_and_broken_ones_what_they_do_not() -> None:
    import torch

    from core.models.words.pair_network import batch_loss

    logits = torch.tensor([0.0, 0.0, 30.0])
    log_half = math.log(2)
    still = Batch((0, 1), (), (), (((0,), (1,)),))
    assert float(batch_loss(logits, still)) == 0
    moved = Batch((0, 1, 2), (), (), (((2,), (0,)),))
    assert float(batch_loss(logits, moved)) == pytest.approx(log_half**2 / 2)
    unnoticed = Batch((0, 1), (), (((0,), (1,)),))
    assert float(batch_loss(logits, unnoticed)) == pytest.approx(1)
    noticed = Batch((0, 1, 2), (), (((2,), (0,)),), (((0,), (1,)),))
    assert float(batch_loss(logits, noticed)) == pytest.approx(1 - log_half)
    labelled = Batch((0,), (Unit((0,), True),), ())
    assert float(batch_loss(logits, labelled)) == pytest.approx(log_half)


def test_the_matrix_tells_noticed_from_left_alone_before_and_after() -> None:
    stress = hardened(StressSource("own", run())).stress
    after = np.full(len(stress.rows), 0.9)
    wrong = np.array([row.wrong for row in stress.rows])
    after[wrong] = 0.2
    before = after.copy()
    before[wrong] = 0.95
    judged = np.array([number % 2 == 0 for number in stress.documents])
    harmless = np.array([row.kind == "synonyms" for row in stress.rows])
    for scores in (after, before):
        scores[harmless] += 0.01
        scores[~judged] = np.nan
    found = {(one.of, one.measure): one.estimate for one in stress_figures(stress, before, after)}
    assert found[BROKEN, PAIR_SHARE].value == found["negation", NOTICED].value == 1
    assert found[BROKEN + WITHOUT, PAIR_SHARE].value == found["negation" + WITHOUT, NOTICED].value == 0
    number = int(judged[wrong].sum())
    assert found["negation", NOTICED].n == number
    assert (found["synonyms", LEFT_ALONE].value, found["shuffled", LEFT_ALONE].value) == (
        0,
        1,
    )  # by the noise of the other
    assert found[HARMLESS, LEFT_ALONE].value == 0.5
    section = stress_section(stress, stress_figures(stress, before, after))
    assert "48 harmless and 24 broken variants" in section
    assert f"| negation | noticed | 0.0 [0.0, 37.1] | 100.0 [62.9, 100.0] | {number} |" in section


def test_a_benchmark_is_judged_before_and_after_by_labels_and_pairs() -> None:
    benchmarks = {"pairs": items(20), "unlabelled": of_benchmark(["One document.", "Another."])}
    wrong = np.array([one.intended is Verdict.INCONSISTENT for one in benchmarks["pairs"]])
    after = np.concatenate([np.where(wrong, 0.2, 0.9), [0.5, np.nan]])
    before = np.full(len(after), 0.5)
    assert len(judged_examples(benchmarks)) == len(after)
    found = benchmark_figures(benchmarks, before, after)
    figures = {(one.of, one.measure): one.estimate for one in found}
    assert figures["pairs", "AUC"].value == 1
    assert figures[f"pairs{WITHOUT}", "AUC"].value == 0.5
    assert figures[f"pairs, above the same{WITHOUT}", DIFFERENCE].value == 0.5
    assert figures["pairs", PAIR_SHARE].value == 1
    assert figures[f"pairs{WITHOUT}", PAIR_SHARE].value == 0
    assert figures["pairs", PAIR_SHARE].n == 20
    of_labels = CardFigure("labelled summaries", "AUC", figures["pairs", "AUC"])
    assert "Not shown to be better" not in verdict([of_labels, *benchmark_figures(benchmarks, after, before)])
    section = benchmark_section(benchmarks, found)
    assert "No document of pairs, unlabelled was learned from" in section
    assert "| pairs | AUC |" in section
    assert "| unlabelled | 2 texts" in section
    assert "No benchmark is imported here" in benchmark_section({}, [])
