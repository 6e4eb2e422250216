"""Our arcs are those of the stated rules, and their probabilities those of the definition, with plain transformers."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tokenizers import BertWordPieceTokenizer
from torch import Tensor
from transformers import ElectraConfig, ElectraModel

from core.errors import BadSettingError, LoadError, MissingWeightsError, UnscorableError
from core.model_reference import Checkpoint
from core.models.adapters import corenlp_parses
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.metrics.dae import DROPPED_RELATIONS, judged_arcs
from core.settings import Settings
from core.types import Answer, Example, Result, Score, Span
from tests.drive import answer as asked
from tests.drive import drive
from tests.parity.texts import LONG, PAIRS
from tests.parity.tiny_tokens import Rules, Words, dae, parsed
from tests.parity.toy_parser import parser

pytestmark = pytest.mark.parity


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return dae(tmp_path_factory.mktemp("tiny") / "dae")


def spec(folder: Path, settings: str = "") -> str:
    return f"dae-spacy[checkpoint={folder}{settings}]"


def ours(folder: Path, pair: tuple[str, str], settings: str = "") -> Score:
    """The conversation, with the parse by rules."""
    rounds = METRICS.parse(spec(folder, settings)).rounds(Example("pair", *pair))
    questions = next(rounds)
    try:
        while True:
            replies = [
                Rules.answer(question.inputs[0]) if question.checkpoint.kind == "dependency_parse" else asked(question)
                for question in questions
            ]
            questions = rounds.send(replies)
    except StopIteration as end:
        score: Score = end.value
        return score


class Authors:
    """Metrics-more 2, generation B, one pair at a time."""

    def __init__(self, folder: Path) -> None:
        tensors = load_file(folder / "model.safetensors")
        self.network = ElectraModel(ElectraConfig.from_pretrained(folder)).eval()
        self.network.load_state_dict(
            {n.removeprefix("electra."): t for n, t in tensors.items() if n.startswith("electra.")}
        )
        self.weight, self.bias = (tensors[f"dep_label_classifier.{name}"] for name in ("weight", "bias"))
        self.tokenizer = BertWordPieceTokenizer(str(folder / "vocab.txt"), lowercase=True)
        self.cls, self.sep = (self.tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))

    def arcs(self, pair: tuple[str, str], limit: int = 512) -> list[float]:
        words = [row for row in parsed(pair[1]) if row[0].strip()]
        all_words = parsed(pair[1])
        first = [self.cls, *(i for word, *_ in parsed(pair[0]) if word.strip() for i in self.pieces(word))]
        second = [self.sep]
        last: dict[int, int] = {}
        for number, (word, *_) in enumerate(words):
            second += self.pieces(word)
            last[number] = len(first) + len(second) - 1
        second.append(self.sep)
        if len(first) + len(second) > limit:
            extra = len(first) + len(second) - limit + 2
            first = first[:-extra]
            last = {number: place - extra for number, place in last.items()}
        with torch.no_grad():
            states = self.network(input_ids=torch.tensor([first + second])).last_hidden_state[0]
            return [
                float(
                    self.logits(states[last[words.index(all_words[child])]], states[last[words.index(all_words[head])]])
                )
                for child, head in self.kept(all_words)
            ]

    def logits(self, child: Tensor, head: Tensor) -> Tensor:
        return (self.weight @ torch.cat([child, head]) + self.bias).softmax(-1)[1]

    def pieces(self, word: str) -> list[int]:
        return list(self.tokenizer.encode(word.lower(), add_special_tokens=False).ids)

    def kept(self, words: Words) -> list[tuple[int, int]]:
        """Relations that stay, a noun hung on what its preposition depends on, and the first 20 of these."""
        found = []
        for child, (text, _, label, head) in enumerate(words):
            if label in {"det", "punct", "aux", "prep"} or not text.strip():
                continue
            while words[head][2] == "prep" and words[head][3] != head:
                head = words[head][3]
            if head != child and words[head][0].strip():
                found.append((child, head))
        return found[:20]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


# the long claims leave the document no room
SCORED = {name: pair for name, pair in PAIRS.items() if name not in {"a long claim", "a long claim after a long chunk"}}


@pytest.mark.parametrize(
    "pair",
    [pytest.param(pair, id=name, marks=pytest.mark.slow if name in LONG else ()) for name, pair in SCORED.items()],
)
def test_the_score_is_as_defined(folder: Path, pair: tuple[str, str]) -> None:
    assert ours(folder, pair).value == pytest.approx(mean(Authors(folder).arcs(pair)), abs=1e-5)


@pytest.mark.slow
def test_the_tiny_model_tells_the_pairs_apart(folder: Path) -> None:
    values = [mean(Authors(folder).arcs(pair)) for pair in SCORED.values()]
    assert max(values) - min(values) > 0.1


def test_a_long_document_is_cut_by_two_tokens_more_than_needed(folder: Path) -> None:
    score = ours(folder, PAIRS["several chunks"])
    assert score.seen.tokens == 510
    assert score.seen.notes[0] == f"{score.seen.cut} tokens at the end of the document were not read."


def test_a_small_limit_cuts_as_the_authors_do(folder: Path) -> None:
    pair = PAIRS["ordinary"]
    assert ours(folder, pair, ",max_tokens=128").value == pytest.approx(mean(Authors(folder).arcs(pair, 128)), abs=1e-5)


def test_only_the_first_twenty_arcs_count_and_that_is_said(folder: Path) -> None:
    document, claim = "Rain fell.", "The old court held that the tenant may keep a big dog " * 4
    score = ours(folder, (document, claim))
    judged = Authors(folder).arcs((document, claim))
    assert len(judged) == 20
    assert score.value == pytest.approx(mean(judged), abs=1e-5)
    assert score.seen.notes[-1].startswith("20 arcs were judged; what follows “")


def test_child_and_head_are_not_exchangeable(folder: Path) -> None:
    authors, pair = Authors(folder), PAIRS["ordinary"]
    right = mean(authors.arcs(pair))
    kept = authors.kept
    authors.kept = lambda words: [(head, child) for child, head in kept(words)]  # type: ignore[method-assign]
    assert abs(mean(authors.arcs(pair)) - right) > 1e-3
    assert ours(folder, pair).value == pytest.approx(right, abs=1e-5)


def test_a_part_is_the_mean_over_the_arcs_of_its_sentence(folder: Path) -> None:
    document, summary = PAIRS["ordinary"][0], "The harbour was closed. Nobody was hurt."
    authors = Authors(folder)
    words, second = parsed(summary), summary.index("Nobody")
    judged = list(zip(authors.kept(words), authors.arcs((document, summary)), strict=True))
    expected = [
        mean([share for (child, _), share in judged if (words[child][1].start >= second) is later])
        for later in (False, True)
    ]
    assert [part.score for part in ours(folder, (document, summary)).parts] == pytest.approx(expected, abs=1e-5)


def test_relations_on_the_list_are_left_out_and_prepositions_stepped_over() -> None:
    words = "The ferry sailed out of the port .".split()
    labels = ["det", "nsubj", "ROOT", "prep", "prep", "det", "pobj", "punct"]
    heads = [1, 2, 2, 2, 3, 6, 4, 2]
    found = judged_arcs([Span(i, i + 1) for i in range(len(words))], labels, heads)
    assert [(words[arc.child], words[arc.head]) for arc in found] == [("ferry", "sailed"), ("port", "sailed")]


def test_a_summary_without_arcs_is_refused(folder: Path) -> None:
    with pytest.raises(UnscorableError, match="no two words of the summary that depend"):
        ours(folder, ("Rain fell.", "Rain"))


def test_a_summary_that_leaves_no_room_is_refused(folder: Path) -> None:
    with pytest.raises(UnscorableError, match=r"The summary has \d+ tokens, which leaves no room"):
        ours(folder, ("Rain fell.", PAIRS["a long claim"][1]))


def test_a_limit_out_of_range_is_refused() -> None:
    with pytest.raises(BadSettingError, match="64 to 512; got 600"):
        METRICS.parse("dae-spacy[max_tokens=600]")


def test_an_edit_parses_and_reads_the_summary_again_and_the_same_text_asks_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "core.models.adapters.dependency_parse", Rules("arcs"))
    engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path / "cache"))
    metric = METRICS.parse(spec(folder, f",parser={parser(tmp_path / 'parser')}"))
    results = []
    document, summary = PAIRS["ordinary"]
    for text in (summary, summary, summary.replace("Nobody", "Somebody")):
        [(_, result)] = engine.run([metric], [Example("pair", document, text)])
        assert isinstance(result, Result), result
        results.append(result)
    engine.close()
    assert [result.counts.asked for result in results] == [3, 0, 2]


def test_spacy_is_asked_for_words_and_heads(monkeypatch: pytest.MonkeyPatch) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    monkeypatch.delitem(
        sys.modules, "core.models.adapters.dependency_parse", raising=False
    )  # the contract tests put rules in its place
    from core.models.adapters.dependency_parse import DependencyParser

    def pipeline(text: str) -> object:
        words = spacy.blank("en").make_doc(text)
        return spacy.tokens.Doc(
            words.vocab,
            [word.text for word in words],
            [bool(word.whitespace_) for word in words],
            heads=[1, 1, 1],
            deps=["nsubj", "ROOT", "punct"],
        )

    model = DependencyParser(pipeline, 0)  # type: ignore[arg-type]  # spaCy tells no types here
    [row] = model.encode([METRICS.parse("dae-spacy").rounds(Example("pair", "x", "Rain fell.")).send(None)[1]])
    [answer] = model.forward([row])
    assert answer == Answer((1.0, 1.0, 1.0), (Span(0, 4), Span(5, 9), Span(9, 10)), ("nsubj", "ROOT", "punct"))


def corenlp(text: str, *arcs: tuple[str, int, int]) -> dict[str, object]:
    """CoreNLP's JSON of a text of one sentence: its words at blanks, and arcs of a relation, a governor and a dependent."""
    words = [*text.removesuffix(".").split(" "), "."]
    tokens = [
        {"word": word, "originalText": word, "before": "", "after": "" if number >= len(words) - 1 else " "}
        for number, word in enumerate(words, 1)
    ]
    enhanced = [{"dep": dep, "governor": governor, "dependent": dependent} for dep, governor, dependent in arcs]
    return {"sentences": [{"tokens": tokens, "enhancedDependencies": enhanced}]}


