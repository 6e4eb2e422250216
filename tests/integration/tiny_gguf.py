"""A tiny random Llama as a GGUF file. Run by the Python that has gguf: python tiny_gguf.py FILE."""

from __future__ import annotations

import sys

import gguf  # of the same Python as xllamacpp, which need not be ours
import numpy as np

WIDTH, INNER, LAYERS, HEADS, CONTEXT = 64, 128, 2, 4, 4096
WORDS = ("▁the", "▁ferry", "▁harbour", "▁was", "▁closed", "▁Yes", "▁No", "▁and", "e", "t", "a", "o", "n", "▁")
TEMPLATE = "{% for one in messages %}{{ one.role }}: {{ one.content }}\n{% endfor %}assistant:"


def write(path: str) -> None:
    writer = gguf.GGUFWriter(path, "llama")
    _write_shape(writer)
    count = _write_vocabulary(writer)
    drawn = np.random.default_rng(0)

    def add(name: str, *shape: int) -> None:
        writer.add_tensor(f"{name}.weight", drawn.normal(0, 0.3, shape).astype(np.float32))

    add("token_embd", count, WIDTH)
    add("output", count, WIDTH)
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    for layer in range(LAYERS):
        for norm in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{norm}.weight", np.ones(WIDTH, np.float32))
        for square in ("attn_q", "attn_k", "attn_v", "attn_output"):
            add(f"blk.{layer}.{square}", WIDTH, WIDTH)
        add(f"blk.{layer}.ffn_gate", INNER, WIDTH)
        add(f"blk.{layer}.ffn_up", INNER, WIDTH)
        add(f"blk.{layer}.ffn_down", WIDTH, INNER)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _write_shape(writer: gguf.GGUFWriter) -> None:
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)


def _write_vocabulary(writer: gguf.GGUFWriter) -> int:
    """Control tokens, all bytes and a few words; how many there are."""
    kinds = gguf.TokenType
    control = [("<unk>", kinds.UNKNOWN), ("<s>", kinds.CONTROL), ("</s>", kinds.CONTROL)]
    tokens = [
        *control,
        *((f"<0x{byte:02X}>", kinds.BYTE) for byte in range(256)),
        *((word, kinds.NORMAL) for word in WORDS),
    ]
    writer.add_tokenizer_model("llama")
    writer.add_token_list([token for token, _ in tokens])
    writer.add_token_scores([-float(place) for place in range(len(tokens))])
    writer.add_token_types([kind for _, kind in tokens])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template(TEMPLATE)
    return len(tokens)


if __name__ == "__main__":
    write(sys.argv[1])
