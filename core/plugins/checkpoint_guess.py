"""Guess how a checkpoint is asked, from its configuration, tokenizer settings and model card; nothing of it is loaded or run.

What cannot be asked is refused in a sentence with what to do. What the files leave open are several candidates, of which
the probe pairs choose.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.errors import LoadError
from core.weights.files import ONNX_FILES, TOKENIZER_FILES, WEIGHT_FILES
from core.weights.repository import ADAPTER_FILE, CARD_FILE, Repository

Table = Mapping[str, object]
Config = Mapping[str, object]

_SUPPORTED = frozenset(
    "entailment entail entails entailed supported supports support consistent factual faithful grounded attributable correct "
    "true yes".split()
) | {"fully supported", "not hallucinated", "no hallucination", "non hallucination"}
_UNSUPPORTED = frozenset(
    "contradiction contradict contradicts contradictory refuted refutes refute unsupported inconsistent hallucination hallucinated "
    "hallucinate nonfactual unfaithful ungrounded incorrect false no neutral unverifiable".split()
) | {
    "not entailment",
    "non entailment",
    "not supported",
    "not consistent",
    "non factual",
    "not factual",
    "not enough info",
    "nei",
}
_UNNAMED = re.compile(r"(label[ _]?)?\d+", re.IGNORECASE)
_MAX_LABELS = 20  # of which each is a candidate
_OF_ANY_FORM = frozenset({"checkpoint", "revision", "max_tokens", "chunk_words", "languages", "licence", "download_mb"})

_ONNX_FORMS = frozenset({"classifier", "regressor"})

_UNLIMITED_TOKENS = 100_000  # above: the tokenizer says that it has no limit, as 1e30
_DEFAULT_TOKENS = 512
_MOST_TOKENS = 8_192
_OFFSET_POSITIONS = {"roberta", "xlm-roberta", "camembert", "mpnet", "longformer", "data2vec-text"}
_WORDS_PER_TOKEN = 0.5  # with room for the claim
_ENCODER_WORDS = 40

_QUESTION = "Document: {document}\n\nClaim: {summary}\n\nDoes the document support everything that the claim says? Answer Yes or No."
_SEQ2SEQ = (
    ("Premise: {document}\nHypothesis: {summary}\nDoes the premise entail the hypothesis? Answer yes or no.", "yes no"),
    ("premise: {document} hypothesis: {summary}", "1 0"),
)
_OTHER_WEIGHTS = (
    (
        ".gguf",
        "GGUF files. Make a folder of one, python cli.py convert FILE.gguf FOLDER, and name that; or serve it (llama.cpp, Ollama) "
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


@dataclass(frozen=True, slots=True)
class Guess:
    """Tables of a metric, the first one as the files say, and sentences on what was concluded from what.

    `open` names what the files do not tell, so that the probe pairs choose among the candidates; "" where they tell all.
    """

    candidates: tuple[Table, ...]
    notes: tuple[str, ...] = ()
    open: str = ""


def guess_form(repository: Repository) -> Guess:
    """Tables by which the checkpoint can be asked. Raises LoadError, with what to do, for one that cannot be asked."""
    config = _checked_config(repository)
    architectures = config.get("architectures")
    name = str(architectures[0])[:80] if isinstance(architectures, list) and architectures else ""
    guess = next((read for mark, read in _HEADS if mark in name), _read_headless)(repository, config, name)
    only_onnx = not any(file in repository.sizes for file in WEIGHT_FILES)
    if only_onnx:
        guess = _computed_by_onnx(repository, guess)
    common: dict[str, object] = {"revision": repository.revision} if repository.revision else {}
    common |= card_fields(repository.texts.get(CARD_FILE, ""))
    if repository.download_mb:
        common["download_mb"] = repository.download_mb
    candidates = tuple({"checkpoint": repository.source, **one, **common} for one in guess.candidates)
    pickled = (
        ("Its weights are a pickle: they are read as numbers only, and no code in them is run.",)
        if not only_onnx and not any(file.startswith("model.safetensors") for file in repository.sizes)
        else ()
    )
    return Guess(candidates, (*guess.notes, *pickled), guess.open)


def _computed_by_onnx(repository: Repository, guess: Guess) -> Guess:
    """The guess for weights that are an ONNX file; raises LoadError for a form that is not computed from one."""
    if guess.candidates[0]["form"] not in _ONNX_FORMS:
        raise LoadError(
            f"{repository.source} has its weights as ONNX, of which sequence classifiers and cross-encoders are read. Name the "
            "repository that it was exported from."
        )
    candidates = tuple({**one, "backend": "onnx"} for one in guess.candidates)
    return replace(
        guess, candidates=candidates, notes=(*guess.notes, "Its weights are ONNX: ONNX Runtime computes them.")
    )


def correct_guess(guess: Guess, fields: Table) -> Guess:
    """The same with fields that a person knows better; of another form only what belongs to any form is kept."""
    form = fields.get("form", guess.candidates[0]["form"])
    kept = [
        one if one["form"] == form else {name: value for name, value in one.items() if name in _OF_ANY_FORM}
        for one in guess.candidates
    ]
    corrected = [{**one, **fields} for one in kept]
    return replace(guess, candidates=tuple(one for place, one in enumerate(corrected) if one not in corrected[:place]))


def _checked_config(repository: Repository) -> Config:
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
        found = json.loads(repository.texts.get(name, ""))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise LoadError(f"{name} of {repository.source} is no JSON object. Get the file again.")
    return found


def _read_classifier(repository: Repository, config: Config, name: str) -> Guess:
    """A sequence classifier: a regressor where it has one label, else the label that says "supported"."""
    if config.get("problem_type") == "multi_label_classification":
        raise LoadError(
            f"{repository.source} gives several labels to a text at once (multi-label), which is no score of support."
        )
    if not name.startswith(
        ("Bert", "Roberta", "XLMRoberta", "Deberta", "Albert", "Electra", "ModernBert", "DistilBert", "MPNet")
    ):
        settings = _object_or_empty(repository, "tokenizer_config.json")
        if config.get("pad_token_id") is None and not _is_encoder(config):
            pad = f" (its tokenizer has {str(settings['pad_token'])[:40]})" if settings.get("pad_token") else ""
            raise LoadError(
                f"config.json of {repository.source} has no pad_token_id{pad}, so that a {name} finds no end of a text. Put the files "
                "into a folder, write pad_token_id into config.json there, and name that folder."
            )
    labels = _labels(repository, config)
    common = _limits(repository, config)
    if len(labels) == 1:
        return _read_regressor(config, common)
    if any("," in one or "|" in one for one in labels):
        raise LoadError(
            f"A label of {repository.source} has a comma or a bar in its name. Rename it in config.json of a folder."
        )
    table = {"form": "classifier", **common, "labels": ", ".join(labels)}
    shown = ", ".join(f"{place} = {label}" for place, label in enumerate(labels))
    supported = _supported_labels(labels)
    if len(supported) == 1:
        candidates = [{**table, "label": supported[0], "first": first} for first in ("document", "summary")]
        note = f"Its labels are {shown}: {supported[0]} says that the document supports the claim."
        return Guess(tuple(candidates), (note, "The document is read first, as most models of entailment read it."))
    if len(labels) > _MAX_LABELS:
        raise LoadError(
            f"{repository.source} has {len(labels)} labels, and none says that a document supports a claim: {shown[:300]}."
        )
    candidates = [
        {**table, "label": label, "first": first}
        for first in ("document", "summary")
        for label in dict.fromkeys(labels)
    ]
    why = "have no names" if all(map(_UNNAMED.fullmatch, labels)) else "do not say which one means supported"
    return Guess(
        tuple(candidates),
        (f"Its labels {shown} {why}: the probe pairs choose the label.",),
        open="which label says that the document supports the claim",
    )


def _labels(repository: Repository, config: Config) -> list[str]:
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


def _supported_labels(labels: Sequence[str]) -> list[str]:
    """The labels that say "supported"; of two labels the other one where only "unsupported" is known."""
    plain = {label: _plain(label) for label in labels}
    good = [label for label, words in plain.items() if words in _SUPPORTED]
    bad = [label for label, words in plain.items() if words in _UNSUPPORTED]
    if not good and len(labels) == 2 and len(bad) == 1:
        return [label for label in labels if label not in bad]
    return good if len(bad) + len(good) == len(labels) else good[:1] if len(good) == 1 else []


def _plain(label: str) -> str:
    """A label in small letters, its words with single blanks between: NOT_ENTAILMENT, notEntailment and not-entailment are one."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", label)
    return " ".join(re.split(r"[\s_\-]+", words.strip().lower()))


