"""Check of the config.json of a checkpoint: is the model made for the metric, and where has a classifier the classes that the metric reads?"""

from __future__ import annotations

import re
from pathlib import Path

from core.errors import LoadError
from core.model_reference import Checkpoint, ExpectedModel
from core.models.weights.weight_files import ONNX_KIND, read_json_object

_HEADS = {
    "sequence_classifier": "ForSequenceClassification",
    ONNX_KIND: "ForSequenceClassification",
    "token_classifier": "ForTokenClassification",
}
_UNNAMED = re.compile(r"(label[ _]?)?\d+")
_DEFAULT_LABELS = 2  # of transformers


def label_order(folder: Path, checkpoint: Checkpoint) -> tuple[int, ...] | None:
    """Index of each class that the metric reads in the output of the classifier; None where nothing is expected of it.

    Where config.json names its labels these tell; unnamed ones (LABEL_0 …) are in the authors' order, and so are names of
    the authors' own that say nothing of the classes. Raises LoadError for a model of another architecture or task, and
    for labels that contradict each other or, in the authors' own weights, their order.
    """
    expected = checkpoint.expects
    if expected is None:
        return None
    config = read_json_object(folder / "config.json")
    if not expected.published:
        named = config.get("architectures")
        architectures = [str(name) for name in named] if isinstance(named, list) else []
        head = _HEADS[checkpoint.kind]
        # a model without a head of its own may still be one: its weights tell when they are loaded
        if any("For" in name for name in architectures) and not any(name.endswith(head) for name in architectures):
            raise _refusal(checkpoint, f"is a {architectures[0][:60]}, and the metric needs a model {head}")

    named, number = config.get("id2label"), config.get("num_labels", _DEFAULT_LABELS)
    if not isinstance(named, dict) or not named:
        names = [str(place) for place in range(number if isinstance(number, int) else _DEFAULT_LABELS)]
    else:
        names = [_plain(str(named.get(str(place), place))) for place in range(len(named))]

    if len(names) != len(expected.labels):
        raise _refusal(checkpoint, f"has {len(names)} labels, and the metric reads {len(expected.labels)}")
    if all(_UNNAMED.fullmatch(name) for name in names):
        model_type = str(config.get("model_type"))[:60]
        if not expected.published and model_type not in expected.model_types:
            raise _refusal(
                checkpoint,
                f"is a model of type {model_type} that does not name its labels, and the metric's models are of type "
                f"{' or '.join(expected.model_types)}",
            )
        return tuple(range(len(expected.labels)))
    return _named_order(checkpoint, expected, config, names)


def require_encoder(folder: Path, checkpoint: Checkpoint) -> None:
    """Raise LoadError for a model that writes: its states are not those of the text that it reads."""
    config = read_json_object(folder / "config.json")
    if config.get("is_encoder_decoder"):
        raise LoadError(
            f"{checkpoint.source} is an encoder-decoder of type {str(config.get('model_type'))[:60]}, and the metric compares "
            f"states of an encoder. Set {checkpoint.setting}= to an encoder, as BERT, RoBERTa or MPNet."
        )


def _named_order(
    checkpoint: Checkpoint, expected: ExpectedModel, config: dict[str, object], names: list[str]
) -> tuple[int, ...]:
    shown = ", ".join(f"{place} = {name[:40]}" for place, name in enumerate(names))
    ids = config.get("label2id")
    stated = {_plain(str(name)): place for name, place in ids.items()} if isinstance(ids, dict) else {}
    if any(stated.get(name, place) != place for place, name in enumerate(names)):
        raise _refusal(checkpoint, f"says {shown} in id2label and another order in label2id")
    places = [[place for place, name in enumerate(names) if name in words] for words in expected.labels]
    if any(len(matches) != 1 for matches in places):
        if expected.published:
            # names such as LABEL_0: the authors' code reads them by place
            return tuple(range(len(names)))
        labels = ", ".join(words[0] for words in expected.labels)
        raise _refusal(checkpoint, f"has the labels {shown}, and the metric reads {labels}")
    order = tuple(place for [place] in places)
    if expected.published and order != tuple(range(len(order))):
        labels = ", ".join(f"{place} = {words[0]}" for place, words in enumerate(expected.labels))
        raise _refusal(checkpoint, f"says {shown}, and the authors' code reads it as {labels}")
    return order


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", " ").replace("-", " ")


def _refusal(checkpoint: Checkpoint, why: str) -> LoadError:
    return LoadError(
        f"{checkpoint.source} {why}. Set {checkpoint.setting}= to a model made for this metric, or config_check=off if you know "
        "that it is one: its labels are then read in the authors' order."
    )