def corenlp_spec(folder: Path, file: Path, *parses: object) -> str:
    file.write_text("".join(f"{json.dumps(parse)}\n" for parse in parses), encoding="utf-8")
    return f"dae[checkpoint={folder},parses={file}]"


def test_the_arcs_of_corenlp_are_judged_in_its_order_with_several_heads_of_a_word(folder: Path, tmp_path: Path) -> None:
    document, summary = "Ana 😀 left Oslo.", "Ana 😀 and Ben left Oslo."
    arcs = [
        ("ROOT", 0, 5),
        ("nsubj", 5, 1),
        ("cc", 1, 3),
        ("conj:and", 1, 4),
        ("nsubj", 5, 4),
        ("dobj", 5, 6),
        ("punct", 5, 7),
    ]
    metric = METRICS.parse(corenlp_spec(folder, tmp_path / "p.jsonl", corenlp(document), corenlp(summary, *arcs)))
    score = drive(metric.rounds(Example("a", document, summary)))
    authors = Authors(folder)
    words = [
        [authors.pieces(word) for word in text[:-1].split(" ")] + [authors.pieces(".")] for text in (document, summary)
    ]
    first = [authors.cls, *(piece for pieces in words[0] for piece in pieces)]
    second, last = [authors.sep], []
    for pieces in words[1]:
        second += pieces
        last.append(len(first) + len(second) - 1)
    with torch.no_grad():
        states = authors.network(input_ids=torch.tensor([[*first, *second, authors.sep]])).last_hidden_state[0]
        judged = [
            float(authors.logits(states[last[child - 1]], states[last[head - 1]]))
            for dep, head, child in arcs
            if dep not in DROPPED_RELATIONS
        ]
    assert len(judged) == 5
    assert score.value == pytest.approx(mean(judged), abs=1e-6)


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        "[]",
        "{",
        json.dumps({"sentences": [{"tokens": [{"word": "Rain"}], "enhancedDependencies": []}], "text": "Snow"}),
        json.dumps(corenlp("It rained.", ("nsubj", 2, 9))),
    ],
)
def test_a_line_that_is_no_parse_is_named(folder: Path, tmp_path: Path, line: str) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text(f"{json.dumps(corenlp('It rained.'))}\n{line}\n", encoding="utf-8")
    _, grammar = METRICS.parse(f"dae[checkpoint={folder},parses={file}]").checkpoints()
    assert isinstance(grammar, Checkpoint)
    with pytest.raises(LoadError, match=r"p\.jsonl, line 2: this is no JSON of CoreNLP"):
        corenlp_parses.load(file, grammar, "cpu")


def test_a_text_without_a_parse_has_no_score_and_without_a_file_it_is_said(folder: Path, tmp_path: Path) -> None:
    metric = METRICS.parse(corenlp_spec(folder, tmp_path / "p.jsonl", corenlp("It rained.")))
    with pytest.raises(UnscorableError, match="has none of the text that begins “It snowed"):
        drive(metric.rounds(Example("a", "It rained.", "It snowed.")))
    for named, message in {
        "": r"No file is named\. Set parses=",
        ",parses=none.jsonl": r"no file '\./none\.jsonl'\. Set parses=",
    }.items():
        with pytest.raises(MissingWeightsError, match=message):
            drive(METRICS.parse(f"dae[checkpoint={folder}{named}]").rounds(Example("a", "It rained.", "It snowed.")))
