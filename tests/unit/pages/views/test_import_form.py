"""Import on Evaluate as a script: tables as people have them, what the form asks of them, and the bundled examples."""

from __future__ import annotations

import json
import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from annotations.exchange.export_format import ExportActions, ExportTerms
from annotations.exchange.samples import load_samples, load_texts
from annotations.people.people import Member, Role
from annotations.store.store import Store
from cli import app as terminal
from core.base.files.foreign_files import Limits
from core.types import Verdict
from pages.ui.evaluate import import_task, mapping_form
from pages.ui.evaluate.dataset_choice import EvaluateState
from pages.ui.shared.background_results import RedrawState
from tests.doubles.field_tables import FIELD_TABLES, FieldTable
from tests.unit.annotations.campaigns.actors import make_campaign
from tests.unit.pages.views.states import state_of

Open = Callable[..., AppTest]

DOCUMENT = "The ferry Alma left Kiel at noon. She carried forty cars, and fog held her back for an hour."
CLAIMS = {"The Alma left at noon.": "yes", "The Alma left at night.": "no", "She carried fifty cars.": "no"}
IMPORT_S = 60


@pytest.fixture
def form(open_page: Open) -> Iterator[AppTest]:
    opened = open_page("evaluate").run(timeout=IMPORT_S)
    opened = opened.button("import-open").click().run(timeout=IMPORT_S)
    yield opened
    if files := state_of(opened, EvaluateState).upload:
        files.folder.cleanup()


def upload(form: AppTest, path: Path) -> AppTest:
    form = form.file_uploader(key="import-files").set_value((path.name, path.read_bytes(), "text/plain"))
    form = form.run(timeout=IMPORT_S)
    assert not form.exception
    return form


def import_as(form: AppTest, name: str) -> AppTest:
    """Import what is uploaded under a name, and wait for the receipt."""
    form.text_input(EvaluateState.dataset_name.of("generic").key).set_value(name)
    return finished(form.button("import-database").click())


def finished(form: AppTest) -> AppTest:
    form = form.run(timeout=IMPORT_S)
    task = state_of(form, EvaluateState).import_task
    assert task
    task.wait(IMPORT_S)
    form = form.run(timeout=IMPORT_S)
    assert not form.exception
    assert not form.error
    return form


def choose(form: AppTest, words: str, option: object) -> AppTest:
    """Answer the question whose label has these words."""
    [asked] = [radio for radio in form.radio if words in radio.label]
    return asked.set_value(option).run(timeout=IMPORT_S)


def asked(form: AppTest, words: str) -> object:
    """What is chosen before anybody chooses."""
    [radio] = [radio for radio in form.radio if words in radio.label]
    return radio.value


def notes(form: AppTest) -> str:
    return " ".join(caption.value.replace("\\", "").replace("**", "") for caption in form.caption)


def labels(store: Store, name: str) -> list[Verdict | None]:
    return [sample.item.intended for sample in load_samples(store, name)]


def facts(store: Store, table: FieldTable) -> list[dict[str, object]]:
    """What was kept of each sample in order."""
    query = "SELECT facts FROM sample JOIN dataset ON dataset.id = dataset_id WHERE name = ? ORDER BY number"
    with store.engine.connect() as connection:
        return [json.loads(row) for (row,) in connection.exec_driver_sql(query, (table.name,))]


def counted(found: list[dict[str, object]], kind: str, field: str) -> list[tuple[str, int]]:
    each = (one[field] for fact in found for one in fact.get(kind, []))  # type: ignore[attr-defined]  # lists of objects
    return sorted(Counter(each).items())


