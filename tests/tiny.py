"""Tiny random checkpoints of the true architectures, with tokenizers trained on the text below.

`python -m tests.tiny DIR` builds them all and prints their folders.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    BartConfig,
    DebertaV2Config,
    DebertaV2ForSequenceClassification,
    PreTrainedModel,
    RobertaConfig,
    RobertaForSequenceClassification,
    T5Config,
    T5ForConditionalGeneration,
)

TEXT = """\
The harbour of Lindvale was closed on Tuesday after a storm tore two ferries from their moorings. Nobody was hurt, but
the mayor said that repairs would cost about 3.4 million crowns and take until the end of June. Fishermen, who land
nine tonnes of herring there each week, must now sail forty kilometres to the north. "We lose a day for every trip,"
said Ana Brekke, whose family has owned the Skarv since 1961. The insurer has not yet agreed to pay.
In the trial, 212 patients were given either the new tablet or a sugar pill for twelve weeks. Blood pressure fell by 8 mm
in the first group and by 2 mm in the second; headaches were as frequent in both. The authors warn that all patients
were younger than sixty, so nothing is known about older people. A larger study is planned for 2027.
Is the tenant allowed to keep a dog? The contract forbids animals "except fish and small birds", yet the court held that a
blind tenant may keep a guide dog. The landlord appealed. She won; the costs were shared equally.
The old clock struck eleven. Marit closed the book, blew out the lamp and listened: no wind, no steps, only the slow
drip of water from the roof. Tomorrow, she thought, I will ask him why the letters were never sent!
We measured the melting of the glacier with three cameras and a radar. Between May and September the front moved back
by 71 metres, which is more than in any year since the measurements began. Rain, not heat, explains most of the loss.
"""

SPREAD = 3.0
"""The standard deviation of the log-odds over the text's passages."""


def roberta(folder: Path) -> Path:
    """RobertaForSequenceClassification with two labels and a byte-level BPE."""
    tokenizer = byte_level()
    network = random_network(lambda: RobertaForSequenceClassification(roberta_config(tokenizer)))
    spread_labels(network, network.classifier.out_proj, tokenizer)
    return saved(network, tokenizer, folder)


def deberta(folder: Path) -> Path:
    """DebertaV2ForSequenceClassification with disentangled attention both ways and a Unigram tokenizer."""
    tokenizer = deberta_tokenizer()
    network = random_network(lambda: DebertaV2ForSequenceClassification(deberta_config(tokenizer)))
    spread_labels(network, network.classifier, tokenizer)
    return saved(network, tokenizer, folder)


def t5(folder: Path) -> Path:
    """T5 v1.1: gated GELU, a head of its own, and ids 3 and 209 in the vocabulary."""
    tokenizer = t5_tokenizer()
    network = random_network(lambda: T5ForConditionalGeneration(t5_config(tokenizer)))
    spread_choices(network, tokenizer, no=3, yes=209)
    return saved(network, tokenizer, folder)


def roberta_config(tokenizer: Tokenizer, labels: int = 2) -> RobertaConfig:
    return RobertaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=514,
        type_vocab_size=1,
        num_labels=labels,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
    )


def deberta_config(tokenizer: Tokenizer, labels: int = 2) -> DebertaV2Config:
    return DebertaV2Config(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=512,
        relative_attention=True,
        position_buckets=32,
        pos_att_type=["p2c", "c2p"],
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        position_biased_input=False,
        type_vocab_size=0,
        num_labels=labels,
        pad_token_id=0,
    )


def t5_config(tokenizer: Tokenizer, feed_forward: str = "gated-gelu") -> T5Config:
    return T5Config(
        vocab_size=tokenizer.get_vocab_size(),
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=4,
        feed_forward_proj=feed_forward,
        tie_word_embeddings=False,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
    )


def bart_config(tokenizer: Tokenizer) -> BartConfig:
    return BartConfig(
        vocab_size=tokenizer.get_vocab_size(),
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_position_embeddings=1024,
    )


def deberta_tokenizer() -> Tokenizer:
    tokenizer = unigram(["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"], unknown="[UNK]", strip=True)
    tokenizer.post_processor = between(cls=1, sep=2)
    return tokenizer


def t5_tokenizer() -> Tokenizer:
    tokenizer = unigram(["<pad>", "</s>", "<unk>"], unknown="<unk>", strip=False)
    tokenizer.post_processor = ended()
    return tokenizer


def between(cls: int, sep: int) -> processors.TemplateProcessing:
    """The texts between [CLS] and [SEP] with these ids, the two of a pair in segments of their own."""
    return processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", cls), ("[SEP]", sep)]
    )


def ended() -> processors.TemplateProcessing:
    """The texts with the end of T5 after each."""
    return processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)])


