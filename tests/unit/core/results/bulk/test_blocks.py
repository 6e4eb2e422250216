"""Pairs of any number become blocks of whole documents."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import fsspec
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow.parquet import write_table

from core.errors import TouchstoneError
from core.results.bulk.block_writer import Refusals, group_rows, write_blocks
from core.results.bulk.blocks import BlockRow, Shard, block_names, cut_blocks, read_block, read_manifest
from core.results.bulk.folder import Folder
from core.types import Item, Verdict
from tests.unit.pages.commands.test_cli import run

FIELDS = ("id", "document", "summary")


def row(id: str, document: str, summary: str = "It rained.") -> BlockRow:
    return (id, document, summary, document, "", "", "", "", "", "")


def pairs_of(number: int, documents: int) -> list[dict[str, str]]:
    rng = random.Random(number)
    texts = [f"Document {place} says é, \u2028 and “so” on." for place in range(documents)]
    return [{"id": f"p{n}", "document": rng.choice(texts), "summary": f"Summary {n}."} for n in range(number)]


def written(path: Path, pairs: list[dict[str, str]]) -> Path:
    path.write_text("".join(json.dumps(pair, ensure_ascii=False) + "\n" for pair in pairs), encoding="utf-8")
    return path


def items_of(folder: Folder) -> list[list[Item]]:
    return [read_block(folder, name) for name in block_names(folder)]


@pytest.mark.slow
@given(st.lists(st.integers(1, 12), max_size=20), st.integers(1, 5))
def test_blocks_hold_all_rows_in_order_and_cut_only_a_document_that_is_too_large(sizes: list[int], most: int) -> None:
    rows = [(f"{n:016x}", row(f"{n}-{i}", str(n))) for n, size in enumerate(sizes) for i in range(size)]
    blocks = list(cut_blocks(rows, max_pairs=most))
    assert [one for block in blocks for one in block] == [one for _, one in rows]
    assert all(0 < len(block) <= most for block in blocks)
    in_blocks = Counter(document for block in blocks for document in {one[1] for one in block})
    assert all(in_blocks[str(n)] == (1 if size <= most else -(-size // most)) for n, size in enumerate(sizes))


def test_a_block_ends_before_its_texts_are_too_many_bytes() -> None:
    rows = [(str(n), row(str(n), "é" * 30, "ab")) for n in range(4)]
    assert [len(block) for block in cut_blocks(rows, max_bytes=124)] == [
        2,
        2,
    ]  # equal texts are counted once per document
    [first, *rest] = cut_blocks([("k", row(str(n), "d" * 90, "s" * 20)) for n in range(3)], max_bytes=110)
    assert [len(first), *map(len, rest)] == [1, 1, 1]


@pytest.mark.slow
@settings(max_examples=20)
@given(st.lists(st.text("0123456789abcdef", min_size=16, max_size=16), max_size=60), st.integers(20, 400))
def test_rows_are_grouped_in_order_however_small_the_memory(keys: list[str], memory: int) -> None:
    from tempfile import TemporaryDirectory

    keys = [*keys, *keys[:7], *["ab" * 8] * 9]
    rows = [(key, f'{{"n": {n}, "text": "\u2028\x85"}}') for n, key in enumerate(keys)]
    with TemporaryDirectory() as folder:
        assert list(group_rows(iter(rows), Path(folder) / "s", memory)) == sorted(rows, key=lambda one: one[0])
        assert not [file for file in Path(folder).rglob("*") if file.is_file()]


def test_every_format_and_order_gives_the_same_documents_together(tmp_path: Path) -> None:
    pairs = pairs_of(60, 7)
    written(tmp_path / "in.jsonl", pairs)
    written(tmp_path / "shuffled.jsonl", random.Random(2).sample(pairs, len(pairs)))
    lines = [",".join(f'"{pair[name]}"' for name in FIELDS) for pair in pairs]
    (tmp_path / "in.csv").write_text("\n".join([",".join(FIELDS), *lines]), encoding="utf-8")
    write_table(pa.table({name: [pair[name] for pair in pairs] for name in FIELDS}), tmp_path / "in.parquet")
    found = []
    for name in ("in.jsonl", "shuffled.jsonl", "in.csv", "in.parquet"):
        out = Folder.at(str(tmp_path / f"blocks-{name}"))
        manifest = write_blocks(str(tmp_path / name), out, Refusals())
        assert (manifest.pairs, manifest.documents, manifest.blocks) == (60, 7, 1)
        [block] = items_of(out)
        documents = [item.example.document for item in block]
        assert [one for n, one in enumerate(documents) if n == 0 or documents[n - 1] != one] == list(
            dict.fromkeys(documents)
        )
        found.append({(item.example.id, item.example.document, item.example.summary) for item in block})
    assert found[0] == {(pair["id"], pair["document"], pair["summary"]) for pair in pairs}
    assert found == [found[0]] * 4


def test_pairs_at_a_url_become_blocks_at_a_url(tmp_path: Path) -> None:
    fsspec.filesystem("memory").pipe("/bulk-in/part-1.jsonl", written(tmp_path / "one", pairs_of(5, 2)).read_bytes())
    out = Folder.at("memory://bulk-out")
    write_blocks("memory://bulk-in", out, Refusals())
    assert [item.example.id for block in items_of(out) for item in block].__len__() == 5
    local = Folder.at((tmp_path / "blocks").as_uri())
    write_blocks((tmp_path / "one").as_uri(), local, Refusals())
    assert read_manifest(local).sha256 == read_manifest(out).sha256
    done = run("score", out.url, "--to", "memory://bulk-results", "--metric", "rouge2", "--stats")
    assert json.loads(done.stdout)["rows"] == 5
    with pytest.raises(TouchstoneError, match="cannot be opened"):
        Folder.at("nowhere://x")


def test_labels_and_edits_of_a_pair_come_back(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    pair = {"id": "a", "document": "It rained.", "summary": "Rain.", "edited": "Snow.", "domain": "news"}
    source.write_text(json.dumps({**pair, "label": "inconsistent", "error_type": "Intrinsic Predicate"}))
    out = Folder.at(str(tmp_path / "blocks"))
    write_blocks(str(source), out, Refusals())
    [[plain, edited]] = items_of(out)
    assert (edited.parent, edited.intended, edited.domain) == (plain.example.id, Verdict.INCONSISTENT, "news")
    assert [(edit.span.of("Rain."), edit.new) for edit in edited.edits] == [("Rain", "Snow")]


def test_an_id_that_comes_again_is_refused_and_an_original_is_kept_once(tmp_path: Path) -> None:
    edits = [{"id": "a", "document": "It rained.", "summary": "Rain.", "edited": text} for text in ("Snow.", "Hail.")]
    edits[1]["id"] = "b"
    pairs = [*pairs_of(3, 2), {"id": "p1", "document": "Another.", "summary": "Other."}, *edits, edits[0]]
    out, refusals = Folder.at(str(tmp_path / "blocks")), Refusals()
    manifest = write_blocks(str(written(tmp_path / "in.jsonl", pairs)), out, refusals)
    ids = sorted(item.example.id for block in items_of(out) for item in block)
    assert ids == ["a", "a/edited", "b", "b/edited", "p0", "p1", "p2"]
    assert (manifest.pairs, manifest.refused, refusals.number) == (7, 2, 2)
    assert "'p1' is on line 2 of in.jsonl already" in " ".join(one.error for one in refusals.first)


def test_the_command_names_broken_lines_and_never_writes_over_blocks(tmp_path: Path) -> None:
    source = written(tmp_path / "in.jsonl", [*pairs_of(3, 1), {"id": "x", "document": "D.", "summary": " "}])
    done = run("blocks", source, tmp_path / "out")
    assert (done.exit_code, json.loads(done.stdout)["pairs"]) == (2, 3)
    assert "in.jsonl, line 4: The summary is empty" in done.stderr
    for arguments, message in (
        ((source, tmp_path / "out"), "holds blocks already"),
        ((tmp_path / "no.jsonl", tmp_path / "new"), "There is no file"),
    ):
        with pytest.raises(TouchstoneError, match=message):
            raise run("blocks", *arguments).exception or AssertionError("nothing was raised")


def test_shards_are_all_blocks_each_once() -> None:
    names = [str(n) for n in range(11)]
    shards = [Shard(number, 4).of(names) for number in range(4)]
    assert sorted(name for shard in shards for name in shard) == sorted(names)
    assert {len(shard) for shard in shards} == {2, 3}
