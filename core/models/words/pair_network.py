"""A cross-encoder while it is trained: an encoder with one output for a premise and a claim, and its steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import huber_loss, logsigmoid, relu
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedModel

from core.errors import LoadError, TouchstoneError
from core.model_reference import Checkpoint
from core.models.networks.network import freeing_memory, load_trainable_network, max_positions, pad_batch, segment_types
from core.models.networks.tokenizer import TextTokenizer, Tokens
from core.models.weights.config_check import require_encoder
from core.models.weights.weight_files import max_text_tokens
from core.models.words.claims import Batch, TextPair
from core.models.words.head import CROSS_ENCODER_FORMAT
from core.stats import Values

LEARNING_RATE, LORA_LEARNING_RATE = 5e-5, 5e-4
_WEIGHT_DECAY, _LARGEST_GRADIENT = 0.01, 1.0
_MARGIN = 1.0
"""By how much the log probability of an original should exceed that of its wrong edit."""
_READ_TEXTS = 32
# weights of the heads and poolers of transformers' classifiers, which an encoder need not have
_HEAD = ("classifier.", "pre_classifier.", "classification_head.", "score.", "head.", "pooler.", "bert.pooler.")
_LORA = {"r": 16, "lora_alpha": 32, "lora_dropout": 0.05, "target_modules": "all-linear", "task_type": "SEQ_CLS"}


class PairNetwork:
    """Learns from batches of encoded pairs; the same seeds give the same weights on one processor."""

    def __init__(self, network: PreTrainedModel, settings: Any, tokenizer: TextTokenizer, limit: int) -> None:
        self.limit = limit
        self.tokenizer = tokenizer
        self._network = network
        self._settings = settings  # the tokenizer of transformers, which is saved beside the weights
        self._optimizer = torch.optim.AdamW(self._trainable(), lr=LEARNING_RATE, weight_decay=_WEIGHT_DECAY)
        self._rate = LEARNING_RATE
        self._best: list[Tensor] = []

    @classmethod
    def load(cls, path: Path, checkpoint: Checkpoint, device: str, limit: int, seed: int) -> PairNetwork:
        """An encoder with a new head, drawn by the seed. Raises LoadError, MemoryFullError."""
        require_encoder(path, checkpoint)
        read = partial(AutoModelForSequenceClassification.from_pretrained, num_labels=1, ignore_mismatched_sizes=True)
        with _seeded(seed, device):
            network = load_trainable_network(read, path, checkpoint, device, _HEAD)
        network.config.pad_token_id = network.config.pad_token_id or 0
        limit = min(limit, max_text_tokens(path, max_positions(network)))
        try:
            settings = AutoTokenizer.from_pretrained(
                path, local_files_only=True, trust_remote_code=False, model_max_length=limit
            )
        except (OSError, ValueError) as error:
            raise LoadError(f"The tokenizer of {checkpoint.source} is not readable ({error}). Get it again.") from error
        # read as it will be saved, so that what is trained and what is loaded later see the same tokens
        with TemporaryDirectory() as folder:
            settings.save_pretrained(folder)
            return cls(network, settings, TextTokenizer.load(Path(folder)), limit)

    def adapt_by_lora(self, seed: int) -> None:
        """Train low-rank updates of the linear layers (Hu et al. 2021) and the head only. Raises TouchstoneError without peft."""
        try:
            import peft
        except ImportError as error:
            raise TouchstoneError(
                "LoRA needs the package peft. Run: python -m pip install peft==0.21.2, or train all weights "
                "without --lora."
            ) from error
        with _seeded(seed, str(self._network.device)):
            self._network = peft.get_peft_model(self._network, peft.LoraConfig(**_LORA))
        self._optimizer = torch.optim.AdamW(self._trainable(), lr=LORA_LEARNING_RATE, weight_decay=_WEIGHT_DECAY)
        self._rate = LORA_LEARNING_RATE

    def encode(self, pairs: Sequence[tuple[str, str]]) -> list[Tokens]:
        return self.tokenizer.encode(pairs, [self.limit] * len(pairs))

    def step(self, batch: Batch, texts: Sequence[Tokens], warmth: float, seed: int) -> None:
        """Learn from one batch, of which `texts` are the tokens; `warmth`, up to 1, is the share of the learning rate."""
        self._network.train()
        with _seeded(seed, str(self._network.device)), freeing_memory("A batch of the training does not fit"):
            loss = batch_loss(self._logits(texts), batch)
            self._optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self._trainable(), _LARGEST_GRADIENT)
            for group in self._optimizer.param_groups:
                group["lr"] = self._rate * min(1.0, warmth)
            self._optimizer.step()
        self._network.eval()

    def logits(self, texts: Sequence[Tokens]) -> Values:
        """The logit of each text that its claim is supported, (texts,)."""
        values = np.zeros(len(texts))
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(order), _READ_TEXTS):
            places = order[start : start + _READ_TEXTS]
            with torch.inference_mode(), freeing_memory("The texts do not fit"):
                values[places] = self._logits([texts[place] for place in places]).double().cpu().numpy()
        return values

    def keep_best(self) -> None:
        """Remember the weights as they are now."""
        self._best = [weight.detach().to("cpu", copy=True) for weight in self._trainable()]

    def take_best(self) -> None:
        """Go back to the remembered weights."""
        with torch.no_grad():
            for weight, best in zip(self._trainable(), self._best, strict=True):
                weight.copy_(best)

    def save(self, folder: Path) -> None:
        """Safe tensors, configuration and tokenizer, as sentence-transformers' CrossEncoder reads them."""
        folder.mkdir(parents=True, exist_ok=True)
        network: Any = self._network
        if hasattr(network, "merge_and_unload"):
            network = self._network = network.merge_and_unload()
        network.config.touchstone = {"format": CROSS_ENCODER_FORMAT, "tokens": self.limit}
        # what plain sentence-transformers applies to the logit
        network.config.sentence_transformers = {"activation_fn": "torch.nn.modules.activation.Sigmoid"}
        network.save_pretrained(folder)
        self._settings.save_pretrained(folder)

    def _trainable(self) -> list[torch.nn.Parameter]:
        return [weight for weight in self._network.parameters() if weight.requires_grad]

    def _logits(self, texts: Sequence[Tokens]) -> Tensor:
        ids, mask, types = pad_batch(texts, self._network)
        logits = self._network(input_ids=ids, attention_mask=mask, **segment_types(self._network, types)).logits
        return logits[:, 0].float()  # (texts,)