def _read_regressor(config: Config, common: Table) -> Guess:
    nested = config.get("sentence_transformers")
    stated = nested.get("activation_fn") if isinstance(nested, dict) else None
    stated = stated or config.get("sbert_ce_default_activation_function")
    if stated:
        raw = "sigmoid" not in str(stated).lower()
        why = f"Its CrossEncoder configuration names the activation {str(stated).rsplit('.', 1)[-1][:40]}."
    else:
        raw = config.get("problem_type") == "regression"
        why = (
            "It was trained by regression: its number is taken as it is."
            if raw
            else "Its one number is taken through a sigmoid."
        )
    table = {"form": "regressor", **common, "activation": "none" if raw else "sigmoid"}
    candidates = [
        {**table, "reverse": reverse, "first": first} for first in ("document", "summary") for reverse in (False, True)
    ]
    note = f"It has one label. {why} The probe pairs say whether a high number means supported."
    return Guess(tuple(candidates), (note,), open="whether a high number says that the claim is supported")


def _read_encoder(repository: Repository, config: Config, name: str) -> Guess:
    listed = "modules.json" in repository.sizes
    table = {"form": "encoder", **_limits(repository, config), "chunk_words": _ENCODER_WORDS, "over_sentences": "mean"}
    how = "as its modules.json says" if listed else "by the mean of its tokens, as it has no modules.json"
    return Guess(
        (table,),
        (
            f"It is a sentence encoder ({name or 'without a head'}), which embeds {how}. Its cosine says if texts are about the same "
            "things; few encoders tell a fact from its opposite.",
        ),
    )


