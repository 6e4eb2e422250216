"""Workers of a Ray cluster: an actor each, which holds an engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.errors import TouchstoneError
from core.results.bulk.scorer import BlockReport, BlockScorer, ScoringJob
from core.settings import plugin_variables

_OURS = Path(__file__).parents[__name__.count(".") - 1]  # core in a checkout, all of touchstone where pip installed it
_INSTALL = "--cluster needs Ray, which is not installed: python -m pip install 'ray>=2.50' here, and the same version of Ray on the cluster."
_UNREACHABLE = "No Ray cluster answers at {address}. Start one with `ray start --head`, or name a running one: --cluster ray://HOST:10001."


class RayActors:
    """A crew of actors, as many as given or as the cluster has room for; the driver connects to `address`.

    Every node needs the packages of requirements.txt, the blocks and results under the same path or URL, the weights, and files of plug-ins.
    Our own code is sent along. Raises TouchstoneError where Ray is missing, no cluster answers, or it has no room for one worker.
    """

    def __init__(self, job: ScoringJob, address: str, size: int | None, gpus: float) -> None:
        try:
            import ray
        except ImportError as error:
            raise TouchstoneError(_INSTALL) from error
        self._ray: Any = ray
        try:
            environment = {"py_modules": [str(_OURS)], "env_vars": plugin_variables()}
            self._ray.init(address=address, runtime_env=environment, log_to_driver=False)
        except ConnectionError as error:
            raise TouchstoneError(_UNREACHABLE.format(address=address)) from error
        if not size:
            resources = self._ray.cluster_resources()
            size = int(resources.get("GPU", 0.0) / gpus) if gpus else int(resources.get("CPU", 0.0))
            if not size:
                raise TouchstoneError(f"The cluster has no room for a worker with {gpus:g} GPUs; it has {resources}.")
        self.size = size
        self._actor = self._ray.remote(num_cpus=1, num_gpus=gpus, max_restarts=0)(BlockScorer)
        self._job = job
        self._idle: list[Any] = []
        self._busy: dict[Any, tuple[Any, str]] = {}  # actor and block of each task

    def submit(self, block: str) -> None:
        actor = self._idle.pop() if self._idle else self._actor.remote(self._job)
        self._busy[actor.score.remote(block)] = actor, block

    def wait(self) -> list[BlockReport]:
        ready, _ = self._ray.wait(list(self._busy), num_returns=1)
        return [self._report(task, *self._busy.pop(task)) for task in ready]

    def close(self) -> None:
        self._ray.shutdown()

    def _report(self, ready: Any, actor: Any, block: str) -> BlockReport:
        try:
            report: BlockReport = self._ray.get(ready)
        except self._ray.exceptions.RayError as error:  # the next block is given to a new actor
            self._ray.kill(actor)
            return BlockReport(block, fault=f"The worker of the cluster failed: {str(error).splitlines()[-1]}")
        self._idle.append(actor)
        return report
