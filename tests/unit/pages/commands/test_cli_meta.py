"""Importing, bulk scoring and tables from the command line."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from annotations.store.store import Store
from core.base.profile import read_profile
from core.errors import TouchstoneError
from tests.unit.annotations.pair_samples import PAIR
from tests.unit.command_line import done, rows_of, run

pytestmark = pytest.mark.usefixtures("database")

DOCUMENT = "The harbour of Lindvale was closed on Tuesday after a storm tore two ferries away. Nobody was hurt."
KINDS = ("Intrinsic Predicate", "Extrinsic Entity", "Coreference")


def record(n: int) -> dict[str, object]:
    """A pair in BUMP's form whose edit the metric "sharp" finds and "blunt" does not."""
    scores = {"sharp_reference": 0.9, "sharp_edited": 0.1 * n, "blunt-2_reference": 0.5, "blunt-2_edited": 0.5}
    kind = f"{KINDS[n % 3]} Error"
    return {
        "id": n,
        "article_id": n,
        "article": f"{DOCUMENT} Number {n}.",
        "reference_summary": "The harbour was closed.",
        "edited_summary": "The harbour was opened.",
        "error_type": kind,
        "corrected_error_type": kind,
        "scores": scores,
    }


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "task1_own.json"
    path.write_text(json.dumps([record(n) for n in range(6)]), encoding="utf-8")
    return path


def test_an_import_says_what_it_read(pairs: Path) -> None:
    counts = json.loads(done("import", "bump", pairs, "--name", "own", "--json"))
    assert (counts["dataset"], counts["samples"], counts["pairs"], counts["new"]) == ("own", 12, 6, 12)
    assert counts["error_types"] == dict.fromkeys(KINDS, 2)
    assert counts["released_scores"] == {"sharp": 12, "blunt-2": 12}


def test_the_same_file_twice_doubles_nothing(pairs: Path, database: str) -> None:
    done("import", "bump", pairs, "--name", "own")
    with closing(Store.open(database)) as store:
        before = store.counts()
        assert json.loads(done("import", "bump", pairs, "--name", "own", "--json"))["new"] == 0
        assert store.counts() == before


def test_a_broken_file_changes_nothing_and_names_row_and_field(pairs: Path, database: str) -> None:
    Store.open(database).close()
    records = [record(n) for n in range(3)]
    del records[1]["edited_summary"]
    pairs.write_text(json.dumps(records), encoding="utf-8")
    refused = run("import", "bump", pairs)
    assert isinstance(refused.exception, TouchstoneError)
    assert "2: " in str(refused.exception)
    assert "edited_summary" in str(refused.exception)
    with closing(Store.open(database)) as store:
        assert (store.counts()["document"], store.counts()["dataset"], store.datasets()) == (0, 0, [])


def test_the_readable_records_of_a_broken_file_are_imported_when_asked_for(pairs: Path) -> None:
    records = [record(n) for n in range(3)]
    del records[1]["edited_summary"]
    pairs.write_text(json.dumps(records), encoding="utf-8")
    counts = json.loads(done("import", "bump", pairs, "--skip-broken", "--json"))
    assert (counts["samples"], sum(counts["skipped"].values())) == (4, 1)


def test_the_table_of_own_made_pairs_is_what_counting_gives(pairs: Path) -> None:
    done("import", "bump", pairs, "--name", "own")
    found = rows_of("own", "--resamples", 200)
    assert {name for _, name in found} == {"Overall", *KINDS, "Intrinsic Error", "Extrinsic Error"}
    sharp, blunt = found["sharp", "Overall"], found["blunt-2", "Overall"]
    assert (sharp["n"], sharp["consistency"], sharp["ties"], sharp["auc"]) == (6, 1.0, 0.0, 1.0)
    assert (blunt["consistency"], blunt["ties"], blunt["auc"]) == (0.0, 1.0, 0.5)
    assert found["sharp", "Coreference"]["n"] == found["sharp", "Intrinsic Error"]["n"] == 2


def test_our_own_score_stands_beside_the_released_one_with_its_difference(pairs: Path) -> None:
    records = [record(n) for n in range(4)]
    for one in records:
        one["scores"] = {"ROUGE-2_reference": 100.0, "ROUGE-2_edited": 50.0}
    pairs.write_text(json.dumps(records), encoding="utf-8")
    done("import", "bump", pairs, "--name", "own")
    assert run("score-dataset", "own", "--metric", "rouge2").exit_code == 0
    assert set(rows_of("own", "--resamples", 50)) >= {("ROUGE-2", "Overall"), ("rouge2", "Overall")}
    assert "mean |difference|" in done("study", "released-scores", "--dataset", "own")


def test_an_unknown_dataset_names_those_that_were_imported(pairs: Path) -> None:
    done("import", "bump", pairs, "--name", "own")
    refused = run("study", "measures", "--dataset", "onw")
    assert "Imported: own" in str(refused.exception)


