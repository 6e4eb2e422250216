"""Attention prepared at load gives what transformers gives, and projects no position again."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import Tensor
from transformers import DebertaConfig, DebertaModel, DebertaV2Config, DebertaV2Model, T5Config, T5EncoderModel
from transformers.models.t5 import modeling_t5

from core.models.networks.attention import FixedPositions, prepare_attention

LENGTHS = (1, 7, 24)
SIZE = {"vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 48}
DISENTANGLED = {
    **SIZE,
    "relative_attention": True,
    "pos_att_type": ["c2p", "p2c"],
    "max_position_embeddings": 32,
    "position_biased_input": False,
    "type_vocab_size": 0,
}
NETWORKS = {
    "v3": lambda: DebertaV2Model(
        DebertaV2Config(**DISENTANGLED, position_buckets=8, norm_rel_ebd="layer_norm", share_att_key=True)
    ),
    "v2 without buckets": lambda: DebertaV2Model(DebertaV2Config(**DISENTANGLED)),
    "fewer positions than tokens": lambda: DebertaModel(DebertaConfig(**DISENTANGLED, max_relative_positions=10)),
    "v1": lambda: DebertaModel(DebertaConfig(**DISENTANGLED)),
    "one way": lambda: DebertaModel(DebertaConfig(**{**DISENTANGLED, "pos_att_type": ["p2c"]})),
    "no distances": lambda: DebertaV2Model(DebertaV2Config(**{**DISENTANGLED, "relative_attention": False})),
}


@pytest.fixture
def texts() -> tuple[Tensor, Tensor]:
    """A batch of texts of these lengths, and its mask."""
    ids = torch.randint(1, 50, (len(LENGTHS), max(LENGTHS)), generator=torch.Generator().manual_seed(0))
    mask = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS)[:, None]
    return ids * mask, mask.long()


@pytest.mark.parametrize("name", NETWORKS)
def test_distances_projected_at_load_change_no_state(name: str, texts: tuple[Tensor, Tensor]) -> None:
    torch.manual_seed(1)
    plain = NETWORKS[name]().eval()
    for weight in plain.parameters():  # as random as trained weights are: zero biases would hide one that is lost
        torch.nn.init.normal_(weight, std=0.2)
    prepared = prepare_attention(copy.deepcopy(plain))
    ids, mask = texts
    with torch.inference_mode():
        wanted, found = (network(ids, attention_mask=mask).last_hidden_state for network in (plain, prepared))
    torch.testing.assert_close(found[mask.bool()], wanted[mask.bool()], atol=1e-5, rtol=0)
    assert found.isfinite().all()  # what stands in the padding would else spoil the text in the next layer


def test_no_text_projects_the_table_of_distances(texts: tuple[Tensor, Tensor]) -> None:
    network = prepare_attention(NETWORKS["v3"]().eval())
    rows_read = []
    for layer in network.encoder.layer:
        assert isinstance(layer.attention.self, FixedPositions)
        layer.attention.self.plain.key_proj.register_forward_hook(
            lambda _, inputs, __: rows_read.append(inputs[0].shape)
        )
    ids, mask = texts
    network(ids, attention_mask=mask)
    assert [tuple(shape[:2]) for shape in rows_read] == [tuple(ids.shape)] * SIZE["num_hidden_layers"]


def test_a_t5_lays_its_position_bias_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    network = T5EncoderModel(T5Config(vocab_size=50, d_model=32, d_kv=8, d_ff=48, num_layers=3, num_heads=4)).eval()
    given = []
    attend = modeling_t5.ALL_ATTENTION_FUNCTIONS["sdpa"]

    def watch(*args: Tensor, position_bias: Tensor, **options: object) -> object:
        given.append((position_bias.data_ptr(), position_bias.is_contiguous()))
        return attend(*args, position_bias=position_bias, **options)

    monkeypatch.setitem(modeling_t5.ALL_ATTENTION_FUNCTIONS, "sdpa", watch)
    prepare_attention(network)(torch.arange(1, 20)[None])
    assert len(given) == 3
    assert len(set(given)) == 1
    assert given[0][1]
