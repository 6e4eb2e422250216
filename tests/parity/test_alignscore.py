"""Our AlignScore is that of its definition, one pair at a time with plain transformers, and reads only honest files."""

from __future__ import annotations

import pickle
import shutil
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import torch
from huggingface_hub import constants
from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaModel

from core.errors import BadSettingError, LoadError, MissingWeightsError, UnscorableError
from core.model_reference import Checkpoint
from core.models.adapters import alignscore as align
from core.models.model_pool import ModelPool
from core.models.weights.integrity import Fingerprints
from core.models.weights.locations import ModelStatus, locate, state_on_disk
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.metrics.alignscore import chunks
from core.settings import Settings
from core.text.segmentation import sentences
from core.types import Example, Failure, Question, Result, Score
from tests.drive import drive, model
from tests.parity.texts import LONG_SENTENCE, PAIR_CASES, PAIRS
from tests.parity.tiny_entailment import alignscore
from tests.tiny import TEXT
from tests.unit.core.models.hub import Hub, serving

pytestmark = pytest.mark.parity

HEADS = {"nli": ("tri_layer", 0), "bin": ("bin_layer", 1), "reg": ("reg_layer", 0)}
TOLERANCES = {"nli": 1e-5, "bin": 1e-5, "reg": 1e-4}  # the last is no probability: its numbers go into the tens


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return alignscore(tmp_path_factory.mktemp("tiny") / "align")


@cache
def asking(folder: Path, head: str) -> Callable[[str, str], float]:
    """The probability that a chunk and a sentence are aligned, from the weights in the file and nothing else."""
    state = torch.load(folder / "tiny.ckpt", weights_only=True)["state_dict"]
    network = RobertaModel(RobertaConfig.from_pretrained(folder)).eval()
    body = {name.removeprefix("base_model."): tensor for name, tensor in state.items() if "base_model." in name}
    body.pop("embeddings.position_ids")
    network.load_state_dict(body)
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"), pad_token="<pad>")
    layer, index = HEADS[head]

    def ask(chunk: str, sentence: str) -> float:
        length = len(tokenizer([sentence], add_special_tokens=False)["input_ids"][0])
        ids = tokenizer(
            [chunk],
            [sentence],
            truncation="only_first" if length < 508 else "longest_first",
            padding="max_length",
            max_length=512,
            return_tensors="pt",
        )
        with torch.no_grad():
            pooled = network(input_ids=ids["input_ids"], attention_mask=ids["attention_mask"]).pooler_output[0]
        logits = state[f"{layer}.weight"] @ pooled + state[f"{layer}.bias"]
        return float((logits if head == "reg" else logits.softmax(-1))[index])

    return ask


