"""The files that authors released, beside the repository, and where anybody gets those that are not there."""

from __future__ import annotations

import pytest

from tests.doubles.process import ROOT

DATA = ROOT.parent / "shared" / "data"
BUMP = DATA / "bump" / "task1_dataset.json"
EXPLANATIONS = DATA / "summedits" / "factcc_explanation_annotation.json"

SOURCES = {
    "bump": "BUMP: https://github.com/dataminr-ai/BUMP, data/",
    "frank_valid": "FRANK: https://github.com/artidoro/frank, data/, the records of split valid",
    "longsciverify": "LongSciVerify: https://github.com/jbshp/LongDocFACTScore",
    "scholarqabench": "ScholarQABench: https://github.com/AkariAsai/ScholarQABench, scholarqa_multi/human_answers.json",
    "squality": "SQuALITY: https://github.com/nyu-mll/SQuALITY, v1-3/txt/dev.jsonl",
    "summedits": "SummEdits and the explanations of FactCC: https://github.com/salesforce/factualNLG, data/",
    "tofueval": "TofuEval: https://github.com/amazon-science/tofueval, factual_consistency/",
    "unieval": "UniEval: https://github.com/maszhongming/UniEval, reproduce/unieval_predict/",
}
"""By folder of ../shared/data, the public repository whose files belong into it."""


def needs(*folders: str) -> pytest.MarkDecorator:
    """Skips a test where one of these folders is missing, and says where its files are."""
    missing = [f"{SOURCES[folder]} into ../shared/data/{folder}" for folder in folders if not (DATA / folder).is_dir()]
    return pytest.mark.skipif(bool(missing), reason=f"Released files are missing. Copy {'; '.join(missing)}.")
