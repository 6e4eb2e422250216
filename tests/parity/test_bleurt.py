"""Our BLEURT scores are those of the PyTorch port's definition, written out layer by layer."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from sentencepiece import SentencePieceProcessor
from torch import Tensor
from torch.nn.functional import embedding, gelu, layer_norm, linear

from core.errors import BadSettingError, LoadError
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Example, Result
from tests.drive import drive
from tests.parity.texts import PAIR_CASES, PAIRS
from tests.parity.tiny_tokens import bleurt

pytestmark = pytest.mark.parity

LAYERS, HEADS = 3, 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bleurt(tmp_path_factory.mktemp("tiny") / "bleurt")


class Port:
    """BLEURT by its definition: RemBERT's arithmetic on the tensors of the file, one pair at a time."""

    def __init__(self, folder: Path, tanh: bool = False) -> None:
        self.w: dict[str, Tensor] = torch.load(folder / "pytorch_model.bin", weights_only=True)
        self.spm = SentencePieceProcessor(model_file=str(folder / "spm.model"))
        self.approximate = "tanh" if tanh else "none"

    def score(self, reference: str, candidate: str) -> float:
        left, right = self.pieces(reference), self.pieces(candidate)
        while len(left) + len(right) > 512 - 3:
            (left if len(left) > len(right) else right).pop()
        cls, sep = self.spm.piece_to_id("[CLS]"), self.spm.piece_to_id("[SEP]")
        ids = torch.tensor([cls, *left, sep, *right, sep])
        types = torch.tensor([0] * (len(left) + 2) + [1] * (len(right) + 1))
        with torch.no_grad():
            return float(self.head(ids, types))

    def pieces(self, text: str) -> list[int]:
        """A special token written in the text is one, as in the port's tokenizer."""
        for token in ("[CLS]", "[SEP]"):
            if token in text:
                before, after = text.split(token, 1)
                return [*self.pieces(before), self.spm.piece_to_id(token), *self.pieces(after)]
        return list(self.spm.encode(text))

    def head(self, ids: Tensor, types: Tensor) -> Tensor:
        table = "bleurt.embeddings."
        x = embedding(ids, self.w[f"{table}word_embeddings.weight"])
        x = x + self.w[f"{table}token_type_embeddings.weight"][types]
        x = self.norm(f"{table}LayerNorm", x + self.w[f"{table}position_embeddings.weight"][: len(ids)])
        x = self.dense("bleurt.encoder.embedding_projection", x)
        for number in range(LAYERS):
            x = self.layer(f"bleurt.encoder.layer.{number}.", x)
        return self.dense("classifier", torch.tanh(self.dense("bleurt.pooler.dense", x[0])))

    def layer(self, name: str, x: Tensor) -> Tensor:
        width = x.shape[1] // HEADS
        asked, keys, values = (
            self.dense(f"{name}attention.self.{part}", x).view(-1, HEADS, width).transpose(0, 1)
            for part in ("query", "key", "value")
        )
        shares = (asked @ keys.transpose(1, 2) / math.sqrt(width)).softmax(-1)
        context = (shares @ values).transpose(0, 1).reshape(len(x), -1)
        x = self.norm(f"{name}attention.output.LayerNorm", x + self.dense(f"{name}attention.output.dense", context))
        inner = gelu(self.dense(f"{name}intermediate.dense", x), approximate=self.approximate)
        return self.norm(f"{name}output.LayerNorm", x + self.dense(f"{name}output.dense", inner))

    def dense(self, name: str, x: Tensor) -> Tensor:
        return linear(x, self.w[f"{name}.weight"], self.w[f"{name}.bias"])

    def norm(self, name: str, x: Tensor) -> Tensor:
        return layer_norm(x, (x.shape[-1],), self.w[f"{name}.weight"], self.w[f"{name}.bias"], eps=1e-12)


def ours(folder: Path, pair: tuple[str, str]) -> float:
    return drive(METRICS.parse(f"bleurt-20[checkpoint={folder}]").rounds(Example("pair", *pair))).value


@pytest.mark.parametrize("pair", PAIR_CASES)
def test_the_score_is_as_defined(folder: Path, pair: tuple[str, str]) -> None:
    assert ours(folder, pair) == pytest.approx(Port(folder).score(*pair), abs=1e-5)


@pytest.mark.slow
def test_the_tiny_model_tells_the_pairs_apart(folder: Path) -> None:
    values = [Port(folder).score(*pair) for pair in PAIRS.values()]
    assert max(values) - min(values) > 0.1


def test_the_two_sides_are_not_exchangeable(folder: Path) -> None:
    document, summary = PAIRS["blank lines"]
    assert abs(ours(folder, (document, summary)) - ours(folder, (summary, document))) > 1e-3


def test_the_approximate_activation_of_the_first_code_would_be_noticed(folder: Path) -> None:
    pair = PAIRS["blank lines"]
    assert abs(ours(folder, pair) - Port(folder, tanh=True).score(*pair)) > 1e-5


def test_what_was_cut_is_noted(folder: Path) -> None:
    score = drive(METRICS.parse(f"bleurt-20[checkpoint={folder}]").rounds(Example("pair", *PAIRS["several chunks"])))
    assert score.seen.tokens == 512
    assert score.seen.notes == (f"{score.seen.cut} tokens at the end of the longer text were not read.",)


def test_a_limit_beyond_the_positions_is_refused() -> None:
    with pytest.raises(BadSettingError, match="16 to 512; got 600"):
        METRICS.parse("bleurt-20[max_tokens=600]")


def test_a_model_of_another_architecture_is_refused(tiny_roberta: Path, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for source, name in ((tiny_roberta, "config.json"), (tiny_roberta, "model.safetensors"), (folder, "spm.model")):
        (other / name).write_bytes((source / name).read_bytes())
    with pytest.raises(LoadError, match=r"holds no BLEURT-20 model"):
        ours(other, PAIRS["short"])


def test_an_edit_asks_once_and_the_same_text_again_asks_nothing(folder: Path, tmp_path: Path) -> None:
    engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))
    metric = METRICS.parse(f"bleurt-20[checkpoint={folder}]")
    pairs = [Example("pair", PAIRS["short"][0], text) for text in ("It rained.", "It rained.", "It snowed.")]
    results = [outcome for pair in pairs for _, outcome in engine.run([metric], [pair])]
    engine.close()
    assert [result.counts.asked for result in results if isinstance(result, Result)] == [1, 0, 1]
