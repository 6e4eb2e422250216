"""The chat template of a checkpoint: messages become the tokens after which its model answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jinja2 import TemplateError
from transformers import PreTrainedTokenizerFast

from core.errors import LoadError
from core.models.networks.model import UNLIMITED
from core.models.networks.tokenizer import TextTokenizer, Tokens, without_special_tokens


class ChatTemplate:
    """`load` raises LoadError for a folder without a template; it is rendered in a sandbox."""

    def __init__(self, folder: Path, tokenizer: TextTokenizer, template: PreTrainedTokenizerFast) -> None:
        self._folder = folder
        self._tokenizer = tokenizer
        self._template = template

    @classmethod
    def load(cls, folder: Path) -> ChatTemplate:
        tokenizer = TextTokenizer.load(folder)
        try:
            template = PreTrainedTokenizerFast.from_pretrained(folder, local_files_only=True)
        except (OSError, ValueError) as error:
            raise LoadError(f"The tokenizer files of {folder} are not readable ({error}). Get them again.") from error
        if not template.chat_template:
            raise LoadError(
                f"{folder} has no chat template. Put the model's tokenizer_config.json or chat_template.jinja there, "
                "or name a model that was trained to chat."
            )
        return cls(folder, tokenizer, template)

    @property
    def end(self) -> int | None:
        """The token that ends a text, by the tokenizer."""
        return self._template.eos_token_id

    @property
    def padding(self) -> int | None:
        """The token that fills up a row, by the tokenizer."""
        return self._template.pad_token_id

    def tokens(self, messages: Sequence[str], special: bool) -> Tokens:
        """A system and a user message, then answers and further requests in turn, up to where the next answer begins.

        `special` puts the tokenizer's own tokens before the template, which may begin with them already. A template that
        knows no system role has its message in front of the first request. What a message spells as a special token is not
        one, so that no text ends the turn of the user, except with `special`, the form in which the authors of a model ask it.
        """
        if not special:
            names = {*self._tokenizer.special_names, *self._template.all_special_tokens}
            messages = [without_special_tokens(message, names) for message in messages]
        [tokens] = self._tokenizer.encode([self._text(messages)], [UNLIMITED])
        if special:
            return tokens
        ids = tuple(token for token, added in zip(tokens.ids, tokens.special, strict=True) if not added)
        return Tokens(ids, types=(0,) * len(ids))

    def words(self, ids: Sequence[int]) -> str:
        """Text of ids, without special tokens."""
        return str(self._template.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def token(self, id: int) -> str:
        """Text of one token, special or not."""
        return str(self._template.decode([id]))

    def _text(self, messages: Sequence[str]) -> str:
        system, first, *rest = messages
        if not system:  # a paper may print none
            return self._render(_in_turn([first, *rest]))
        try:
            return self._render([("system", system), *_in_turn([first, *rest])])
        except TemplateError:
            pass
        try:
            return self._render(_in_turn([f"{system}\n\n{first}", *rest]))
        except TemplateError as error:
            raise LoadError(
                f"The chat template of {self._folder} does not work ({error}). Get the file again."
            ) from error

    def _render(self, roles: Sequence[tuple[str, str]]) -> str:
        messages = [{"role": role, "content": content} for role, content in roles]
        return str(self._template.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))


def _in_turn(messages: Sequence[str]) -> list[tuple[str, str]]:
    return [("assistant" if place % 2 else "user", message) for place, message in enumerate(messages)]
