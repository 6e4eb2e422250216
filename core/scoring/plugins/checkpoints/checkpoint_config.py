"""The configuration, tokenizer settings and model card of a checkpoint, read as data; a checkpoint that cannot be asked is refused in a sentence with what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from core.errors import LoadError
from core.models import ADAPTER_FILE, ONNX_FILES, TOKENIZER_FILES, WEIGHT_FILES, Repository

Config = Mapping[str, object]

_UNLIMITED_TOKENS = 100_000  # above: the tokenizer says that it has no limit, as 1e30
_DEFAULT_TOKENS = 512
_MOST_TOKENS = 8_192
_OFFSET_POSITIONS = {"roberta", "xlm-roberta", "camembert", "mpnet", "longformer", "data2vec-text"}
_WORDS_PER_TOKEN = 0.5  # with room for the claim

_OTHER_WEIGHTS = (
    (
        ".gguf",
        "GGUF files. Make a folder of one, python cli.py doctor --convert FILE.gguf --to FOLDER, and name that; or serve it (llama.cpp, Ollama) "
        "and add the server as an endpoint",
    ),
    (
        ".onnx",
        f"ONNX files of other names than are read here ({', '.join(ONNX_FILES)}). Rename the one that is to be read",
    ),
    (".ckpt", "a file of Lightning, which only the metric that it was trained for reads"),
    (
        ".h5",
        "weights for TensorFlow, which are not read here. Convert them by transformers: from_pretrained(…, from_tf=True)",
    ),
    (
        ".msgpack",
        "weights for Flax, which are not read here. Convert them by transformers: from_pretrained(…, from_flax=True)",
    ),
    (".pt", "weights in a form of its authors. Save the model by transformers' save_pretrained"),
)


def checked_config(repository: Repository) -> Config:
    """The entries of config.json. Raises LoadError where files are missing, or are of a kind that is not read here."""
    sizes, source = repository.sizes, repository.source
    has_weights = any(name in sizes for name in (*WEIGHT_FILES, *ONNX_FILES))
    if ADAPTER_FILE in sizes and not has_weights:
        base = _parse_object(repository, ADAPTER_FILE).get("base_model_name_or_path")
        raise LoadError(
            f"{source} is a PEFT adapter of {str(base)[:100]}, not a whole model. Merge it into its base (merge_and_unload, then "
            "save_pretrained) and name the folder that this writes."
        )
    if repository.pointers:
        raise LoadError(
            f"{repository.pointers[0]} in {source} is a pointer of Git LFS, not the weights. Run: git lfs pull, in that folder."
        )
    if not has_weights:
        other = next((what for ending, what in _OTHER_WEIGHTS if any(name.endswith(ending) for name in sizes)), "")
        raise LoadError(
            f"{source} has {other}."
            if other
            else f"{source} has no model.safetensors and no pytorch_model.bin. Name one that has."
        )
    if "config.json" not in sizes:
        raise LoadError(f"{source} has no config.json. Name a model that was saved by transformers' save_pretrained.")
    config = _parse_object(repository, "config.json")
    if config.get("auto_map"):
        raise LoadError(
            f"{source} brings code of its own (auto_map in its config.json), which is not run. Name a model of an architecture that "
            "transformers has, or write a plug-in that loads it."
        )
    if isinstance(quantized := config.get("quantization_config"), dict):
        raise LoadError(
            f"{source} is quantized ({str(quantized.get('quant_method', 'of an unknown kind'))[:40]}), which is not read here. Name "
            "the repository with the full weights, or serve it and add the server as an endpoint."
        )
    if not any(name in sizes for name in TOKENIZER_FILES):
        raise LoadError(
            f"{source} has no tokenizer ({', '.join(TOKENIZER_FILES)}). Put its files into a folder, with the tokenizer.json of the "
            "model that it was trained from, and name that folder."
        )
    return config


def _parse_object(repository: Repository, name: str) -> Config:
    try:
        parsed = json.loads(repository.texts.get(name, ""))
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        raise LoadError(f"{name} of {repository.source} is no JSON object. Get the file again.")
    return parsed


def config_labels(repository: Repository, config: Config) -> list[str]:
    """The labels in the order of the output. Raises LoadError where config.json contradicts itself."""
    named, number = config.get("id2label"), config.get("num_labels", 2)
    if not isinstance(named, dict) or not named:
        return [f"LABEL_{place}" for place in range(number if isinstance(number, int) else 2)]
    labels = [str(named.get(str(place), place)).strip() for place in range(len(named))]
    ids = config.get("label2id")
    # some files have the numbers as texts
    stated = {str(name).strip(): str(place) for name, place in ids.items()} if isinstance(ids, dict) else {}
    if any(stated.get(label, str(place)) != str(place) for place, label in enumerate(labels)):
        raise LoadError(
            f"config.json of {repository.source} has {', '.join(labels)[:200]} in id2label and another order in label2id. Put the files "
            "into a folder, correct config.json there, and name that folder."
        )
    return labels


def is_encoder(config: Config) -> bool:
    """True if the type of the model is that of an encoder."""
    return any(
        mark in str(config.get("model_type", ""))
        for mark in (
            "bert",
            "electra",
            "mpnet",
            "xlm",
            "longformer",
            "funnel",
            "camembert",
            "ernie",
            "bird",
            "nystromformer",
            "fnet",
        )
    )


def object_or_empty(repository: Repository, name: str) -> Config:
    """The entries of a JSON file of the repository; empty where it has none."""
    return _parse_object(repository, name) if repository.texts.get(name) else {}


def token_limits(repository: Repository, config: Config) -> dict[str, int]:
    """The tokens that the model reads at once, and the words of a chunk that leave room for a claim."""
    stated = object_or_empty(repository, "tokenizer_config.json").get("model_max_length")
    sentence = object_or_empty(repository, "sentence_bert_config.json").get("max_seq_length")
    positions = config.get("max_position_embeddings")
    pad = config.get("pad_token_id")
    offset = (pad if isinstance(pad, int) else 1) + 1 if config.get("model_type") in _OFFSET_POSITIONS else 0
    limits = [
        *(
            int(limit)
            for limit in (stated, sentence)
            if isinstance(limit, int | float) and 16 <= limit <= _UNLIMITED_TOKENS
        ),
        *([positions - offset] if isinstance(positions, int) and positions > offset + 16 else []),
    ]
    tokens = min([_MOST_TOKENS, *limits]) if limits else _DEFAULT_TOKENS
    return {"max_tokens": tokens, "chunk_words": int(tokens * _WORDS_PER_TOKEN)}


def card_fields(text: str) -> dict[str, str]:
    """Licence and languages in the front matter of a model card, as far as it has them."""
    head = re.match(r"\s*---\r?\n(.{0,8000}?)\r?\n---", text, re.DOTALL)
    lines = head[1].splitlines() if head else []
    licence = next((line.partition(":")[2] for line in lines if line.startswith("license:")), "").strip(" \"'")
    codes = [code for code in _listed(lines, "language:") if re.fullmatch(r"[a-z]{2,3}", code)]
    fields = {"languages": " ".join(dict.fromkeys(codes)) or "en"}
    return fields | ({"licence": f"Weights: {licence[:60]}."} if licence else {})


def _listed(lines: Sequence[str], key: str) -> Iterator[str]:
    """The values of a key of YAML that is one word, a list in brackets or a list below it."""
    for place, line in enumerate(lines):
        if line.startswith(key):
            yield from re.findall(r"[\w-]+", line.removeprefix(key))
            for below in lines[place + 1 :]:
                if not (item := re.fullmatch(r"\s*-\s*[\"']?([\w-]+)[\"']?\s*", below)):
                    return
                yield item[1]