def expected_chunks(document: str) -> list[str]:
    """Metrics-core 1.4, word for word."""
    found = [span.of(document) for span in sentences(document)] or [""]
    parts = len(document.strip().split()) // 350 + 1
    step = max(len(found) // parts, 1)
    return [" ".join(found[start : start + step]) for start in range(0, len(found), step)]


def expected(folder: Path, pair: tuple[str, str], head: str) -> list[float]:
    ask = asking(folder, head)
    claims = [span.of(pair[1]) for span in sentences(pair[1])]
    return [max(ask(chunk, claim) for chunk in expected_chunks(pair[0])) for claim in claims]


def scored(folder: Path, pair: tuple[str, str], mode: str = "nli_sp") -> Score:
    spec = f"alignscore-base[checkpoint={folder / 'tiny.ckpt'},backbone={folder},mode={mode}]"
    return drive(METRICS.parse(spec).rounds(Example("pair", *pair)))


@pytest.mark.parametrize("pair", PAIR_CASES)
@pytest.mark.parametrize("head", HEADS)
def test_chunks_and_sentences_score_as_defined(folder: Path, head: str, pair: tuple[str, str]) -> None:
    score = scored(folder, pair, f"{head}_sp")
    each = expected(folder, pair, head)
    assert [part.score for part in score.parts] == pytest.approx(each, abs=TOLERANCES[head])
    assert score.value == pytest.approx(sum(each) / len(each), abs=TOLERANCES[head])


@pytest.mark.parametrize("pair", PAIR_CASES)
@pytest.mark.parametrize("head", HEADS)
def test_whole_texts_score_as_defined(folder: Path, head: str, pair: tuple[str, str]) -> None:
    assert scored(folder, pair, head).value == pytest.approx(asking(folder, head)(*pair), abs=TOLERANCES[head])


@pytest.mark.slow
def test_the_tiny_model_tells_the_pairs_apart(folder: Path) -> None:
    values = [scored(folder, pair, mode).value for pair in PAIRS.values() for mode in ("nli_sp", "bin_sp")]
    assert max(values) - min(values) > 0.5


def test_one_long_sentence_is_one_chunk() -> None:
    assert len(chunks("word " * 400)) == 1


@pytest.mark.parametrize(("words", "lengths"), [(4, [70]), (5, [35, 35]), (6, [35, 35]), (25, [11] * 6 + [4])])
def test_chunks_are_balanced_in_sentences(words: int, lengths: list[int]) -> None:
    document = " ".join(["Rain" + " fell" * (words - 2) + " here."] * 70)
    assert [len(sentences(chunk.text)) for chunk in chunks(document)] == lengths


def test_exactly_350_words_make_two_chunks() -> None:
    assert len(chunks("A lamp was lit again. " * 70)) == 2
    assert len(chunks("A lamp was lit again. " * 69)) == 1


def test_a_document_without_a_sentence_is_an_empty_chunk(folder: Path) -> None:
    score = scored(folder, ("", "It rained."))
    assert score.value == pytest.approx(asking(folder, "nli")("", "It rained."), abs=1e-5)
    assert score.seen.pieces == ()


def test_an_empty_summary_is_refused(folder: Path) -> None:
    with pytest.raises(UnscorableError, match="nothing to compare"):
        scored(folder, (TEXT, " \n"))


@pytest.mark.parametrize("length", [505, 506, 507, 508, 509, 600])
@pytest.mark.parametrize("document", ["", "Rain fell on the roof of the old house.", LONG_SENTENCE])
def test_the_claim_is_cut_only_where_it_leaves_no_room(folder: Path, document: str, length: int) -> None:
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    claim = "1" * length
    assert len(tokenizer([claim], add_special_tokens=False)["input_ids"][0]) == length
    score = scored(folder, (document, claim))
    assert score.value == pytest.approx(asking(folder, "nli")(document, claim), abs=1e-5)


def test_a_long_claim_does_not_change_its_neighbour_in_a_batch(folder: Path) -> None:
    checkpoint = Checkpoint(str(folder / "tiny.ckpt"), "alignscore", backbone=str(folder))
    claims = ["1" * 300, "1" * 700]
    questions = [Question(checkpoint, (LONG_SENTENCE, claim), (("head", "nli"),)) for claim in claims]
    loaded = model(checkpoint)
    together = [answer.values[0] for answer in loaded.forward(loaded.encode(questions))]
    assert together == pytest.approx([asking(folder, "nli")(LONG_SENTENCE, claim) for claim in claims], abs=1e-5)


def test_evidence_is_the_chunk_as_it_stands_in_the_document(folder: Path) -> None:
    document = "  Rain fell.\n\nIt  stopped. " + "The lamp was lit. " * 200
    score = scored(folder, (document, "It rained."))
    texts = [piece.of(document) for piece in score.seen.pieces]
    assert texts[0].startswith("  Rain fell.\n\nIt  stopped. The lamp")
    assert "".join(texts).count("The lamp was lit.") == 200
    assert score.parts[0].evidence in score.seen.pieces


def test_what_was_cut_is_noted(folder: Path) -> None:
    score = scored(folder, PAIRS["a 600-word sentence"])
    assert score.seen.notes[0].startswith("Claim 1: up to ")


def test_modes_that_do_not_exist_are_refused(folder: Path) -> None:
    with pytest.raises(BadSettingError, match="nli_sp, nli, bin_sp, bin, reg_sp, reg"):
        scored(folder, PAIRS["short"], "tri_sp")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = Engine.open(Settings(device="cpu", memory="2GB", cache_dir=tmp_path / "cache"))
    yield opened
    opened.close()


def test_an_edited_sentence_is_asked_once_per_chunk(folder: Path, engine: Engine) -> None:
    metric = METRICS.parse(f"alignscore-base[checkpoint={folder / 'tiny.ckpt'},backbone={folder}]")
    document = " ".join(f"Boat {number} landed {number % 7} tonnes." for number in range(200))
    summary = "Boat 3 landed three tonnes. Boat 9 sank. Nobody drowned."
    texts = [summary, summary, summary.replace("Nobody", "Somebody")]
    results = [found for text in texts for _, found in engine.run([metric], [Example("a", document, text)])]
    rows = len(chunks(document))
    assert [result.counts.asked for result in results if isinstance(result, Result)] == [3 * rows, 0, rows]
    assert isinstance(results[0], Result)
    assert results[0].score == pytest.approx(sum(expected(folder, (document, summary), "nli")) / 3, abs=1e-5)


def test_the_signature_names_weights_and_no_path(folder: Path, engine: Engine) -> None:
    metric = METRICS.parse(f"alignscore-base[checkpoint={folder / 'tiny.ckpt'},backbone={folder}]")
    [(_, result)] = engine.run([metric], [Example("a", *PAIRS["short"])])
    assert isinstance(result, Result)
    assert str(folder) not in result.signature


def test_a_folder_with_one_file_stands_for_the_file(folder: Path) -> None:
    assert locate(Checkpoint(str(folder), "alignscore", backbone=str(folder))) == folder / "tiny.ckpt"


def test_a_backbone_that_is_not_here_is_downloaded_and_a_missing_file_is_not(folder: Path) -> None:
    here = Checkpoint(str(folder / "tiny.ckpt"), "alignscore", backbone="owner/backbone")
    assert state_on_disk(here).status is ModelStatus.NEEDS_DOWNLOAD
    assert state_on_disk(replace(here, backbone=str(folder))).status is ModelStatus.COLD
    assert state_on_disk(replace(here, source=str(folder / "other.ckpt"))).status is ModelStatus.FAILED
    with pytest.raises(MissingWeightsError, match="set backbone= to that folder"):
        locate(here)


def test_the_hash_rests_on_weights_and_backbone_and_not_on_names(folder: Path, tmp_path: Path) -> None:
    hashes = Fingerprints(tmp_path / "cache")
    copy = shutil.copytree(folder, tmp_path / "copy")
    before = hashes.of(Checkpoint(str(folder / "tiny.ckpt"), "alignscore", backbone=str(folder)))
    (copy / "tiny.ckpt").rename(copy / "renamed.ckpt")
    moved = Checkpoint(str(copy / "renamed.ckpt"), "alignscore", backbone=str(copy))
    assert hashes.of(moved) == before
    (copy / "tokenizer.json").write_text((copy / "tokenizer.json").read_text() + " ")
    assert hashes.of(moved) != before


def test_only_the_file_and_the_words_of_its_backbone_are_downloaded(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = shutil.copytree(folder, tmp_path / "repository")
    (repository / "other.ckpt").write_bytes(b"the larger model")
    (repository / "model.safetensors").write_bytes(b"the weights of the backbone")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    pool = ModelPool("cpu", None, tmp_path / "cache")
    checkpoint = Checkpoint("owner/name/tiny.ckpt", "alignscore", backbone="owner/name")
    with serving(Hub(repository)) as hub:
        monkeypatch.setattr(constants, "ENDPOINT", hub.address)
        address = hub.address + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", address)
        assert pool.state(checkpoint).status is ModelStatus.NEEDS_DOWNLOAD
        pool.fetch(checkpoint)
        state = pool.wait_for(checkpoint, {ModelStatus.READY, ModelStatus.FAILED}, 60)
        assert state.status is ModelStatus.READY, state
        assert hub.asked == {"tiny.ckpt", "config.json", "tokenizer.json"}
    pool.close()


Change = Callable[[dict[str, object]], object]


def loaded_after(folder: Path, tmp_path: Path, change: Change) -> align.AlignScoreModel:
    content = torch.load(folder / "tiny.ckpt", weights_only=True)
    torch.save(change(content), tmp_path / "changed.ckpt")
    checkpoint = Checkpoint(str(tmp_path / "changed.ckpt"), "alignscore", backbone=str(folder))
    return align.load(locate(checkpoint), checkpoint, "cpu")


def without(prefix: str) -> Change:
    def change(content: dict[str, object]) -> object:
        state = content["state_dict"]
        assert isinstance(state, OrderedDict)
        kept = OrderedDict((name, tensor) for name, tensor in state.items() if not name.startswith(prefix))
        return {**content, "state_dict": kept}

    return change


@pytest.mark.parametrize("name", ["base_model.pooler.dense", "tri_layer", "bin_layer", "base_model.encoder.layer.1"])
def test_a_file_without_a_needed_layer_is_refused(folder: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(LoadError, match=name.removeprefix("base_model.")):
        loaded_after(folder, tmp_path, without(name))


@pytest.mark.parametrize("name", ["mlm_head", "reg_layer", "base_model.embeddings.position_ids"])
def test_a_file_without_what_is_not_needed_is_read(folder: Path, tmp_path: Path, name: str) -> None:
    assert loaded_after(folder, tmp_path, without(name)).nbytes > 0


@pytest.mark.parametrize("change", [lambda _: [1], lambda content: {"weights": content["state_dict"]}])
def test_a_file_without_weights_is_refused(folder: Path, tmp_path: Path, change: Change) -> None:
    with pytest.raises(LoadError, match="no state_dict"):
        loaded_after(folder, tmp_path, change)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"text"])
def test_a_broken_file_is_a_load_error(folder: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "broken.ckpt").write_bytes(content)
    checkpoint = Checkpoint(str(tmp_path / "broken.ckpt"), "alignscore", backbone=str(folder))
    with pytest.raises(LoadError, match="not a readable file of weights"):
        align.load(locate(checkpoint), checkpoint, "cpu")


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (Path.touch, (Path("evil"),))  # type: ignore[return-value]  # any callable may stand here


def test_a_file_that_would_run_code_is_refused(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    torch.save({"state_dict": {}, "callbacks": Evil()}, tmp_path / "evil.ckpt", pickle_module=pickle)
    checkpoint = Checkpoint(str(tmp_path / "evil.ckpt"), "alignscore", backbone=str(folder))
    with pytest.raises(LoadError, match="not a readable file of weights"):
        align.load(locate(checkpoint), checkpoint, "cpu")
    assert not Path("evil").exists()


def test_a_folder_of_another_model_spoils_only_its_own_cell(folder: Path, tiny_deberta: Path, engine: Engine) -> None:
    broken = METRICS.parse(f"alignscore-base[checkpoint={folder / 'tiny.ckpt'},backbone={tiny_deberta}]")
    whole = METRICS.parse(f"alignscore-base[checkpoint={folder / 'tiny.ckpt'},backbone={folder}]")
    outcomes = [found for _, found in engine.run([broken, whole], [Example("a", *PAIRS["short"])])]
    assert isinstance(outcomes[0], Failure)
    assert "Set backbone= to a RoBERTa" in outcomes[0].error
    assert isinstance(outcomes[1], Result)