def byte_level() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=600, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(TEXT.splitlines(), trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return tokenizer


def unigram(special: list[str], unknown: str, strip: bool) -> Tokenizer:
    """Pieces after NFKC with a mark before every word, as SentencePiece makes them, but without its random training."""
    pieces = [(token, 0.0) for token in special] + frequent_pieces(400)
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=special.index(unknown)))
    stripping = [normalizers.Strip()] if strip else []
    squeezing = normalizers.Replace(Regex(" {2,}"), " ")
    tokenizer.normalizer = normalizers.Sequence([*stripping, normalizers.NFKC(), squeezing])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.add_special_tokens(special)
    return tokenizer


def frequent_pieces(number: int) -> list[tuple[str, float]]:
    """The commonest pieces of the words of the text, the mark and all its characters first, with log-probabilities."""
    words = ["▁" + word for word in TEXT.split()]
    letters = dict.fromkeys("▁1" + "".join(words), 1)
    counts = Counter(
        word[i:j] for word in words for i in range(len(word)) for j in range(i + 2, min(len(word), i + 7) + 1)
    )
    chosen = [*letters, *(piece for piece, _ in counts.most_common(number))]
    return [(piece, math.log((counts[piece] or 1) / counts.total())) for piece in chosen]


def word_pieces(lower: bool, size: int = 500) -> Tokenizer:
    """WordPiece as BERT's, without the training of tokenizers, which breaks ties by chance."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    normalizer, splitter = normalizers.BertNormalizer(lowercase=lower), pre_tokenizers.BertPreTokenizer()
    words = [word for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(TEXT))]
    pieces = dict.fromkeys([*special, *frequent_word_pieces(words)])
    vocabulary = {piece: number for number, piece in enumerate(list(pieces)[:size])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, splitter
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens(special)
    tokenizer.post_processor = between(cls=2, sep=3)
    return tokenizer


def frequent_word_pieces(words: Sequence[str]) -> list[str]:
    """All letters of the words, then their openings and endings, what saves most letters first; no random training."""
    letters = sorted(set("".join(words)))
    openings = Counter(word[:end] for word in words for end in range(2, len(word) + 1))
    endings = Counter("##" + word[start:] for word in words for start in range(1, len(word) - 1))
    saved = {piece: count * len(piece.removeprefix("##")) for piece, count in (openings + endings).items()}
    return [*letters, *("##" + letter for letter in letters), *sorted(saved, key=lambda piece: (-saved[piece], piece))]


def random_network(build: Callable[[], PreTrainedModel]) -> PreTrainedModel:
    """A network with fixed random weights, large enough to tell texts apart."""
    with torch.random.fork_rng():
        torch.manual_seed(20_240_607)
        network = build().eval()
        for parameter in network.parameters():
            if parameter.dim() > 1:
                parameter.data.normal_(0, 0.15)
    return network


@torch.no_grad()
def spread_labels(network: PreTrainedModel, head: torch.nn.Linear, tokenizer: Tokenizer) -> None:
    """Scale and centre the head of a classifier of texts or tokens, so that scores spread over their range."""
    logits = torch.cat([network(ids).logits.reshape(-1, 2) for ids in passages(tokenizer)])
    difference = logits[:, 1] - logits[:, 0]
    head.weight *= SPREAD / difference.std()
    head.bias.copy_(torch.tensor([0.0, -SPREAD / difference.std() * difference.mean()]))


@torch.no_grad()
def spread_choices(network: T5ForConditionalGeneration, tokenizer: Tokenizer, no: int, yes: int) -> None:
    """The same for two words that a metric compares, by the part of their difference that all texts share."""
    start = torch.zeros(1, 1, dtype=torch.long)
    states = torch.cat(
        [
            network(ids, decoder_input_ids=start, output_hidden_states=True).decoder_hidden_states[-1][:, 0]
            for ids in passages(tokenizer)
        ]
    )
    mean, low, high = states.mean(0), network.lm_head.weight[no], network.lm_head.weight[yes]
    high -= mean * (mean @ (high - low)) / (mean @ mean)
    network.lm_head.weight *= SPREAD / (states @ (high - low)).std()


def passages(tokenizer: Tokenizer) -> list[torch.Tensor]:
    """Ids, (1, tokens) each, of passages of one to three lines."""
    lines = TEXT.splitlines()
    texts = ["\n".join(lines[i : i + 1 + i % 3]) for i in range(len(lines))]
    return [torch.tensor([encoding.ids]) for encoding in tokenizer.encode_batch(texts)]


def saved(network: PreTrainedModel, tokenizer: Tokenizer, folder: Path) -> Path:
    network.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


Built = Callable[..., Path]
"""Gives the folder that a function such as the above has built; further arguments are for the function."""

Specs = Mapping[str, Callable[[Built], str]]
"""Metrics by name, and how each is spelt with tiny weights."""

CHECKPOINTS: dict[str, Callable[[Path], Path]] = {"roberta": roberta, "deberta": deberta, "t5": t5}

if __name__ == "__main__":
    for name, build in CHECKPOINTS.items():
        print(build(Path(sys.argv[1]) / name))  # noqa: T201  # what the command is for
