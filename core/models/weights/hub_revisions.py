"""Commit of a hub repository that is taken where a metric names no revision, so that a later push moves no score.

Each commit was read from public code or from a page of the hub; a repository for which none was found follows its branch
main, and `commit_note` says which commit that was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from core.model_reference import Checkpoint

MAIN = "main"

PINNED: Mapping[str, str] = {
    "Babelscape/t5-base-summarization-claim-extractor": "94775fb1c8dc2c3ef1bfec413f9f961e6ba5a1c8",
    "FacebookAI/roberta-base": "e2da8e2f811d1448a5b465c236feacd80ffbac7b",
    "FacebookAI/roberta-large": "722cf37b1afa9454edce342e7895e588b6ff1d59",
    "FacebookAI/roberta-large-mnli": "2a8f12d27941090092df78e4ba6f0928eb5eac98",
    "KRLabsOrg/lettucedect-base-modernbert-en-v1": "bbd77832f52f9bd87546a3924c032467921f5c34",
    "MoritzLaurer/DeBERTa-v3-large-mnli-fever-anli-ling-wanli": "b3546ea6b0346eb6f8d5d68b13c7dc6d0376b3d7",
    "bespokelabs/Bespoke-MiniCheck-7B": "1ed7786bcda3fa1dc35f7c4ed9e3f36b785d33b8",
    "facebook/bart-large": "cb48c1365bd826bd521f650dc2e0940aee54720c",
    "facebook/bart-large-cnn": "37f520fa929c961707657b28798b30c003dd100b",
    "google-bert/bert-base-multilingual-cased": "3f076fdb1ab68d5b2880cb87a0886f315b8146f8",
    "google/flan-t5-base": "7bcac572ce56db69c1ea7c8af255c5d7c9672fc2",
    "lucadiliello/BLEURT-20": "e22b9eb071dcb939da9fff08b20a7e746c72a830",
    "lytang/MiniCheck-DeBERTa-v3-Large": "2f2d01a54fa022a7ffadb76260e1ea8bc88c82bb",
    "lytang/MiniCheck-Flan-T5-Large": "96eafd01cee2d16cf81aaa2fb226b14f422a37b3",
    "lytang/MiniCheck-RoBERTa-Large": "74c8919647e61ed0f71bc177d94f10930f090068",
    "manueldeprada/FactCC": "c7b3148015d4ddc263f6e2acb2689e90ac061669",
    "microsoft/deberta-base-mnli": "a80a6eb013898011540b19bf1f64e21eb61e53d6",
    "microsoft/deberta-xlarge-mnli": "5b07a9086c1dbb79981ff7b05b4d1ad83b3af51c",
    "mrm8488/t5-base-finetuned-question-generation-ap": "c81cbaf0ec96cc3623719e3d8b0f238da5456ca8",
    "sentence-transformers/bert-base-nli-mean-tokens": "18fc720063106176044380e71bad038d01e821d1",
    "tals/albert-xlarge-vitaminc-mnli": "3082ba54344bd9ddada2be1c5e9b4131721d2a5d",
    "vectara/hallucination_evaluation_model": "8e4a2e6e96c708cc76c2344f7e4757df2515292c",
    "yaxili96/FactCG-DeBERTa-v3-Large": "0430e3509dbd28d2dff7a117c0eae25359ff3e80",
    "ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli": "5b605abab9b75bc87ab66cfc049ef58d9d64b8ed",
    "yzha/AlignScore": "8509e78d25bb914939fc585c626500c9b2944249",
}
"""By repository, the commit that is taken by default."""


def hub_file(source: str) -> tuple[str, str]:
    """The repository that a source names, and the file of it that it names, if any."""
    names = source.split("/")
    return "/".join(names[:2]), "/".join(names[2:])


def revision_of(checkpoint: Checkpoint) -> str:
    """The revision that a checkpoint of the hub is taken at: the one it names, the pinned commit, or main."""
    repository, _ = hub_file(checkpoint.source)
    return checkpoint.revision or PINNED.get(repository, MAIN)


def is_commit(revision: str) -> bool:
    """True if a revision is the full hash of a commit, which never moves, rather than a branch or tag."""
    return re.fullmatch(r"[0-9a-f]{40}", revision) is not None


def commit_note(checkpoint: Checkpoint, folder: Path | None = None) -> str:
    """Note on the commit of a repository: of the download in `folder`, else the one that would be downloaded."""
    revision = revision_of(checkpoint)
    if not folder:
        return f"At commit {revision}." if is_commit(revision) else f"At revision {revision}, which may move."
    commit = next((path.name for path in (folder, *folder.parents) if path.parent.name == "snapshots"), "unknown")
    return f"Commit {commit}" + ("." if revision == commit else f", which {revision} was when it was downloaded.")
