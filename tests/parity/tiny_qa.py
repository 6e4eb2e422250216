"""Tiny random checkpoints for the metrics that ask and answer questions.

The heads are set so that the models find words of the texts, end their sentences and spread their scores.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, normalizers
from transformers import (
    AlbertConfig,
    AlbertForQuestionAnswering,
    BartForConditionalGeneration,
    BertConfig,
    BertModel,
    DebertaV2ForSequenceClassification,
    ElectraConfig,
    ElectraForQuestionAnswering,
    PreTrainedModel,
    RobertaForSequenceClassification,
    T5ForConditionalGeneration,
)

from tests.parity.toy_parser import stand_in
from tests.tiny import (
    TEXT,
    Specs,
    bart_config,
    between,
    byte_level,
    deberta_config,
    deberta_tokenizer,
    passages,
    random_network,
    roberta_config,
    saved,
    t5_config,
    t5_tokenizer,
    unigram,
    word_pieces,
)
from tests.unit.command_line import done

LONG_WORDS = sorted(set(re.findall(r"[A-Za-z]{6,}", TEXT)))


def writer(folder: Path, seed: int, end: float = 8.0, stop: float = 0.0) -> Path:
    """T5 that ends its texts after a few words, and sentences where wanted; every seed another one."""
    tokenizer = t5_tokenizer()
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    network = seeded(lambda: T5ForConditionalGeneration(t5_config(tokenizer, "relu")), seed)
    end_soon(network, end, tokenizer.token_to_id("."), stop)
    return saved(network, tokenizer, folder)


@torch.no_grad()
def end_soon(network: T5ForConditionalGeneration, end: float, mark: int, stop: float) -> None:
    """Make words differ by their context, the end and a mark likely and the start token impossible."""
    generator = torch.Generator().manual_seed(1)
    read = torch.randint(3, network.config.vocab_size, (40, 12), generator=generator)
    wrote = torch.randint(3, network.config.vocab_size, (40, 12), generator=generator)
    states = network(read, decoder_input_ids=wrote, output_hidden_states=True).decoder_hidden_states[-1].flatten(0, 1)
    mean = states.mean(0)
    head = network.lm_head.weight
    head -= torch.outer(head @ mean, mean) / (mean @ mean)  # no word is likely everywhere
    head *= 3.0 / (states @ head.T).std()
    head[0], head[2] = -20 * mean / (mean @ mean), -20 * mean / (mean @ mean)
    head[1] += end * mean / (mean @ mean)
    head[mark] += stop * mean / (mean @ mean)
    head[73] += 6.5 * mean / (mean @ mean)


def extractor(folder: Path) -> Path:
    """T5 with lengths of its own."""
    built = writer(folder, 11, end=3.0, stop=7.0)
    config = {
        "max_length": 60,
        "no_repeat_ngram_size": 2,
        "decoder_start_token_id": 0,
        "eos_token_id": 1,
        "pad_token_id": 0,
    }
    (built / "generation_config.json").write_text(json.dumps(config), encoding="utf-8")
    return built


def deberta(folder: Path) -> Path:
    """DebertaV2ForSequenceClassification with three labels."""
    tokenizer = deberta_tokenizer()
    network = seeded(lambda: DebertaV2ForSequenceClassification(deberta_config(tokenizer, 3)), 12)
    spread(network, network.classifier, tokenizer, 2.0)
    return saved(network, tokenizer, folder)


def albert(folder: Path) -> Path:
    """AlbertForQuestionAnswering that answers with a long word of the text."""
    tokenizer = lower_unigram()
    config = AlbertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        embedding_size=96,
        hidden_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=512,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
    )
    network = seeded(lambda: AlbertForQuestionAnswering(config), 5)
    network.albert.embeddings.position_embeddings.weight.data.mul_(0.3)
    wanted = {tokenizer.token_to_id("▁" + word.lower()) for word in LONG_WORDS} - {None}
    point(network, network.qa_outputs, pairs(tokenizer), wanted)
    return saved(network, tokenizer, folder)


def lower_unigram() -> Tokenizer:
    tokenizer = unigram(["<pad>", "[CLS]", "[SEP]", "<unk>", "[MASK]"], unknown="<unk>", strip=True)
    known = [(piece, score) for piece, score in json.loads(tokenizer.to_str())["model"]["vocab"]]
    words = [("▁" + word.lower(), -7.0) for word in LONG_WORDS]
    lower = {piece.lower() if not piece.startswith(("[", "<")) else piece: score for piece, score in [*known, *words]}
    tokenizer.model = models.Unigram(list(lower.items()), unk_id=3)
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()]
    )
    tokenizer.add_special_tokens(["<pad>", "[CLS]", "[SEP]", "<unk>", "[MASK]"])
    tokenizer.post_processor = between(cls=1, sep=2)
    return tokenizer


@torch.no_grad()
def point(
    network: PreTrainedModel, head: torch.nn.Linear, batches: Iterable[dict[str, torch.Tensor]], wanted: set[int | None]
) -> None:
    """Solve the head so that starts and ends stand at the wanted words, some more than others."""
    states, targets = [], []
    for batch in batches:
        states.append(network.base_model(**batch).last_hidden_state[0])
        read = zip(batch["input_ids"][0].tolist(), batch["token_type_ids"][0].tolist(), strict=True)
        targets.append(
            torch.tensor([4.0 + token * 7919 % 13 / 4 if part and token in wanted else 0.0 for token, part in read])
        )
    known, aim = torch.cat(states), torch.cat(targets)
    known = torch.cat([known, torch.ones(len(known), 1)], dim=1)
    solved = torch.linalg.solve(known.T @ known + 0.1 * torch.eye(known.shape[1]), known.T @ aim)
    head.weight.copy_(torch.stack([solved[:-1], solved[:-1]]))
    head.weight[1] += 0.02 * torch.sin(torch.arange(head.in_features, dtype=torch.float))
    head.bias.copy_(torch.stack([solved[-1], solved[-1]]))


def pairs(tokenizer: Tokenizer) -> list[dict[str, torch.Tensor]]:
    lines = TEXT.splitlines()
    encodings = tokenizer.encode_batch(
        [(lines[-1 - i][: 20 + 5 * i], "\n".join(lines[i : i + 1 + i % 3])) for i in range(len(lines))]
    )
    return [
        {"input_ids": torch.tensor([encoding.ids]), "token_type_ids": torch.tensor([encoding.type_ids])}
        for encoding in encodings
    ]


def bert(folder: Path) -> Path:
    """BertModel with a cased WordPiece vocabulary."""
    tokenizer = word_pieces(lower=False)
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=64,
        pad_token_id=0,
    )
    return saved(seeded(lambda: BertModel(config), 6), tokenizer, folder)


def judge(folder: Path, seed: int = 7) -> Path:
    """RobertaForSequenceClassification with three labels of similar weight."""
    tokenizer = byte_level()
    network = seeded(lambda: RobertaForSequenceClassification(roberta_config(tokenizer, 3)), seed)
    spread(network, network.classifier.out_proj, tokenizer, 3.0)
    return saved(network, tokenizer, folder)


def rater(folder: Path) -> Path:
    """RobertaForSequenceClassification with one label."""
    tokenizer = byte_level()
    network = seeded(lambda: RobertaForSequenceClassification(roberta_config(tokenizer, 1)), 8)
    spread(network, network.classifier.out_proj, tokenizer, 1.0)
    return saved(network, tokenizer, folder)


def electra(folder: Path) -> Path:
    """ElectraForQuestionAnswering that answers with a long word of the text."""
    tokenizer = word_pieces(lower=True, size=1500)
    config = ElectraConfig(
        vocab_size=tokenizer.get_vocab_size(),
        embedding_size=64,
        hidden_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=512,
        pad_token_id=0,
    )
    network = seeded(lambda: ElectraForQuestionAnswering(config), 9)
    network.electra.embeddings.position_embeddings.weight.data.mul_(0.3)
    for parameter in network.electra.encoder.parameters():  # or no word would be known in its context
        parameter.data.mul_(0.5 if parameter.dim() > 1 else 1.0)
    wanted = {tokenizer.token_to_id(word.lower()) for word in LONG_WORDS} - {None}
    point(network, network.qa_outputs, pairs(tokenizer), wanted)
    return saved(network, tokenizer, folder)


def asker(folder: Path) -> Path:
    """BART with two tokens for marks, that ends its questions after a few words."""
    tokenizer = byte_level()
    tokenizer.add_tokens(["<m>", "</m>"])
    network = seeded(lambda: BartForConditionalGeneration(bart_config(tokenizer)), 10)
    network.model.decoder.embed_positions.weight.data.mul_(4.0)
    for layer in network.model.decoder.layers:  # or every word would ask for itself again
        layer.fc2.weight.data.mul_(8.0)
        layer.encoder_attn.out_proj.weight.data.mul_(4.0)
    network.model.decoder.layers[-1].final_layer_norm.weight.data.mul_(2.0)
    network.final_logits_bias[0, :261] = -30.0  # special tokens and lone letters
    network.final_logits_bias[0, 2] = 3.0
    return saved(network, tokenizer, folder)


@torch.no_grad()
def spread(network: PreTrainedModel, head: torch.nn.Linear, tokenizer: Tokenizer, deviation: float) -> None:
    """Scale and centre each label over the passages of the text."""
    lines = TEXT.splitlines()
    read = [*passages(tokenizer), *(torch.tensor([tokenizer.encode(line[:50], line[30:]).ids]) for line in lines)]
    logits = torch.cat([network(ids).logits for ids in read])
    scale = deviation / logits.std(0)
    head.weight *= scale[:, None]
    head.bias.copy_((head.bias - logits.mean(0)) * scale)


def seeded(build: Callable[[], PreTrainedModel], seed: int) -> PreTrainedModel:
    """Another random network for every seed."""
    network = random_network(build)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            if parameter.dim() > 1:
                parameter.normal_(0, 0.2, generator=generator)
    return network


NEWS, TRIAL = "\n".join(TEXT.splitlines()[:3]), "\n".join(TEXT.splitlines()[5:7])

PAIRS_OF_QUESTIONS: dict[str, tuple[str, str]] = {
    "ordinary": (NEWS, "The harbour was closed after a storm. Nobody was hurt! Repairs cost 3.4 million crowns."),
    "more than the models read": (TEXT, "The glacier is melting, Ana Brekke said. Patients were younger than sixty."),
    "agreement": ("The harbour was closed after a storm.", "A storm closed the harbour."),
    "figures": (TRIAL, "In the trial, 212 patients took a sugar pill. Pressure fell, the landlord said."),
    "one word more": ("The old harbour is on fire.", "The harbour is on fire. It was the harbour."),
    "short": ("Rain on harbour.", "It rained on the harbour."),
    "blank lines": (
        "\n\nThe harbour was lit.\n\n\nNobody spoke. \n \n  A storm closed.\n\n",
        "Nobody spoke.\n\nA storm!",
    ),
    "odd punctuation": (
        "What?! -- (no)... “yes” ½ … ™ ｆｕｌｌ\u00a0width; e.g. this, i.e. that.  Two  repairs.",
        "Well… ½?! “Repairs”.",
    ),
    "literal separators": (
        "The mark </s> ends the harbour. A [SEP] too, <s> and [CLS].",
        "The harbour </s> says so. Or [SEP] ferries there </s>",
    ),
    "a 600-word sentence": (
        NEWS + "a boat went on with it and " * 100 + "came.",
        "The boat " + "went on and " * 200 + "came. The harbour is closed.",
    ),
    "ten characters": (NEWS, "Ferries go. A storm.."),
    "nothing to ask": (TRIAL, "So it is."),
    "personal": ("I said: my harbour is closed, you know.", "You closed my harbour. I know your ferries."),
    "the same sentence twice": (TRIAL, "Nobody was hurt. Nobody was hurt."),
    "other scripts": ("Москва. 東京は大きい。 القاهرة 😀 harbour", "東京 😀. Harbour!"),
}
"""Documents and summaries, ordinary and awkward, that give few questions."""

# a metric that generates questions does so for each phrase
QUESTION_CASES = [
    pytest.param(pair, id=name, marks=() if name == "ordinary" else pytest.mark.slow)
    for name, pair in PAIRS_OF_QUESTIONS.items()
]
"""The same as parameters of a test."""


def command_line(spec: str, folder: Path, patch: pytest.MonkeyPatch) -> dict[str, object]:
    """The one line that `cli.py score` writes for one pair."""
    document, summary = PAIRS_OF_QUESTIONS["ordinary"]
    pairs, scores = folder / "pairs.jsonl", folder / "scores.jsonl"
    pairs.write_text(json.dumps({"id": "pair", "document": document, "summary": summary}), encoding="utf-8")
    patch.setenv("TOUCHSTONE_CACHE_DIR", str(folder / "cache"))
    patch.setenv("TOUCHSTONE_DEVICE", "cpu")
    done("score", pairs, "--metric", spec, "-o", scores)
    written: dict[str, object] = json.loads(scores.read_text(encoding="utf-8"))
    return written


SPECS: Specs = {
    "fenice": lambda built: (
        f"fenice[extractor={built(extractor)},entailment={built(deberta)},parser={built(stand_in)}]"
    ),
    "q2": lambda built: (
        f"q2[generator={built(writer, 2)},answerer={built(albert)},entailment={built(judge, 20)},parser={built(stand_in)}]"
    ),
    "qafacteval": lambda built: (
        f"qafacteval[generator={built(asker)},answerer={built(electra)},rater={built(rater)},parser={built(stand_in)}]"
    ),
    "questeval": lambda built: (
        f"questeval[generator={built(writer, 2)},answerer={built(writer, 3)},encoder={built(bert)},"
        f"parser={built(stand_in)},layer=2]"
    ),
}