def test_a_paper_gives_its_slices_its_test_and_only_metrics_in_its_form(pairs: Path) -> None:
    done("import", "bump", pairs, "--name", "own")
    done("score-dataset", "own", "--metric", "rouge2@bump", "--metric", "rouge2[measured=recall]")
    options = ("study", "measures", "--dataset", "own", "--resamples", 20)
    report = json.loads(done(*options, "--paper", "bump", "--json"))
    assert {row["metric"] for row in report["tables"]["measures"]} == {"sharp", "blunt-2", "rouge2@bump"}
    assert report["data"]["by"] == "error_type"
    assert {row["slice"] for row in report["tables"]["best_two"]} >= {"Overall", "Coreference"}
    assert read_profile("bump").mark in report["notes"][0]
    assert "longdoc" in run(*options, "--paper", "bmp").output


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """Summaries of two domains that people rated; one was not scored."""
    path = tmp_path / "qags_judged_result.json"
    path.write_text(
        json.dumps(
            [
                {
                    "doc_id": n,
                    "system_id": n % 3,
                    "source": f"{DOCUMENT} Number {n}.",
                    "system_output": f"The harbour was closed on day {n}.",
                    "scores": {"consistency": n % 5 / 4},
                    **({"predict_scores": {"consistency": (n * 7) % 11 / 10}} if n else {}),
                }
                for n in range(12)
            ]
        ),
        encoding="utf-8",
    )
    return path


def test_correlations_with_ratings_take_slices_all_coefficients_and_json(judged: Path) -> None:
    done("import", "unieval", judged, "--name", "judged")
    options = ("study", "rating-correlation", "--dataset", "judged", "--rated", "consistency", "--resamples", 100)
    report = json.loads(done(*options, "--by", "system", "--full", "--json"))
    data = report["data"]
    assert (data["by"], data["resamples"], data["documents"]) == ("system", 100, 12)
    [metric] = data["metrics"]
    assert (metric["metric"], metric["released"], metric["scores"]) == ("UniEval consistency", True, 11)
    rows = {row["slice"]: row for row in report["tables"]["correlations"]}
    assert list(rows) == ["Overall", "0", "1", "2"]
    assert [(row["n"], row["failed"]) for row in rows.values()] == [(11, 1), (3, 1), (4, 0), (4, 0)]
    human, scores = [n % 5 / 4 for n in range(1, 12, 3)], [(n * 7) % 11 / 10 for n in range(1, 12, 3)]
    figure = rows["1"]["Pearson"]
    assert figure["value"] == pytest.approx(np.corrcoef(human, scores)[0, 1])
    assert (figure["documents"], figure["best"]) == (4, True)
    assert rows["Overall"]["Spearman"]["few_documents"] is True
    assert "Kendall, within systems" in rows["Overall"]
    text = done(*options, "--by", "system")
    assert "Kendall, within systems" not in text
    assert re.search(r"^1 +UniEval consistency +4 ", text, re.MULTILINE)
    assert "few documents" in text


def test_json_has_what_the_text_has_and_more(pairs: Path) -> None:
    pairs.write_text(json.dumps([record(n) for n in range(12)]), encoding="utf-8")
    done("import", "bump", pairs, "--name", "own")
    options = ("study", "measures", "--dataset", "own", "--resamples", 200, "--full")
    report = json.loads(done(*options, "--json"))
    rows = {row["metric"]: row for row in report["tables"]["measures"]}
    best, other = (rows[metric]["consistency"] for metric in ("sharp", "blunt-2"))
    assert (best["best"], best["p"], other["best"], other["not_worse"]) == (True, None, False, False)
    assert other["tests"] == {"paired bootstrap": other["p"], "McNemar": pytest.approx(2 / 2**9)}
    assert rows["sharp"]["ties"]["value"] == 1 / 12
    text = done(*options)
    assert "paired bootstrap test, p ≥ 0.05, corrected by Holm (1979)" in text
    assert re.search(r"^Overall +blunt-2 +Consistency +0\.\d+ +0\.0039", text, re.MULTILINE)


def test_the_test_of_the_paper_compares_the_best_two_and_corrects_nothing(pairs: Path) -> None:
    pairs.write_text(json.dumps([record(n) for n in range(12)]), encoding="utf-8")
    done("import", "bump", pairs, "--name", "own")
    text = done("study", "measures", "--dataset", "own", "--resamples", 50, "--test", "paper")
    assert "exact one-sided McNemar for consistency" in text
    assert re.search(r"^Overall +Consistency +sharp +blunt-2 +0\.0020 +\*", text, re.MULTILINE)
    assert "Corrected by" not in text


