"""The methods paragraph of an estimated rate for a paper, with the BibTeX entries that it cites."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from core.evaluation.report import Report
from core.evaluation.studies.prevalence import ALONE, COUNTED, POWERED, STRATIFIED
from core.settings import VERSION
from core.stats.statistic import Estimate
from core.stats.text_tables import percent_words

RATE_STUDY = "prevalence"
"""The study whose report the paragraph is about, and the stem of its files in a pack."""

_ENTRIES: Mapping[str, str] = MappingProxyType(
    {
        "angelopoulos2023prediction": "@article{angelopoulos2023prediction,\n"
        "  title = {{Prediction-powered inference}},\n"
        "  author = {Angelopoulos, Anastasios N. and Bates, Stephen and Fannjiang, Clara and Jordan, Michael I. and Zrnic, Tijana},\n"
        "  journal = {Science}, volume = {382}, number = {6671}, pages = {669--674}, year = {2023}\n}\n",
        "angelopoulos2023ppi": "@misc{angelopoulos2023ppi,\n"
        "  title = {{PPI++: Efficient prediction-powered inference}},\n"
        "  author = {Angelopoulos, Anastasios N. and Duchi, John C. and Zrnic, Tijana},\n"
        "  howpublished = {arXiv:2311.01453}, year = {2023}\n}\n",
        "zrnic2024cross": "@article{zrnic2024cross,\n"
        "  title = {{Cross-prediction-powered inference}},\n"
        "  author = {Zrnic, Tijana and Cand{\\`e}s, Emmanuel J.},\n"
        "  journal = {Proceedings of the National Academy of Sciences}, volume = {121}, number = {15}, year = {2024}\n}\n",
        "fisch2024stratified": "@misc{fisch2024stratified,\n"
        "  title = {{Stratified prediction-powered inference for hybrid language model evaluation}},\n"
        "  author = {Fisch, Adam and others},\n"
        "  howpublished = {arXiv:2406.04291}, year = {2024}\n}\n",
        "wilson1927probable": "@article{wilson1927probable,\n"
        "  title = {{Probable inference, the law of succession, and statistical inference}},\n"
        "  author = {Wilson, Edwin B.},\n"
        "  journal = {Journal of the American Statistical Association}, volume = {22}, number = {158}, pages = {209--212}, year = {1927}\n}\n",
        "clopper1934use": "@article{clopper1934use,\n"
        "  title = {{The use of confidence or fiducial limits illustrated in the case of the binomial}},\n"
        "  author = {Clopper, C. J. and Pearson, E. S.},\n"
        "  journal = {Biometrika}, volume = {26}, number = {4}, pages = {404--413}, year = {1934}\n}\n",
        "rogan1978estimating": "@article{rogan1978estimating,\n"
        "  title = {{Estimating prevalence from the results of a screening test}},\n"
        "  author = {Rogan, Walter J. and Gladen, Beth},\n"
        "  journal = {American Journal of Epidemiology}, volume = {107}, number = {1}, pages = {71--76}, year = {1978}\n}\n",
        "lang2014confidence": "@article{lang2014confidence,\n"
        "  title = {{Confidence limits for prevalence of disease adjusted for estimated sensitivity and specificity}},\n"
        "  author = {Lang, Zsolt and Reiczigel, Jen{\\H o}},\n"
        "  journal = {Preventive Veterinary Medicine}, volume = {113}, number = {1}, pages = {13--22}, year = {2014}\n}\n",
    }
)


def methods_files(report: Report) -> dict[str, str]:
    """`methods.md`, the paragraph, and `methods.bib`, what it cites, of a report of the study `prevalence`."""
    rows = {str(row[0]): row for row in report.table("rates").rows}
    _, rate, labels, _, size, interval, _ = rows[POWERED]
    sentences = [
        f"We estimate the share of inconsistent summaries among {size:,} from {labels:,} human labels with Touchstone {VERSION}.",
    ]
    if interval == "exact":
        sentences.append(
            "As fewer than ten labels are of one kind, the 95 % interval is the exact one of the labels alone [@clopper1934use]."
        )
    else:
        sentences.append(
            "Metric scores of all summaries enter by prediction-powered inference [@angelopoulos2023prediction] with power tuning "
            "[@angelopoulos2023ppi]: ridge logistic regression on the ranks of the scores, cross-fitted over five folds of documents "
            "[@zrnic2024cross], so that the 95 % interval holds whatever the metrics are worth."
        )
    others = [f"{words} by the labels alone [@wilson1927probable]" if (words := _words(rows[ALONE][1])) else ""]
    if interval != "exact":
        others.append(f"{_words(rows[STRATIFIED][1])} by strata of score [@fisch2024stratified]")
    if corrected := _words(rows[COUNTED][1]):
        others.append(
            f"{corrected} by a threshold corrected for its sensitivity and specificity [@rogan1978estimating; @lang2014confidence]"
        )
    sentences.append(f"It is {_words(rate)}; {', '.join(filter(None, others))}.")
    cited = [key for key in _ENTRIES if any(f"@{key}" in sentence for sentence in sentences)]
    return {
        "methods.md": f"{' '.join(sentences)}\n",
        "methods.bib": "\n".join(_ENTRIES[key] for key in cited),
    }


def _words(rate: object) -> str:
    return percent_words(rate) if isinstance(rate, Estimate) and rate.value is not None else ""
