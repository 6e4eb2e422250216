"""Guess how a checkpoint is asked, from what `checkpoint_config` reads of its files; nothing of it is loaded or run.

What cannot be asked is refused in a sentence with what to do. What the files leave open are several candidates, of which
the probe pairs choose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.errors import LoadError
from core.models import MODEL_CARD_FILE, WEIGHT_FILES, Repository
from core.scoring.plugins.checkpoints.checkpoint_config import (
    Config,
    card_fields,
    checked_config,
    config_labels,
    is_encoder,
    object_or_empty,
    token_limits,
)

Table = Mapping[str, object]

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

_ENCODER_WORDS = 40

_QUESTION = "Document: {document}\n\nClaim: {summary}\n\nDoes the document support everything that the claim says? Answer Yes or No."
_SEQ2SEQ = (
    ("Premise: {document}\nHypothesis: {summary}\nDoes the premise entail the hypothesis? Answer yes or no.", "yes no"),
    ("premise: {document} hypothesis: {summary}", "1 0"),
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
    config = checked_config(repository)
    architectures = config.get("architectures")
    name = str(architectures[0])[:80] if isinstance(architectures, list) and architectures else ""
    guess = next((read for mark, read in _HEADS if mark in name), _read_headless)(repository, config, name)
    only_onnx = not any(file in repository.sizes for file in WEIGHT_FILES)
    if only_onnx:
        if guess.candidates[0]["form"] not in _ONNX_FORMS:
            raise LoadError(
                f"{repository.source} has its weights as ONNX, of which sequence classifiers and cross-encoders are read. Name the "
                "repository that it was exported from."
            )
        computed = tuple({**candidate, "backend": "onnx"} for candidate in guess.candidates)
        notes = (*guess.notes, "Its weights are ONNX: ONNX Runtime computes them.")
        guess = replace(guess, candidates=computed, notes=notes)
    common: dict[str, object] = {"revision": repository.revision} if repository.revision else {}
    common |= card_fields(repository.texts.get(MODEL_CARD_FILE, ""))
    if repository.download_mb:
        common["download_mb"] = repository.download_mb
    candidates = tuple({"checkpoint": repository.source, **candidate, **common} for candidate in guess.candidates)
    pickled = (
        ("Its weights are a pickle: they are read as numbers only, and no code in them is run.",)
        if not only_onnx and not any(file.startswith("model.safetensors") for file in repository.sizes)
        else ()
    )
    return Guess(candidates, (*guess.notes, *pickled), guess.open)


def correct_guess(guess: Guess, fields: Table) -> Guess:
    """The same with fields that a person knows better; of another form only what belongs to any form is kept."""
    form = fields.get("form", guess.candidates[0]["form"])
    compatible = [
        candidate
        if candidate["form"] == form
        else {name: value for name, value in candidate.items() if name in _OF_ANY_FORM}
        for candidate in guess.candidates
    ]
    corrected = [{**candidate, **fields} for candidate in compatible]
    return replace(
        guess,
        candidates=tuple(candidate for place, candidate in enumerate(corrected) if candidate not in corrected[:place]),
    )


def _read_classifier(repository: Repository, config: Config, name: str) -> Guess:
    """A sequence classifier: a regressor where it has one label, else the label that says "supported"."""
    if config.get("problem_type") == "multi_label_classification":
        raise LoadError(
            f"{repository.source} gives several labels to a text at once (multi-label), which is no score of support."
        )
    if not name.startswith(
        ("Bert", "Roberta", "XLMRoberta", "Deberta", "Albert", "Electra", "ModernBert", "DistilBert", "MPNet")
    ):
        settings = object_or_empty(repository, "tokenizer_config.json")
        if config.get("pad_token_id") is None and not is_encoder(config):
            pad = f" (its tokenizer has {str(settings['pad_token'])[:40]})" if settings.get("pad_token") else ""
            raise LoadError(
                f"config.json of {repository.source} has no pad_token_id{pad}, so that a {name} finds no end of a text. Put the files "
                "into a folder, write pad_token_id into config.json there, and name that folder."
            )
    labels = config_labels(repository, config)
    common = token_limits(repository, config)
    if len(labels) == 1:
        return _read_regressor(config, common)
    if any("," in label or "|" in label for label in labels):
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


def _supported_labels(labels: Sequence[str]) -> list[str]:
    """The labels that say "supported"; of two labels the other one where only "unsupported" is known."""
    # in small letters, with single blanks: NOT_ENTAILMENT, notEntailment and not-entailment are one
    apart = {label: re.sub(r"(?<=[a-z])(?=[A-Z])", " ", label).strip().lower() for label in labels}
    plain = {label: " ".join(re.split(r"[\s_\-]+", words)) for label, words in apart.items()}
    good = [label for label, words in plain.items() if words in _SUPPORTED]
    bad = [label for label, words in plain.items() if words in _UNSUPPORTED]
    if not good and len(labels) == 2 and len(bad) == 1:
        return [label for label in labels if label not in bad]
    return good if len(bad) + len(good) == len(labels) else good[:1] if len(good) == 1 else []


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
    table = {
        "form": "encoder",
        **token_limits(repository, config),
        "chunk_words": _ENCODER_WORDS,
        "over_sentences": "mean",
    }
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
        {"form": "seq2seq", **token_limits(repository, config), "template": template, "words": words}
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
        **token_limits(repository, config),
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
    if config.get("is_encoder_decoder") or not is_encoder(config):
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