@pytest.mark.parametrize(
    "table",
    [pytest.param(table, marks=() if table.file == "deutsch.csv" else pytest.mark.slow) for table in FIELD_TABLES],
    ids=lambda table: table.file,
)
def test_a_table_as_people_have_it_is_the_same_by_page_and_terminal(
    form: AppTest,
    store: Store,
    table: FieldTable,
    tmp_path: Path,
    migrated_database: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table.write(tmp_path)
    form = upload(form, tmp_path / table.file)
    shown = [*form.radio, *form.selectbox, *form.multiselect, *form.number_input]
    assert table.note in " ".join([notes(form), *(widget.label for widget in shown)])
    if table.question:
        assert form.button("import-database").disabled
        form = choose(form, table.question, "consistent")
    form = import_as(form, table.name)
    assert f"{table.name}: " in form.success[0].value.replace("\\", "")

    shutil.copyfile(migrated_database, tmp_path / "terminal.db")
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'terminal.db'}")
    done = CliRunner().invoke(terminal, ["import", table.importer, str(tmp_path / table.file), "--name", table.name])
    assert done.exit_code == 0, done.exception
    assert table.mapping in done.stderr
    by_terminal = Store.open(f"sqlite:///{tmp_path / 'terminal.db'}")
    found = facts(store, table)
    assert found == facts(by_terminal, table)
    by_terminal.close()
    assert [fact.get("intended") for fact in found] == list(table.labels)
    assert counted(found, "scores", "metric") == list(table.scores)
    assert counted(found, "ratings", "aspect") == list(table.ratings)


@pytest.mark.slow
def test_the_two_sides_of_minimal_pairs_are_labelled_by_what_the_form_says(
    form: AppTest, store: Store, tmp_path: Path
) -> None:
    first, second, *_ = CLAIMS
    path = tmp_path / "minimal.csv"
    path.write_text(f'document,summary,edited_summary\n"{DOCUMENT}",{first},{second}\n', encoding="utf-8")
    form = upload(form, path)
    assert asked(form, "Without a label, an edited summary is") == "inconsistent"
    import_as(form, "minimal")
    assert labels(store, "minimal") == [Verdict.CONSISTENT, Verdict.INCONSISTENT]


