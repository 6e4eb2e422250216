"""Kind "onnx_classifier": a sequence classifier in an ONNX file, which ONNX Runtime computes on the processor."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from core.errors import LoadError, UnscorableError
from core.model_reference import Checkpoint
from core.models.networks.model import Row, rows_of
from core.models.networks.tokenizer import TextTokenizer
from core.models.weights.config_check import label_order
from core.models.weights.weight_files import onnx_files, read_json_object
from core.types import Answer, Question

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_KNOWN_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
_LOGITS = "logits"


class OnnxClassifier:
    """Inputs: one text or a pair. Option "limit": tokens at most. Values: the softmax over all labels, those that the
    checkpoint is expected to have in the order that is expected; of a model with one label its number.
    """

    def __init__(
        self, session: InferenceSession, tokenizer: TextTokenizer, order: tuple[int, ...] | None, pad: int, nbytes: int
    ) -> None:
        self._session = session
        self._inputs = {node.name for node in session.get_inputs()}
        self._tokenizer = tokenizer
        self._order = order
        self._pad = pad
        self.nbytes = nbytes

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        return rows_of(self._tokenizer, questions)

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        tokens = [row.payload[0] for row in rows]
        longest = max(map(len, tokens))
        ids = np.full((len(rows), longest), self._pad, dtype=np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for number, row in enumerate(tokens):
            ids[number, : len(row)], types[number, : len(row)], mask[number, : len(row)] = row.ids, row.types, 1
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        try:
            [logits] = self._session.run([_LOGITS], {name: feeds[name] for name in self._inputs})
        except _errors() as error:
            raise UnscorableError(
                f"ONNX Runtime cannot compute a text of {longest} tokens: {str(error)[:200]}. Set max_tokens= to what the model reads."
            ) from error
        values = np.asarray(logits, dtype=np.float64)
        if not np.isfinite(values).all():
            raise UnscorableError("The model gives a number that is none (NaN or infinite). Export it in float32.")
        if values.shape[1] > 1:  # a single label has its number as it is
            shares = np.exp(values - values.max(axis=1, keepdims=True))
            values = np.asarray(shares / shares.sum(axis=1, keepdims=True))
        order = self._order or tuple(range(values.shape[1]))
        return [
            Answer(values=tuple(float(line[place]) for place in order), tokens=len(row), cut=row.cut)
            for line, row in zip(values, tokens, strict=True)
        ]


def _errors() -> tuple[type[Exception], ...]:
    """Exceptions of ONNX Runtime, which have no base of their own."""
    from onnxruntime.capi import onnxruntime_pybind11_state as library

    names = (
        "Fail",
        "InvalidArgument",
        "InvalidGraph",
        "InvalidProtobuf",
        "NoSuchFile",
        "NotImplemented",
        "RuntimeException",
    )
    return tuple(getattr(library, name) for name in names)


def load(path: Path, checkpoint: Checkpoint, device: str) -> OnnxClassifier:  # noqa: ARG001  # the processor alone
    try:
        import onnxruntime
    except ImportError:
        raise LoadError(
            "ONNX files are computed by ONNX Runtime, which is not installed. Run: python -m pip install onnxruntime==1.32.0"
        ) from None
    order = label_order(path, checkpoint)
    files = onnx_files(path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    options.log_severity_level = 3  # errors alone
    try:
        session = onnxruntime.InferenceSession(files[0], options, providers=["CPUExecutionProvider"])
    except _errors() as error:
        raise LoadError(f"{files[0]} cannot be read: {str(error)[:200]}. Export the model again.") from error
    inputs, outputs = ({node.name for node in part} for part in (session.get_inputs(), session.get_outputs()))
    if not {"input_ids", "attention_mask"} <= inputs <= _KNOWN_INPUTS or _LOGITS not in outputs:
        raise LoadError(
            f"{files[0]} takes {', '.join(sorted(inputs))[:200]} and gives {', '.join(sorted(outputs))[:200]}, and a classifier takes "
            "input_ids and attention_mask and gives logits. Export it as a sequence classifier."
        )
    pad = read_json_object(path / "config.json").get("pad_token_id")
    nbytes = sum(file.stat().st_size for file in files)
    return OnnxClassifier(session, TextTokenizer.load(path), order, pad if isinstance(pad, int) else 0, nbytes)
