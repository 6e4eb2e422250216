"""Networks of transformers: loading that fails loudly, padded batches, and running out of memory."""

from __future__ import annotations

import logging as python_logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import torch
from huggingface_hub.errors import StrictDataclassError
from safetensors import SafetensorError
from torch import Tensor

from core.errors import LoadError, MemoryFullError, UnscorableError
from core.model_reference import TF32, Checkpoint
from core.models.device import empty_cache
from core.models.hardware import tf32_is_off
from core.models.networks.bert import Bert, read_bert
from core.models.networks.shared_weights import own_weights, share_weights
from core.models.networks.tokenizer import Tokens
from core.models.weights.weight_files import read_json_object

if TYPE_CHECKING:  # transformers takes three seconds and 150 MB: the packaged encoder does without
    from transformers import PreTrainedModel

Encoder: TypeAlias = "PreTrainedModel | Bert"
"""An encoder without a head."""
_Network = TypeVar("_Network", bound=torch.nn.Module)

FromPretrained = Callable[..., object]
"""The `from_pretrained` of an architecture of transformers."""

_OFFSET_POSITIONS = {"roberta", "xlm-roberta", "camembert", "mpnet", "longformer", "data2vec-text"}
# what broken, foreign or truncated files make transformers raise
LOAD_ERRORS = (
    OSError,
    ValueError,
    LookupError,
    RuntimeError,
    TypeError,
    AttributeError,
    AssertionError,
    ArithmeticError,
    EOFError,
    SafetensorError,
    UnpicklingError,
    StrictDataclassError,
)
# of CUDA and MPS, of the processor, of cuBLAS and cuDNN, and of the allocator that asks NVML how much is free
_ALLOCATION_FAILURES = (
    "out of memory",
    "allocate memory",
    "alloc_failed",
    "allocation_failed",
    "nvml_success == r",
)
_log = python_logging.getLogger(__name__)
# Transformers changes the default number type and the initialisers of the whole process while it builds a network.
_BUILDING = Lock()
# of every shape of a batch that it has not seen, cuDNN's attention makes a plan first, which takes longer than the batch
torch.backends.cuda.enable_cudnn_sdp(False)
# float32 is exact until a model is asked in TF32; TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1, as images set it, would begin with TF32
torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
_ALIGNED_TOKENS = 8


def load_network(
    read: FromPretrained, folder: Path, checkpoint: Checkpoint, device: str, unused: str | None = None
) -> PreTrainedModel:
    """A network with every weight from the files, not to be trained any more; raises LoadError, MemoryFullError.

    Code of the repository is never run, pickles are read with weights_only, and files that lack a weight are refused
    where transformers would fill it with random numbers; only one whose name begins with `unused` may be missing.
    """
    from core.models.networks.attention import prepare_attention
    from core.models.networks.linear import prepare_linear

    network = _read_network(read, folder, checkpoint, device, (unused,) if unused else ())
    with freeing_memory(f"{checkpoint.source} does not fit"):
        return prepare_linear(prepare_attention(share_weights(network)))


def load_encoder(folder: Path, checkpoint: Checkpoint, device: str) -> Encoder:
    """The encoder of a folder, by the same rules; a BERT in one file of safe tensors is read without transformers."""
    with freeing_memory(f"{checkpoint.source} does not fit"):
        bert = read_bert(folder, checkpoint)
        if bert is not None:
            return share_weights(_require_numbers(bert.to(device), folder))
    from transformers import AutoModel

    return load_network(AutoModel.from_pretrained, folder, checkpoint, device, unused="pooler.")


def load_trainable_network(
    read: FromPretrained, folder: Path, checkpoint: Checkpoint, device: str, unused: tuple[str, ...]
) -> PreTrainedModel:
    """The same, to be trained: weights whose names begin with one of `unused` may be missing, or of another shape."""
    network = _read_network(read, folder, checkpoint, device, unused)
    with freeing_memory(f"{checkpoint.source} does not fit"):
        return own_weights(network)