def batch_loss(logits: Tensor, batch: Batch) -> Tensor:
    """Cross-entropy of the units, whose claims must all be supported, a hinge on the log probabilities of pairs, and the
    Huber loss of how far harmless edits move them.

    The last draws the logarithms of a pair together, as logit pairing does with logits (Kannan, Kurakin and Goodfellow 2018).
    """
    supported = logsigmoid(logits)
    losses = []
    if batch.units:
        log_probabilities = torch.stack([supported[list(unit.texts)].sum() for unit in batch.units])
        labels = torch.tensor([unit.supported for unit in batch.units], device=logits.device)
        # log(1 - exp(x)) for x below 0, by whichever form loses nothing
        safe = log_probabilities.clamp(max=-1e-7)
        complement = torch.where(safe > -0.693, torch.log(-torch.expm1(safe)), torch.log1p(-torch.exp(safe)))
        losses.append(-torch.where(labels, log_probabilities, complement).mean())
    if batch.pairs:
        losses.append(relu(_MARGIN - _gains(supported, batch.pairs)).mean())
    if batch.harmless:
        moves = _gains(supported, batch.harmless)
        losses.append(huber_loss(moves, torch.zeros_like(moves), delta=_MARGIN))
    return torch.stack(losses).sum()


def _gains(supported: Tensor, pairs: Sequence[TextPair]) -> Tensor:
    """By how much the log probability of the first of each pair exceeds that of the other, (pairs,)."""
    return torch.stack([supported[list(first)].sum() - supported[list(second)].sum() for first, second in pairs])


@contextmanager
def _seeded(seed: int, device: str) -> Iterator[None]:
    """Random numbers of the seed inside, and those of everybody else as they were afterwards."""
    with torch.random.fork_rng(devices=[device] if device.startswith("cuda") else []):
        torch.manual_seed(seed)
        yield