@pytest.mark.slow
def test_what_an_annotators_yes_says_is_asked_for(form: AppTest, store: Store, tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    rows = [{"text": DOCUMENT, "claim": claim, "faithful": word, "rater_1": word} for claim, word in CLAIMS.items()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    form = upload(form, path)
    question = "An annotator's 1 or yes counts as"
    assert asked(form, question) is None
    assert form.button("import-database").disabled
    import_as(choose(form, question, "inconsistent"), "own")
    votes = [[vote.verdict for vote in sample.item.judgements] for sample in load_samples(store, "own")]
    assert labels(store, "own") == [Verdict.CONSISTENT, Verdict.INCONSISTENT, Verdict.INCONSISTENT]
    assert votes == [[Verdict.INCONSISTENT], [Verdict.CONSISTENT], [Verdict.CONSISTENT]]


@pytest.mark.slow
def test_a_third_class_has_no_label_until_somebody_decides(form: AppTest, store: Store, tmp_path: Path) -> None:
    path = tmp_path / "classes.csv"
    cells = zip(CLAIMS, ("consistent", "inconsistent", "neutral"), strict=True)
    rows = "".join(f'"{DOCUMENT}",{claim},{word},0.5,remarks of mine\n' for claim, word in cells)
    path.write_text(f"document,summary,label,hallucination,remark\n{rows}", encoding="utf-8")
    form = upload(form, path)
    assert asked(form, "neutral") == "no label"
    assert "Left out: remark." in notes(form)
    import_as(choose(form, "neutral", "borderline"), "classes")
    assert labels(store, "classes") == [Verdict.CONSISTENT, Verdict.INCONSISTENT, Verdict.BORDERLINE]


@pytest.mark.slow
def test_classes_of_unclear_direction_are_asked_for_above_the_button(
    form: AppTest, store: Store, tmp_path: Path
) -> None:
    path = tmp_path / "numbered.csv"
    rows = "".join(f'"{DOCUMENT}",{claim},{label}\n' for claim, label in zip(CLAIMS, (1, 2, 1), strict=True))
    path.write_text(f"document,summary,label\n{rows}", encoding="utf-8")
    form = upload(form, path)
    assert "label says 1, 2, and nothing says which of them is consistent" in notes(form)
    assert form.button("import-database").disabled
    [classes] = [choice for choice in form.button_group if "Which of these mean a consistent summary?" in choice.label]
    assert "The Alma left at night." in classes.label.replace("\\", "")
    form = classes.set_value(["2"]).run(timeout=IMPORT_S)
    import_as(form, "numbered")
    assert labels(store, "numbered") == [Verdict.INCONSISTENT, Verdict.CONSISTENT, Verdict.INCONSISTENT]


def test_an_answer_about_a_label_is_kept_in_the_record_and_offered_for_tables_of_its_form(
    form: AppTest, store: Store, tmp_path: Path
) -> None:
    for name, claims in (("first", [*CLAIMS]), ("second", [*CLAIMS][::-1])):
        rows = "".join(f'"{DOCUMENT}",{claim},{label}\n' for claim, label in zip(claims, (1, 0, 1), strict=True))
        (tmp_path / f"{name}.csv").write_text(f"document,summary,label\n{rows}", encoding="utf-8")
    form = upload(form, tmp_path / "first.csv")
    [question] = [radio.label.replace("\\", "") for radio in form.radio if "counts as" in radio.label]
    assert "label 1: “The Alma left at noon.”" in question
    form = import_as(choose(form, "This summary counts as", "inconsistent"), "first")
    assert labels(store, "first") == [Verdict.INCONSISTENT, Verdict.CONSISTENT, Verdict.INCONSISTENT]
    [file] = next(row for row in store.datasets() if row.name == "first").files
    assert file.counts["reading"]["labels"] == "label: 1 is inconsistent, 0 is consistent (stated: by a person)"
    first = state_of(form, EvaluateState).upload
    assert first
    first.folder.cleanup()
    form = form.button("import-open").click().run(timeout=IMPORT_S)
    form = upload(form, tmp_path / "second.csv")
    assert asked(form, "This summary counts as") == "inconsistent"
    assert "As answered for first, a table of the same form." in notes(form)


@pytest.mark.slow
def test_a_table_in_another_encoding_is_read_in_the_one_that_was_guessed(
    form: AppTest, store: Store, tmp_path: Path
) -> None:
    path = tmp_path / "german.csv"
    path.write_bytes("document;summary;faithful\nDie Fähre fuhr um zwölf.;Sie fuhr mittags los.;1\n".encode("latin-1"))
    form = upload(form, path)
    assert any("Read it as" in choice.label for choice in form.selectbox)
    import_as(form, "german")
    assert [text.document for text in load_texts(store, "german")] == ["Die Fähre fuhr um zwölf."]


def test_files_that_are_given_while_others_are_imported_stay_in_the_dialog(
    form: AppTest, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, read = threading.Event(), import_task.read_apart

    def read_after_go(*of: Any) -> Any:
        go.wait(IMPORT_S)
        return read(*of)

    monkeypatch.setattr(import_task, "read_apart", read_after_go)
    for name in ("first", "second"):
        (tmp_path / f"{name}.csv").write_text(f"document,summary,faithful\nThe {name} text.,A summary.,1\n")
    form = upload(form, tmp_path / "first.csv")
    first = state_of(form, EvaluateState).upload
    form = form.button("import-database").click().run(timeout=IMPORT_S)
    form = upload(form, tmp_path / "second.csv")
    go.set()
    task = state_of(form, EvaluateState).import_task
    assert task
    task.wait(IMPORT_S)
    form = form.run(timeout=IMPORT_S)
    assert state_of(form, EvaluateState).import_open
    import_as(form, "second")
    assert not state_of(form, EvaluateState).import_open
    assert {"first", "second"} <= {*store.dataset_names()}
    assert first
    first.folder.cleanup()


def test_the_bundled_examples_are_a_dataset_at_one_press(form: AppTest, store: Store) -> None:
    form = form.selectbox(key="import-form").set_value("bundled").run(timeout=IMPORT_S)
    assert "import-files" not in [uploader.key for uploader in form.file_uploader]
    assert state_of(form, RedrawState).held  # or a file that is given could be lost
    form = finished(form.button("import-cloud_download").click())
    assert not state_of(form, RedrawState).held
    assert form.success[0].value.startswith("bundled")
    assert load_samples(store, "bundled")


@pytest.mark.slow
def test_a_small_table_that_unpacks_to_more_than_the_memory_is_refused_at_its_preview(
    form: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mapping_form, "_LIMITS", Limits(seconds=30, megabytes=600))
    long = pa.array(["x" * 20_000_000]).dictionary_encode()
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 400, pa.int32()), long.dictionary)
    parquet.write_table(pa.table({"summary": column}), tmp_path / "bomb.parquet", compression="zstd")
    assert (tmp_path / "bomb.parquet").stat().st_size < 10_000
    form = upload(form, tmp_path / "bomb.parquet")
    said = form.error[0].value.replace("\\", "")
    assert "'bomb.parquet' cannot be read: it is damaged, or takes more than 600 MB of memory" in said
    assert form.button("import-database").disabled


def test_a_dropped_file_is_named_by_its_content_and_the_dataset_by_the_file(
    form: AppTest, store: Store, tmp_path: Path
) -> None:
    answers = [
        {
            "document": DOCUMENT,
            "summary": claim,
            "label": "FAITHFUL",
            "answer": answer,
            "_input_hash": 1,
            "_session_id": who,
        }
        for claim, word in CLAIMS.items()
        for who in ("kim", "ben")
        for answer in ["accept" if word == "yes" else "reject"]
    ]
    (tmp_path / "labels.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in answers), encoding="utf-8")
    form = upload(form, tmp_path / "labels.jsonl")
    assert [info.value.replace("\\", "") for info in form.info] == [
        "This looks like a Prodigy export with 2 annotators."
    ]
    form = finished(form.button("import-database").click())
    verdicts = [sample.item.intended for sample in load_samples(store, "labels")]
    assert verdicts == [Verdict.CONSISTENT, Verdict.INCONSISTENT, Verdict.INCONSISTENT]


def test_a_benchmark_that_is_dropped_chooses_its_importer_and_a_table_after_it_the_form_of_tables(
    form: AppTest, tmp_path: Path
) -> None:
    record = {"document": DOCUMENT, "right_summary": "It left at noon.", "hallucinated_summary": "It left at night."}
    (tmp_path / "download.json").write_text(json.dumps(record), encoding="utf-8")
    form = upload(form, tmp_path / "download.json")
    assert form.selectbox(key="import-form").value == "halueval"
    assert form.text_input(EvaluateState.dataset_name.of("halueval").key).value == "download"
    first = state_of(form, EvaluateState).upload
    (tmp_path / "own.csv").write_text(f"document,summary,label\n{DOCUMENT},A summary.,1\n", encoding="utf-8")
    form = upload(form, tmp_path / "own.csv")
    assert form.selectbox(key="import-form").value == "generic"
    assert form.text_input(EvaluateState.dataset_name.of("generic").key).value == "own"
    assert first
    first.folder.cleanup()


def test_several_files_are_one_table_and_decisions_on_their_form_are_shown(form: AppTest, store: Store) -> None:
    rows = [f'{DOCUMENT}\t{claim}\t{word}\t"{word}"' for claim, word in CLAIMS.items()]
    files = [
        (f"{part}.tsv", "\n".join(["document\tclaim\tlabel\tremark", *lines]).encode(), "text/plain")
        for part, lines in (("a", rows[:2]), ("b", rows[2:]))
    ]
    form = form.file_uploader(key="import-files").set_value(files).run(timeout=IMPORT_S)
    assert not form.exception
    assert any("quotes are text in this table with tabs" in caption.value for caption in form.caption)
    import_as(choose(form, "This summary counts as", "consistent"), "parts")
    assert sorted(sample.item.example.summary for sample in load_samples(store, "parts")) == sorted(CLAIMS)


def test_a_file_in_another_encoding_shows_its_letters_in_those_that_are_likely(form: AppTest, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("document,summary,label\nСовет порта собрался в понедельник.,Совет собрался.,1\n".encode("cp1251"))
    form = upload(form, path)
    (encodings,) = [box for box in form.selectbox if "not UTF-8" in box.label]
    assert encodings.value == "cp1251"
    assert any("Совет порта" in option for option in encodings.options)
    assert "koi8-r" in " ".join(encodings.options)


def test_an_exported_campaign_comes_back_as_a_campaign_and_not_as_a_table(form: AppTest, tmp_path: Path) -> None:
    file = tmp_path / "boats.csv"
    with closing(Store.open(f"sqlite:///{tmp_path / 'source.db'}")) as store:
        opened = make_campaign(store, items=3)
        opened.label(opened.annotator("ben"), 2)
        actions = ExportActions(store, Member("", "Cemile", Role.MANAGER))
        file.write_bytes(actions.file(opened.campaign.id, "csv", ExportTerms()))
    form = upload(form, file)
    assert any("This is an exported campaign" in info.value for info in form.info)
    assert not [button for button in form.button if button.key == "import-database"]
    form = form.button("import-campaign").click().run(timeout=IMPORT_S)
    assert not form.error
    assert any("Boats is imported" in success.value for success in form.success)
    again = form.button("import-campaign").click().run(timeout=IMPORT_S)
    assert any("There is a campaign called" in error.value for error in again.error)


def test_nothing_is_imported_before_it_is_said_which_column_is_the_summary(
    form: AppTest, store: Store, tmp_path: Path
) -> None:
    lines = [
        "document,summary,model_output,label",
        *(f"{DOCUMENT},Ours {n} here.,Theirs {n} here.,supported" for n in "12"),
    ]
    (tmp_path / "two.csv").write_text("\n".join(lines), encoding="utf-8")
    form = upload(form, tmp_path / "two.csv")
    assert form.button("import-database").disabled
    form = form.radio(key="map-which-summary-two.csv").set_value("summary").run(timeout=IMPORT_S)
    import_as(form, "two")
    assert [sample.item.example.summary for sample in load_samples(store, "two")] == ["Ours 1 here.", "Ours 2 here."]
    [row] = [row for row in store.datasets() if row.name == "two"]
    assert row.files[0].counts["reading"]["summary"] == "summary"


def test_texts_that_were_mixed_up_are_read_in_another_encoding_or_kept(
    form: AppTest, store: Store, tmp_path: Path
) -> None:
    text = "document,summary,label\nThe CafÃ© opened at noon.,It opened.,faithful\nThe CafÃ© opened.,It shut.,hallucinated\n"
    path = tmp_path / "mixed.csv"
    path.write_text(text, encoding="utf-8")
    form = upload(form, path)
    assert "that was read in another encoding" in "".join(warning.value for warning in form.warning)
    [encoding] = [box for box in form.selectbox if "Letters were mixed up" in box.label]
    assert {"utf-8", "cp1252", "gb18030"} <= {option.split(":")[0] for option in encoding.options}
    [keep] = [toggle for toggle in form.toggle if "Import such texts as they are" in toggle.label]
    form = keep.set_value(True).run(timeout=IMPORT_S)
    import_as(form, "mixed")
    assert len(load_samples(store, "mixed")) == 2
    [row] = store.datasets()
    assert row.files[0].counts["reading"]["garbled"] == "keep"


def test_the_languages_of_the_texts_are_named_before_and_after_an_import(form: AppTest, tmp_path: Path) -> None:
    german = {
        "id": "a",
        "document": "Die Brücke soll laut dem Bürgermeister im März wieder öffnen.",
        "summary": "The bridge is to reopen in March, as the mayor said.",
    }
    line = "Language: German document, English summary"
    table = tmp_path / "bridge.jsonl"
    table.write_text(json.dumps(german) + "\n", encoding="utf-8")
    form = upload(form, table)
    assert [caption for caption in form.caption if line in caption.value.replace("\\", "")]
    form = import_as(form, "bridge")
    assert [caption for caption in form.caption if line in caption.value.replace("\\", "")]
    assert [text for text in form.text if line in text.value]