def _read_network(
    read: FromPretrained, folder: Path, checkpoint: Checkpoint, device: str, unused: tuple[str, ...]
) -> PreTrainedModel:
    """The network, whose weights may be views of its file."""
    from transformers.utils import logging

    logging.disable_progress_bar()  # the pool reports progress
    logging.set_verbosity_error()  # missing weights are an error here, not a table in the log
    if checkpoint.dtype == TF32 and not (device.startswith("cuda") and torch.cuda.is_tf32_supported()):
        raise LoadError(f"No processor for tf32 here: {device}. NVIDIA GPUs have it from Ampere on; set dtype=float32.")
    if checkpoint.dtype == TF32 and tf32_is_off():
        raise LoadError("NVIDIA_TF32_OVERRIDE=0 turns TF32 off. Unset it, or set dtype=float32.")
    with freeing_memory(f"{checkpoint.source} does not fit"):
        dtype = torch.float32 if checkpoint.dtype == TF32 else getattr(torch, checkpoint.dtype, None)
        if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
            raise LoadError(
                f"{checkpoint.dtype!r} is no number type of a model. Use float32, tf32, float16 or bfloat16."
            )
        options = {
            "dtype": dtype,
            "local_files_only": True,
            "trust_remote_code": False,
            "weights_only": True,
        }
        try:
            with _BUILDING:
                loaded = read(folder, **options, output_loading_info=True)
        except LOAD_ERRORS as error:
            if _is_out_of_memory(error):
                raise
            raise LoadError(_load_error(folder, error)) from error
        network, report = cast("tuple[PreTrainedModel, dict[str, set[Any]]]", loaded)

        reshaped = {key for key, _, _ in report.get("mismatched_keys", ())}  # its name and both shapes
        missing = sorted(key for key in {*report["missing_keys"], *reshaped} if not key.startswith(unused))
        if missing:
            raise LoadError(
                f"The model in {folder} is of another kind: it lacks {len(missing)} weights ({', '.join(missing[:3])}). "
                "Name a model made for this metric."
            )

        return _require_numbers(network.eval().to(device), folder)


def _require_numbers(network: _Network, folder: Path) -> _Network:
    """The network; raises LoadError for a weight that is no number, which makes every score none either."""
    names = [name for name, _ in network.named_parameters()]
    # by the device, which is asked once: a processor takes half a minute for the weights of 7 B parameters
    finite = torch.stack([weight.sum(dtype=torch.float32).isfinite() for weight in network.parameters()]).tolist()
    for name, is_finite in zip(names, finite, strict=True):
        if not is_finite:
            raise LoadError(
                f"The weights in {folder} are damaged: {name} holds values that are no numbers (NaN or infinite). Get the "
                "file again, or name another model."
            )
    return network


def network_bytes(network: torch.nn.Module) -> int:
    """Bytes of its parameters and buffers."""
    tensors = [*network.parameters(), *network.buffers()]
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def pad_batch(rows: Sequence[Tokens], network: Encoder) -> tuple[Tensor, Tensor, Tensor]:
    """Ids, mask and segment types for a network, each (rows, longest), padded on the right; on a GPU to a multiple of 8."""
    longest = max(len(row) for row in rows)

    table = getattr(getattr(network.base_model, "embeddings", None), "position_embeddings", None)
    if isinstance(table, torch.nn.Embedding) and longest > max_positions(network):
        raise UnscorableError(
            f"The text has {longest} tokens and this model reads {max_positions(network)}. Shorten it, or name a model that "
            "reads more."
        )
    if network.device.type != "cpu":
        longest = padded_length(longest, max_positions(network))

    batch = torch.zeros((3, len(rows), longest), dtype=torch.long)
    ids, mask, types = batch
    ids.fill_(network.config.pad_token_id or 0)
    read = torch.arange(longest) < torch.tensor([len(row) for row in rows])[:, None]  # (rows, longest)
    ids[read] = torch.tensor([token for row in rows for token in row.ids])
    mask[read] = 1
    types[read] = torch.tensor([segment for row in rows for segment in row.types])

    largest = int(ids.max())
    vocabulary_size = len(cast(Tensor, network.get_input_embeddings().weight))
    if largest >= vocabulary_size:
        raise LoadError(
            f"The tokenizer wrote token {largest} and the model knows {vocabulary_size}: their files are of two models. Get all of "
            "them from one repository, or name another."
        )

    ids, mask, types = copy_to_device(batch, network.device)
    return ids, mask, types