def _read_seq2seq(repository: Repository, config: Config, name: str) -> Guess:
    if not name.startswith("T5"):
        raise LoadError(
            f"{repository.source} is a {name}: of encoder-decoders a T5 can be asked for yes or no. Score how probable it finds a "
            f"summary with bartscore[checkpoint={repository.source}]."
        )
    candidates = [
        {"form": "seq2seq", **_limits(repository, config), "template": template, "words": words}
        for template, words in _SEQ2SEQ
    ]
    note = "It is an encoder-decoder that is asked a question; the probe pairs choose the template. Write its own if it has one."
    return Guess(tuple(candidates), (note,), open="which template it was trained on")


def _read_judge(repository: Repository, config: Config, name: str) -> Guess:
    settings = repository.texts.get("tokenizer_config.json", "")
    templates = ("chat_template.jinja", "chat_template.json")
    if '"chat_template"' not in settings and not any(file in repository.sizes for file in templates):
        raise LoadError(
            f"{repository.source} is a {name} without a chat template, so that it cannot be asked a question. Name the version that was "
            "trained to chat (often called Instruct)."
        )
    table = {
        "form": "judge",
        **_limits(repository, config),
        "template": _QUESTION,
        "words": "Yes No",
        "dtype": "bfloat16",
    }
    return Guess((table,), ("It is a chat model: it is asked for Yes or No, and the probability of Yes is the score.",))


def _refuse(what: str) -> Callable[[Repository, Config, str], Guess]:
    def refusal(repository: Repository, _config: Config, name: str) -> Guess:
        raise LoadError(f"{repository.source} is a {name}: {what}")

    return refusal


def _read_headless(repository: Repository, config: Config, name: str) -> Guess:
    """A network without a head: a sentence encoder; a classifier that does not say so has labels."""
    if not name and "modules.json" not in repository.sizes and config.get("id2label"):
        return _read_classifier(repository, config, "model")
    if name and "For" in name:
        raise LoadError(
            f"{repository.source} is a {name}, which is none of the forms that can be asked: {_FORMS_SHOWN}."
        )
    if config.get("is_encoder_decoder") or not _is_encoder(config):
        raise LoadError(
            f"{repository.source} is a {name or 'model'} without a head, and no encoder. Name one of: {_FORMS_SHOWN}."
        )
    return _read_encoder(repository, config, name)


_FORMS_SHOWN = "a sequence classifier, a cross-encoder, a sentence encoder, a T5, a chat model"
_HEADS: tuple[tuple[str, Callable[[Repository, Config, str], Guess]], ...] = (
    ("ForSequenceClassification", _read_classifier),
    ("T5EncoderModel", _read_encoder),
    ("ForConditionalGeneration", _read_seq2seq),
    ("ForCausalLM", _read_judge),
    ("LMHeadModel", _read_judge),
    (
        "ForTokenClassification",
        _refuse(
            "it labels single tokens, and which of them make a summary wrong differs from model to model. lettucedetect"
            "[checkpoint=…] reads such models that were trained as LettuceDetect; for another write a plug-in."
        ),
    ),
    (
        "ForMaskedLM",
        _refuse(
            "it fills in words and was trained to decide nothing. Train it with `python cli.py train`, or compare texts with "
            "bertscore[checkpoint=…]."
        ),
    ),
    (
        "ForQuestionAnswering",
        _refuse("it answers questions by a span. The metrics questeval and qafacteval use such models."),
    ),
    ("ForMultipleChoice", _refuse("it chooses among answers, which is no score of support.")),
)
"""Readers of a checkpoint by a part of the name of its architecture, the first that fits."""


def _is_encoder(config: Config) -> bool:
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


def _object_or_empty(repository: Repository, name: str) -> Config:
    return _parse_object(repository, name) if repository.texts.get(name) else {}


def _limits(repository: Repository, config: Config) -> dict[str, int]:
    """The tokens that the model reads at once, and the words of a chunk that leave room for a claim."""
    stated = _object_or_empty(repository, "tokenizer_config.json").get("model_max_length")
    sentence = _object_or_empty(repository, "sentence_bert_config.json").get("max_seq_length")
    positions = config.get("max_position_embeddings")
    pad = config.get("pad_token_id")
    offset = (pad if isinstance(pad, int) else 1) + 1 if config.get("model_type") in _OFFSET_POSITIONS else 0
    limits = [
        *(int(one) for one in (stated, sentence) if isinstance(one, int | float) and 16 <= one <= _UNLIMITED_TOKENS),
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
