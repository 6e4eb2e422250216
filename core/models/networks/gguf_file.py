"""Language models in one GGUF file, as llama.cpp quantizes them: read once, by transformers, and written as a folder of it."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from pathlib import Path

from transformers import AutoModelForCausalLM, AutoTokenizer

from core.errors import LoadError, TouchstoneError
from core.model_reference import Checkpoint
from core.models.networks.network import LOAD_ERRORS, load_network
from core.models.weights.weights import write_weights

SUFFIX = ".gguf"


def convert_gguf(file: Path, made: Path) -> str:
    """Write config.json, model.safetensors in bfloat16, and the tokenizer with its chat template; the sentence says what it was.

    Nothing of the file is run. Raises LoadError for a file that is damaged or of an architecture that transformers does not read.
    """
    if missing := [
        name for name in ("gguf", "accelerate") if find_spec(name) is None
    ]:  # transformers reads the file by both
        raise TouchstoneError(
            f"A GGUF file is read by the packages gguf and accelerate; not installed: {', '.join(missing)}. Run: python -m pip "
            "install gguf==0.19.0 accelerate==1.15.0"
        )
    read = partial(AutoModelForCausalLM.from_pretrained, gguf_file=file.name)
    network = load_network(read, file.parent, Checkpoint(str(file), "local_chat", dtype="bfloat16"), "cpu")
    try:
        tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name, local_files_only=True)
    except LOAD_ERRORS as error:
        raise LoadError(f"The tokenizer of {file} cannot be read: {str(error)[:200]}. Get the file again.") from error
    del network.config.quantization_config  # its weights are full numbers now
    network.config.architectures = [type(network).__name__]
    network.config.save_pretrained(made)
    state = network.state_dict()
    tied = network.config.tie_word_embeddings
    write_weights(
        made / "model.safetensors", {key: state[key] for key in state if not (tied and key == "lm_head.weight")}, {}
    )
    tokenizer.save_pretrained(made)
    return f"{file.name} is a {network.config.architectures[0]} of transformers in bfloat16 now."
