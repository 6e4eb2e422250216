"""What no head reads is not computed, and what heads read is what transformers gives."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import AutoConfig, AutoModelForSequenceClassification, T5Config, T5ForConditionalGeneration

from core.models.networks.first_token import FirstTokenLayer, OneTokenAttention, read_first_token, write_one_token

LENGTHS = (1, 7, 24)
SIZE = {"vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 48}
KINDS = ("bert", "electra", "rembert", "roberta", "xlm-roberta")


@pytest.fixture
def texts() -> tuple[Tensor, Tensor]:
    """A batch of texts of these lengths, and its mask."""
    ids = torch.randint(3, 50, (len(LENGTHS), max(LENGTHS)), generator=torch.Generator().manual_seed(0))
    mask = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS)[:, None]
    return ids * mask, mask.long()


def make_classifier(kind: str) -> Any:
    torch.manual_seed(1)
    more = {"input_embedding_size": 16} if kind == "rembert" else {}
    network = AutoModelForSequenceClassification.from_config(AutoConfig.for_model(kind, **SIZE, pad_token_id=0, **more))
    for weight in network.parameters():  # zero biases would hide one that is lost
        torch.nn.init.normal_(weight, std=0.2)
    return network.eval()


def make_t5() -> T5ForConditionalGeneration:
    torch.manual_seed(1)
    shape = {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 3, "num_heads": 4}
    return T5ForConditionalGeneration(T5Config(vocab_size=50, **shape, decoder_start_token_id=0)).eval()


@pytest.mark.parametrize("kind", KINDS)
def test_one_row_of_the_last_layer_gives_the_same_logits(kind: str, texts: tuple[Tensor, Tensor]) -> None:
    plain = make_classifier(kind)
    shorter = read_first_token(copy.deepcopy(plain))
    ids, mask = texts
    for rows in (slice(None), slice(2, 3)):  # with padding, and without
        with torch.inference_mode():
            wanted, found = (network(ids[rows], attention_mask=mask[rows]).logits for network in (plain, shorter))
        assert torch.allclose(found, wanted, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_the_last_feed_forward_reads_one_row_of_each_text(kind: str, texts: tuple[Tensor, Tensor]) -> None:
    network = read_first_token(make_classifier(kind))
    last = network.base_model.encoder.layer[-1]
    assert isinstance(last, FirstTokenLayer)
    read = []
    last.plain.intermediate.register_forward_hook(lambda _, inputs, __: read.append(inputs[0].shape[:2]))
    network(texts[0], attention_mask=texts[1])
    assert read == [(len(LENGTHS), 1)]


def test_another_architecture_stays_as_it_is(texts: tuple[Tensor, Tensor]) -> None:
    config = AutoConfig.for_model("albert", **SIZE, embedding_size=16, pad_token_id=0)
    plain = AutoModelForSequenceClassification.from_config(config).eval()
    ids, mask = texts
    with torch.inference_mode():
        wanted = plain(ids, attention_mask=mask).logits
        assert torch.equal(read_first_token(plain)(ids, attention_mask=mask).logits, wanted)


def _first_states(network: T5ForConditionalGeneration, ids: Tensor, mask: Tensor) -> Tensor:
    with torch.inference_mode():
        read = network.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        written = torch.zeros((len(ids), 1), dtype=torch.long)
        decoder = network.decoder(
            input_ids=written, encoder_hidden_states=read, encoder_attention_mask=mask, use_cache=False
        )
        return decoder.last_hidden_state


def test_one_written_token_gives_the_same_states(texts: tuple[Tensor, Tensor]) -> None:
    plain = make_t5()
    shorter = write_one_token(copy.deepcopy(plain))
    ids, mask = texts
    for rows in (slice(None), slice(2, 3)):
        wanted, found = (_first_states(network, ids[rows], mask[rows]) for network in (plain, shorter))
        assert torch.allclose(found, wanted, atol=1e-5, rtol=1e-5)


def test_in_half_precision_the_error_is_that_of_the_plain_decoder(texts: tuple[Tensor, Tensor]) -> None:
    plain = make_t5()
    wanted = _first_states(plain, *texts)
    half = copy.deepcopy(plain).to(torch.bfloat16)
    shorter = write_one_token(copy.deepcopy(half))
    errors = [float((_first_states(network, *texts).float() - wanted).abs().max()) for network in (half, shorter)]
    assert errors[1] < 1.5 * errors[0]


def test_no_state_of_the_encoder_is_projected_by_the_decoder(texts: tuple[Tensor, Tensor]) -> None:
    network = write_one_token(make_t5())
    read = []
    for block in network.decoder.block:
        cross: Any = block.layer[1]
        assert isinstance(cross.EncDecAttention, OneTokenAttention)
        for projection in (cross.EncDecAttention.plain.k, cross.EncDecAttention.plain.v):
            projection.register_forward_hook(lambda _, inputs, __: read.append(inputs[0].shape))
    _first_states(network, *texts)
    assert not read
