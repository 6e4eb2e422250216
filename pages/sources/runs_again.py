"""The summaries of a stress run as another version of their dataset has them."""

from __future__ import annotations

from annotations.exchange.samples import load_samples, load_texts
from annotations.store.store import Store
from core.results import Source, StressRun, build_sources, draw_sample, stored_samples, without_inconsistent


def sources_of_version(store: Store, run: StressRun, reference: str) -> list[Source]:
    """The summaries of a run that a version has, and others of it for those that it has not, by the seed of the run.

    Of a run of all summaries it is all of them. Those labelled inconsistent are left out where the run left them out.
    """
    older = stored_samples(load_samples(store, run.plan.dataset))
    newer = stored_samples(load_samples(store, reference))
    sound = without_inconsistent(older)
    if run.sources.keys() <= {sample.item.example.id for sample in sound}:
        older, newer = sound, without_inconsistent(newer)
    most = len(newer) if len(run.sources) >= len(older) else len(run.sources)
    same = [sample for sample in newer if sample.item.example.id in run.sources]
    others = [sample for sample in newer if sample.item.example.id not in run.sources]
    more = draw_sample(others, max(0, most - len(same)), run.plan.seed)
    return build_sources([*same, *more], load_texts(store, reference))
