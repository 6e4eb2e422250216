"""Linear layers prepared at load give what transformers gives, large products by oneDNN and small ones as before."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from transformers import BartConfig, BartModel, PreTrainedModel, T5Config, T5EncoderModel

from core.models.networks import linear
from core.models.networks.linear import GatedDense, LargeLinear, multiply, prepare_linear

IDS = torch.arange(2, 26).reshape(2, 12)


def bart() -> PreTrainedModel:
    sizes = {f"{side}_{what}": 2 for side in ("encoder", "decoder") for what in ("layers", "attention_heads")}
    return BartModel(BartConfig(vocab_size=50, d_model=32, encoder_ffn_dim=48, decoder_ffn_dim=48, **sizes)).eval()


def t5(activation: str) -> PreTrainedModel:
    sizes = {"vocab_size": 50, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}
    return T5EncoderModel(T5Config(**sizes, feed_forward_proj=activation)).eval()


def states(network: PreTrainedModel) -> Tensor:
    with torch.inference_mode():
        found: Tensor = network(IDS).last_hidden_state
    return found


@pytest.fixture
def products(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Activations that oneDNN applied to its products, in order; none is too small for it."""
    if not torch.backends.mkldnn.is_available():
        pytest.skip("This PyTorch has no oneDNN.")
    applied: list[str] = []

    class Watched:
        binary = staticmethod(lambda *args: applied.append(args[-1]) or plain.binary(*args))

        def __call__(self, *args: object) -> object:
            applied.append(str(args[3]))
            return plain(*args)

    plain = torch.ops.mkldnn._linear_pointwise
    monkeypatch.setattr(linear, "_LEAST_PRODUCTS", 0)
    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", Watched())
    return applied


@pytest.mark.parametrize(
    ("network", "fused"),
    [
        (bart, {"none", "gelu"}),
        (lambda: t5("gated-gelu"), {"none", "gelu", "mul"}),
        (lambda: t5("gated-silu"), {"none"}),
        (lambda: t5("relu"), {"none"}),
    ],
    ids=["BART", "T5 1.1", "T5 with another gate", "T5 1.0"],
)
def test_products_of_onednn_change_no_state(
    network: Callable[[], PreTrainedModel], fused: set[str], products: list[str]
) -> None:
    torch.manual_seed(1)
    plain = network()
    for weight in plain.parameters():  # steep enough for a wrong activation to show
        torch.nn.init.normal_(weight, std=0.3)
    wanted = states(plain)
    assert not products
    found = states(prepare_linear(copy.deepcopy(plain)))
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)
    assert set(products) == fused


def test_small_products_are_made_as_before(products: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "_LEAST_PRODUCTS", 1 << 26)
    network = bart()
    assert torch.equal(states(prepare_linear(copy.deepcopy(network))), states(network))
    assert not products


def test_a_product_of_another_number_type_or_with_gradients_is_made_as_before(products: list[str]) -> None:
    wide = torch.ones(4, 8, dtype=torch.bfloat16)
    with torch.inference_mode():
        assert multiply(wide, wide).dtype == torch.bfloat16
    weight = torch.ones(4, 8, requires_grad=True)
    multiply(torch.ones(4, 8), weight).sum().backward()
    assert weight.grad is not None
    assert not products


def test_only_networks_of_float32_on_the_processor_are_changed() -> None:
    halved, whole = prepare_linear(t5("gated-gelu").bfloat16()), prepare_linear(t5("gated-gelu"))
    assert not [part for part in halved.modules() if isinstance(part, (LargeLinear, GatedDense))]
    assert [part for part in whole.modules() if isinstance(part, GatedDense)]
    assert not [part for part in whole.modules() if type(part) is torch.nn.Linear]
