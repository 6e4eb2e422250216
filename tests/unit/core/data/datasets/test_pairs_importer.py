"""Files of pairs: what is read, what is refused with its line, and what is refused as a whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.data.dataset import DATASETS, Refusal
from core.data.datasets.pairs import Pairs
from core.errors import TouchstoneError
from core.types import ErrorType, Item, Verdict

EDIT = {"original_text": "sank", "replace_text": "sailed", "explanation": "The document says that it sank."}


def read(tmp_path: Path, content: str | bytes, name: str = "pairs.jsonl") -> list[Item | Refusal]:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(Pairs().read(path))


def one(tmp_path: Path, **fields: object) -> Item | Refusal:
    """The last thing that a one-line file of these fields gives."""
    record = {"id": "a", "document": "The ship sank.", "summary": "A ship sank."} | fields
    return read(tmp_path, json.dumps({name: value for name, value in record.items() if value is not None}))[-1]


def reason(outcome: Item | Refusal) -> str:
    assert isinstance(outcome, Refusal)
    return outcome.error


def item(outcome: Item | Refusal) -> Item:
    assert isinstance(outcome, Item)
    return outcome


def test_a_line_becomes_a_pair(tmp_path: Path) -> None:
    (pair,) = read(tmp_path, '{"id": "a", "document": "D.", "summary": "S.", "domain": "news", "label": 1}\n')
    assert item(pair).example.id == "a"
    assert (item(pair).example.document, item(pair).example.summary) == ("D.", "S.")
    assert (item(pair).domain, item(pair).intended) == ("news", Verdict.CONSISTENT)


def test_pairs_of_one_document_are_one_group_unless_they_name_another(tmp_path: Path) -> None:
    texts = (("D.", "S."), ("D.", "T."), ("E.", "S."))
    lines = [json.dumps({"document": document, "summary": summary}) for document, summary in texts]
    first, second, other = (item(pair).group for pair in read(tmp_path, "\n".join(lines)))
    assert first == second != other
    assert item(one(tmp_path, group="g")).group == "g"


@pytest.mark.parametrize("document", ["doc", "article", "source", "text", "Document", "premise"])
@pytest.mark.parametrize("summary", ["claim", "hypothesis", "Reference Summary", "SUMMARY"])
def test_common_names_are_understood(tmp_path: Path, document: str, summary: str) -> None:
    (pair,) = read(tmp_path, json.dumps({document: "D.", summary: "S."}))
    assert (item(pair).example.document, item(pair).example.summary) == ("D.", "S.")


def test_a_pair_without_an_id_is_called_after_its_line(tmp_path: Path) -> None:
    outcomes = read(tmp_path, '\n{"document": "D.", "summary": "S."}\n{"id": " ", "document": "D.", "summary": "S."}')
    assert [item(pair).example.id for pair in outcomes] == ["line-2", "line-3"]


def test_a_numeric_id_becomes_text(tmp_path: Path) -> None:
    assert item(one(tmp_path, id=7)).example.id == "7"


def test_an_edited_summary_becomes_a_child_with_the_edit_that_made_it(tmp_path: Path) -> None:
    line = {"id": "a", "document": "The ship sank.", "summary": "A ship sank.", "edited": "A ship sailed."}
    seed, child = read(
        tmp_path, json.dumps(line | {"label": "inconsistent", "error_type": "Intrinsic Predicate Error"})
    )
    assert (item(seed).intended, item(seed).error_type) == (None, None)
    assert (item(child).example.id, item(child).parent, item(child).group) == ("a/edited", "a", item(seed).group)
    assert [(edit.span.of("A ship sank."), edit.new) for edit in item(child).edits] == [("sank", "sailed")]
    assert (item(child).intended, item(child).error_type) == (Verdict.INCONSISTENT, ErrorType.INTRINSIC_PREDICATE)


@pytest.mark.parametrize("edits", [EDIT, [EDIT], json.dumps(EDIT)])
def test_executable_edits_are_executed(tmp_path: Path, edits: object) -> None:
    child = item(one(tmp_path, edits=edits))
    assert child.example.summary == "A ship sailed."
    assert child.edits[0].explanation == EDIT["explanation"]


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("edits", {**EDIT, "original_text": "swam"}, "not a substring"),
        ("edits", "[" * 100_000, "too deep"),
        ("edited", "A ship sank.", "the summary itself"),
        ("document", None, "There is no document"),
        ("summary", None, "Name it summary or claim"),
        ("summary", " \n ", "The summary is empty"),
        ("document", "", "The document is empty"),
        ("document", ["a", "b"], "must be a text; got list"),
        ("document", 7, "is the number 7"),
        ("summary", 5.0, "is the number 5"),
        ("document", "a\0b", "NUL"),
        ("summary", "half \ud83d", "half of a character"),
        ("label", "perhaps", "Known: consistent, faithful"),
        ("label", ["consistent"], "The label is"),
        ("error_type", "Typo", "Intrinsic Predicate"),
        ("id", 1.5, "The field 'id' must be a text"),
    ],
)
def test_a_broken_field_is_refused_with_what_to_do(tmp_path: Path, field: str, value: object, says: str) -> None:
    assert says in reason(one(tmp_path, **{field: value}))


def test_edits_that_do_not_lead_to_the_edited_summary_are_refused(tmp_path: Path) -> None:
    assert "do not lead" in reason(one(tmp_path, edits=EDIT, edited="A ship swam."))


def test_a_broken_line_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    good = '{"id": "%s", "document": "D.", "summary": "S."}'
    outcomes = read(tmp_path, "\n".join([good % "a", '{"id": "b", ', "[1, 2]", '"text"', good % "c"]))
    assert [getattr(outcome, "line", None) for outcome in outcomes] == [None, 2, 3, 4, None]
    assert "not JSON" in reason(outcomes[1])
    assert "Expected a JSON object" in reason(outcomes[2])


@pytest.mark.parametrize("line", ["[" * 100_000, '{"id": ' + "9" * 10_000 + "}"])
def test_a_line_made_to_hurt_is_refused(tmp_path: Path, line: str) -> None:
    assert "too deep or too long" in reason(read(tmp_path, line)[0])


def test_the_second_use_of_an_id_is_refused_with_both_lines(tmp_path: Path) -> None:
    line = '{"id": "a", "document": "D.", "summary": "S."}\n'
    first, second = read(tmp_path, line * 2)
    assert isinstance(first, Item)
    assert "on line 1 of pairs.jsonl already" in reason(second)
    assert "line 2" in reason(second)


def test_hostile_text_arrives_unchanged(tmp_path: Path) -> None:
    text = "<script>alert(1)</script> \u202eשלום 👩\u200d🚀 {{7*7}}\u2028=cmd()"
    pair = item(one(tmp_path, id=text, document=text, summary=text))
    assert (pair.example.id, pair.example.document, pair.example.summary) == (text, text, text)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    (pair,) = read(tmp_path, b"\xef\xbb\xbfid,document,summary\r\na,D.,S.\r\n", "pairs.csv")
    assert item(pair).example.id == "a"


@pytest.mark.parametrize("content", ["é".encode("latin-1"), "id,doc".encode("utf-16"), b"\x89PNG\r\n"])
def test_a_file_that_is_not_utf8_is_refused_as_a_whole(tmp_path: Path, content: bytes) -> None:
    good = b'{"document": "D.", "summary": "S."}\n'
    with pytest.raises(TouchstoneError, match="not UTF-8"):
        read(tmp_path, good + content)


def test_an_empty_or_absent_file_is_refused_as_a_whole(tmp_path: Path) -> None:
    with pytest.raises(TouchstoneError, match="is empty"):
        read(tmp_path, "")
    with pytest.raises(TouchstoneError, match="There is no file"):
        list(Pairs().read(tmp_path / "nowhere.jsonl"))


@pytest.mark.parametrize(("separator", "name"), [(",", "p.csv"), (";", "p.csv"), ("\t", "p.tsv")])
def test_a_table_is_read_with_its_own_separator(tmp_path: Path, separator: str, name: str) -> None:
    header, row = ["id", "doc", "claim"], ["a", '"D, one; two\nlines"', "S."]
    (pair,) = read(tmp_path, f"{separator.join(header)}\n{separator.join(row)}\n", name)
    assert item(pair).example.document == "D, one; two\nlines"


def test_a_broken_row_is_named_by_the_line_on_which_it_begins(tmp_path: Path) -> None:
    rows = ["id,document,summary", 'a,"two\nlines",S.', "b,D.", "", "c,D.,", "d,D.,S."]
    outcomes = read(tmp_path, "\n".join(rows), "pairs.csv")
    assert [getattr(outcome, "line", None) for outcome in outcomes] == [None, 4, 6, None]
    assert "2 cells and the header 3" in reason(outcomes[1])
    assert "summary is empty" in reason(outcomes[2])


def test_a_stray_quote_is_text_where_each_line_has_all_cells(tmp_path: Path) -> None:
    first, _ = read(tmp_path, 'id,document,summary\na,"D." x,S.\nb,D.,S.\n', "pairs.csv")
    assert item(first).example.document == '"D." x'


def test_a_stray_quote_spoils_only_its_row_where_others_need_theirs(tmp_path: Path) -> None:
    outcomes = read(tmp_path, 'id,document,summary\na,"D." x,S.\nb,"D, e.",S.\n', "pairs.csv")
    assert "not CSV" in reason(outcomes[0])
    assert item(outcomes[1]).example.id == "b"


def test_a_cell_may_hold_a_book(tmp_path: Path) -> None:
    book = "word " * 200_000
    (pair,) = read(tmp_path, f"id,document,summary\na,{book},S.\n", "pairs.csv")
    assert len(item(pair).example.document) == 1_000_000


@pytest.mark.parametrize("header", ["id,summary", "a;b;c", '"id', ""])
def test_a_table_without_its_columns_is_refused_as_a_whole(tmp_path: Path, header: str) -> None:
    with pytest.raises(TouchstoneError, match=r"There is no document|header cannot be read"):
        read(tmp_path, f"{header}\na,b\n", "pairs.csv")


def test_reading_stops_where_the_reader_stops(tmp_path: Path) -> None:
    """The importer streams: the first pair is there before the second line is parsed."""
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"document": "D.", "summary": "S."}\n{"broken\n', encoding="utf-8")
    outcomes = DATASETS.parse("pairs").read(path)
    assert isinstance(next(outcomes), Item)
    assert isinstance(next(outcomes), Refusal)


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("legal", ("legal",)),
        ("legal; long;", ("legal", "long")),
        (["legal", " ", "legal", 7], ("legal", "7")),
        ("", ()),
    ],
)
def test_slices_are_names_of_ones_own(tmp_path: Path, written: object, named: tuple[str, ...]) -> None:
    assert item(one(tmp_path, tags=written)).slices == named
    assert item(one(tmp_path, slices=written, edited="A ship sailed.")).slices == named


def test_a_table_may_have_a_column_of_slices(tmp_path: Path) -> None:
    [found] = read(tmp_path, "document,summary,slice\nIt sank.,A ship sank.,legal;long\n", "pairs.csv")
    assert item(found).slices == ("legal", "long")


def test_a_slice_is_a_text(tmp_path: Path) -> None:
    assert "must be a text" in reason(one(tmp_path, slices=[{"name": "legal"}]))


def test_contexts_make_the_document_and_keep_their_names(tmp_path: Path) -> None:
    contexts = [{"title": "Port", "text": "The ship sank."}, "Nobody was hurt."]
    found = item(one(tmp_path, document=None, contexts=contexts, question="What sank?")).example
    assert (found.document, found.question) == ("The ship sank.\n\nNobody was hurt.", "What sank?")
    assert [context.name for context in found.contexts] == ["Port", "context 2"]


def test_contexts_of_a_document_that_is_given_are_found_in_it(tmp_path: Path) -> None:
    found = item(one(tmp_path, contexts=["The ship", "sank."])).example
    assert [context.span.of(found.document) for context in found.contexts] == ["The ship", "sank."]
    assert "does not stand in the document" in reason(one(tmp_path, contexts=["A plane"]))


def test_a_table_has_its_contexts_as_json(tmp_path: Path) -> None:
    [read_item] = read(tmp_path, 'passages,summary\n"[""One."", ""Two.""]",One.\n', "pairs.csv")
    assert len(item(read_item).example.contexts) == 2


def test_a_record_without_document_and_contexts_is_refused(tmp_path: Path) -> None:
    assert "The document is empty" in reason(one(tmp_path, document=None, contexts=[]))


@pytest.mark.parametrize(
    ("word", "verdict"),
    [
        ("WAHR", Verdict.CONSISTENT),
        ("falsch", Verdict.INCONSISTENT),
        ("entailment", Verdict.CONSISTENT),
        ("hallucinated", Verdict.INCONSISTENT),
        ("yes", Verdict.CONSISTENT),
    ],
)
def test_labels_are_read_in_the_words_that_people_write(word: str, verdict: Verdict, tmp_path: Path) -> None:
    record = {"document": "The harbour was closed.", "summary": "It was closed.", "label": word}
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    [item] = Pairs().read(path)
    assert isinstance(item, Item)
    assert item.intended is verdict


@pytest.mark.parametrize("label", [0, 1, "0", 2])
def test_numbers_beside_a_premise_and_a_hypothesis_are_refused_as_they_may_count_the_other_way(
    label: int | str, tmp_path: Path
) -> None:
    record = {"premise": "The harbour was closed.", "hypothesis": "It was closed.", "label": label}
    path = tmp_path / "nli.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    [refusal] = Pairs().read(path)
    assert isinstance(refusal, Refusal)
    assert "entailment as 0, and here 1 is consistent" in refusal.error


def chat(*turns: tuple[str, str]) -> dict[str, object]:
    return {"messages": [{"role": role, "content": content} for role, content in turns], "label": "consistent"}


def test_a_chat_is_the_last_answer_and_what_was_said_to_the_assistant(tmp_path: Path) -> None:
    turns = (
        ("system", "You summarize."),
        ("user", "The harbour was closed."),
        ("assistant", "A first answer."),
        ("user", "Once more, please."),
        ("assistant", "It was closed."),
    )
    path = tmp_path / "chats.jsonl"
    path.write_text(json.dumps(chat(*turns)) + "\n" + json.dumps(chat(turns[1])) + "\n", encoding="utf-8")
    item, refusal = Pairs().read(path)
    assert isinstance(item, Item)
    assert item.example.document == "The harbour was closed.\n\nOnce more, please."
    assert (item.example.summary, item.intended) == ("It was closed.", Verdict.CONSISTENT)
    assert isinstance(refusal, Refusal)
    assert "No message is by the assistant" in refusal.error