def padded_length(longest: int, most: int) -> int:
    """Length of the rows of a batch on a GPU: a multiple of 8, which its attention reads without a copy, or the `most` that fit."""
    padded = -(-longest // _ALIGNED_TOKENS) * _ALIGNED_TOKENS
    return most if longest <= most < padded else padded


def copy_to_device(batch: Tensor, device: torch.device) -> Tensor:
    """A tensor of this machine's memory on a device; a GPU copies it from pinned memory, beside what it computes."""
    if device.type != "cuda":
        return batch.to(device)
    return batch.pin_memory().to(device, non_blocking=True)


def read_back(*tensors: Tensor) -> list[Tensor]:
    """Tensors of one device in the memory of this machine, in their shapes; a GPU is waited for once for each number type."""
    if all(tensor.device.type == "cpu" for tensor in tensors):
        return list(tensors)
    flat: dict[torch.dtype, Tensor] = {}
    for dtype in dict.fromkeys(tensor.dtype for tensor in tensors):
        flat[dtype] = torch.cat([tensor.flatten() for tensor in tensors if tensor.dtype == dtype]).cpu()
    read = []
    for tensor in tensors:
        values, flat[tensor.dtype] = flat[tensor.dtype].split(
            [tensor.numel(), flat[tensor.dtype].numel() - tensor.numel()]
        )
        read.append(values.view(tensor.shape))
    return read


def max_positions(network: Encoder) -> int:
    """The tokens that fit into the network's table of positions, which RoBERTa's descendants count from behind the pad."""
    first = network.config.pad_token_id + 1 if network.config.model_type in _OFFSET_POSITIONS else 0
    return int(getattr(network.config, "max_position_embeddings", 512)) - first


def segment_types(network: Encoder, types: Tensor) -> dict[str, Tensor]:
    """Segment types as keyword where the network knows more than one."""
    return {"token_type_ids": types} if getattr(network.config, "type_vocab_size", 0) > 1 else {}


@contextmanager
def freeing_memory(what: str) -> Iterator[None]:
    """Turn running out of memory into MemoryFullError, after emptying the device's cache."""
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if not _is_out_of_memory(error):
            raise
        full = f"{what} into the memory of the device. Unload another model or use a smaller one."
    else:
        return
    # raised here, where the failed batch is no longer held by the traceback
    empty_cache()
    raise MemoryFullError(full)


def _is_out_of_memory(error: BaseException) -> bool:
    """True if a device or the machine ran out of memory; only CUDA's allocator has an exception of its own for it."""
    message = str(error).lower()
    return isinstance(error, (torch.OutOfMemoryError, MemoryError)) or any(
        words in message for words in _ALLOCATION_FAILURES
    )


def _load_error(folder: Path, error: BaseException) -> str:
    """Message with the problem and what to do; the library's own, which advises to load unsafely, goes to the log."""
    _log.warning("The model in %s does not load.", folder, exc_info=error)
    config = read_json_object(folder / "config.json") if folder.is_dir() else {}
    if isinstance(error, UnpicklingError):
        return (
            f"The weights in {folder} hold more than numbers, which would run as code, or are no pickle at all: they are not "
            "read. Get model.safetensors, or weights from another source."
        )
    if "trust_remote_code" in str(error):  # what transformers advises where only the repository's code can load it
        return (
            f"The model in {folder} needs custom code of its repository, which is not run. Name a model of an architecture that "
            "transformers has."
        )
    return (
        f"The model in {folder} does not load: its config.json describes a model of type "
        f"{str(config.get('model_type', 'unknown'))[:60]}, and files or metric want another, or a file is damaged. Get all "
        "files again from one repository, or name a model made for this metric; the log has the details."
    )
