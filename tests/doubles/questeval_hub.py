"""The repositories of QuestEval as its authors published them, with tiny random weights."""

from __future__ import annotations

from pathlib import Path

from transformers import BertConfig, BertModel

from tests.conftest import Weights
from tests.parity.published_forms import publish
from tests.parity.tiny_qa import seeded, writer
from tests.tiny import saved, word_pieces


def deep_bert(folder: Path) -> Path:
    """BertModel with the nine layers that QuestEval reads, and one more."""
    tokenizer = word_pieces(lower=False)
    shape = {"hidden_size": 16, "num_hidden_layers": 10, "num_attention_heads": 2, "intermediate_size": 16}
    config = BertConfig(vocab_size=tokenizer.get_vocab_size(), pad_token_id=0, **shape)
    return saved(seeded(lambda: BertModel(config), 6), tokenizer, folder)


def publish_questeval(root: Path, weights: Weights) -> None:
    """Its three repositories: two with a pickle and only spiece.model, as those of the authors are."""
    publish(weights(writer, 2), root / "ThomasNLG" / "t5-qg_squad1-en", "pickle", "spiece.model")
    publish(weights(writer, 3), root / "ThomasNLG" / "t5-qa_squad2neg-en", "pickle", "spiece.model")
    encoder = root / "google-bert" / "bert-base-multilingual-cased"
    publish(weights(deep_bert), encoder, "safetensors", "tokenizer.json")