def test_the_number_of_resamples_is_capped_for_large_data_and_a_larger_one_has_its_time(
    pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done("import", "bump", pairs, "--name", "own")
    options = ("study", "measures", "--dataset", "own", "--json")
    assert json.loads(done(*options))["data"]["resamples"] == 10_000
    monkeypatch.setattr("core.results.cases.measures._MAX_WEIGHED", 12_000)
    capped = run(*options)
    assert json.loads(capped.stdout)["data"]["resamples"] == 1000
    assert "1,000 resamples instead of 10,000 for 12 summaries" in capped.stderr
    projected = run(*options, "--resamples", 3000)
    assert json.loads(projected.stdout)["data"]["resamples"] == 3000
    assert re.search(r"3,000 resamples of 12 summaries will take about \d+\.\d minutes", projected.stderr)


def test_annotators_of_imported_data_agree_so_far(pairs: Path, tmp_path: Path) -> None:
    sentences = [("yes", "yes", "no"), ("no", "no", "no"), ("yes", "no", "yes")]
    told = [
        {
            "sentence": f"Sentence {n}.",
            "responses": [{"worker_id": worker, "response": said} for worker, said in enumerate(given)],
        }
        for n, given in enumerate(sentences)
    ]
    path = tmp_path / "mturk_cnndm.jsonl"
    lines = (json.dumps({"article": f"{DOCUMENT} Number {n}.", "summary_sentences": told}) for n in range(6))
    path.write_text("\n".join(lines), encoding="utf-8")
    done("import", "qags", path)
    options = ("study", "annotator-agreement", "--dataset")
    tables = json.loads(done(*options, "qags", "--resamples", 50, "--json"))["tables"]
    [of_sentences, of_summaries] = tables["aspects"]
    assert (of_sentences["unit"], of_summaries["unit"]) == ("sentence", "summary mean")
    assert (of_sentences["items"], of_sentences["labels"], of_sentences["annotators"]) == (18, 54, 3)
    assert of_sentences["raw"]["value"] == pytest.approx((1 + 3 + 1) / 9)
    assert [pair["unit"] for pair in tables["pairs"]].count("sentence") == 3
    assert re.search(r"worker-0 +worker-1 ", done(*options, "qags", "--resamples", 50))
    assert "consistency" in str(run(*options, "qags", "--aspect", "fluency").exception)
    done("import", "bump", pairs, "--name", "own")
    assert "No two annotators" in str(run(*options, "own").exception)


def test_the_surface_of_a_dataset_asks_for_the_features_first(pairs: Path) -> None:
    done("import", "bump", pairs, "--name", "own")
    refused = run("study", "surface", "--dataset", "own")
    assert "Not scored yet: rouge2[measured=f1]" in str(refused.exception)


def test_the_length_of_a_dataset_is_counted(pairs: Path) -> None:
    done("import", "bump", pairs, "--name", "own")
    [row] = json.loads(done("study", "dataset-statistics", "--dataset", "own", "--json"))["tables"]["lengths"]
    assert (row["dataset"], row["domain"], row["samples"]) == ("own", "all", 12)
    assert row["documents_sentences"] >= 1


def test_explanations_that_people_graded_are_scored_by_whoever_wrote_them(tmp_path: Path) -> None:
    grades = {"m": "correct", "other": "incorrect"}
    given = [
        {"model": name, "prompt": "p", "annotation": grade, "explanation": "It was closed."}
        for name, grade in grades.items()
    ]
    path = tmp_path / "graded.json"
    path.write_text(json.dumps([{"id": "1", "doc": DOCUMENT, "summary": "It was open.", "samples": given}]), "utf-8")
    done("import", "factualnlg", path)
    assert re.search(
        r"^m\|p +1 .* 100\.0", done("study", "explanation-scores", "--dataset", "factualnlg"), re.MULTILINE
    )
    shared = done("study", "shared-errors", "--dataset", "factualnlg", "--of", "explainers")
    assert shared.startswith(
        "1 of 1 errors are caught by any of 2 explainers; the smallest set that catches them all: m|p"
    )


def test_a_dataset_without_graded_explanations_says_so(pairs: Path) -> None:
    done("import", "bump", pairs, "--name", "own")
    refused = run("study", "explanation-scores", "--dataset", "own")
    assert "No explanation is graded in own" in str(refused.exception)


def test_what_can_be_evaluated_is_listed(pairs: Path, database: str) -> None:
    done("import", "bump", pairs, "--name", "own")
    with closing(Store.open(database)) as store:
        store.save_pair(PAIR)
    listed = done("datasets")
    assert re.search(r"^own +12 samples from task1_own.json$", listed, re.MULTILINE)
    assert re.search(r"^our labels +2 samples$", listed, re.MULTILINE)


def test_calibration_shows_probabilities_and_refuses_what_is_too_small_in_words(tmp_path: Path) -> None:
    for name, number in (("one", 12), ("two", 6)):
        path = tmp_path / f"task1_{name}.json"
        path.write_text(json.dumps([record(n) for n in range(number)]), encoding="utf-8")
        done("import", "bump", path, "--name", name)
    options = ("study", "calibration", "--by", "dataset", "--dataset")
    text = done(*options, "one", "--metric", "sharp", "--resamples", 20)
    assert "Brier per domain" in text
    assert "One domain alone has figures" in text
    tables = json.loads(done(*options, "one", "--metric", "sharp", "--resamples", 20, "--json"))["tables"]
    assert tables["domains"][0]["n"] == 24
    refused = run(*options, "two")
    assert refused.exit_code != 0
    assert "6 documents have a consistent summary with a score and 6 an inconsistent one" in str(refused.exception)
