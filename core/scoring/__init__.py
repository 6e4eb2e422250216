"""Scores: the contract of a metric, the metrics, and the engine that asks their questions.

It imports `models` and what is below. A new metric is one file in `metrics`; pieces that several share are in `metric_parts`,
metrics from outside in `plugins` and `frameworks`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base import open_face

if TYPE_CHECKING:
    from core.scoring.claim import BY_HAND, DECOMPOSERS, NO_CLAIM, Decomposer, decomposition
    from core.scoring.claims.given import GivenClaims
    from core.scoring.claims.language_model import LanguageModelClaims
    from core.scoring.code_of_0_2_0 import current_signature
    from core.scoring.engine.batch_worker import BatchWorker
    from core.scoring.engine.cache import AnswerCache, fingerprint_of, read_code
    from core.scoring.engine.conversation import (
        BoardCell,
        CellKey,
        CellState,
        Conversation,
        Request,
        RunningConversation,
        ScoringEngine,
    )
    from core.scoring.engine.engine import ConversationTask, Engine
    from core.scoring.engine.forecast import Durations, Forecast, MemoryUse, ScoredText, forecast_run, has_to_wait
    from core.scoring.engine.metered import MeteredScore, VerdictUsage, metered
    from core.scoring.engine.score_seconds import TIMED_EXAMPLES, score_seconds
    from core.scoring.metric import (
        METRICS,
        SURFACE,
        Card,
        ContextReading,
        Metric,
        ReplaceableWeights,
        is_surface,
        metric_code_hash,
        metric_title,
        metric_titles,
        portable_spec,
        signature,
    )
    from core.scoring.metric_parts.retrieval import Retrieval, SentencePassages
    from core.scoring.metrics.claims_wrapper import Claims, Combine
    from core.scoring.metrics.mine import EmbeddedWordSupport
    from core.scoring.nli_check import NLI_CHECKS, SENTENCE_LABELS, NliCheck, NliResult, SentenceLabel
    from core.scoring.outcome_records import (
        JsonRecord,
        SentenceScores,
        json_line,
        outcome_record,
        part_of_unit,
        parts_of_texts,
        scores_of_outcomes,
        sentence_score,
    )
    from core.scoring.plugins.checkpoints.checkpoint_file import (
        CheckpointEntry,
        checkpoint_class,
        entry_of,
        suggested_name,
    )
    from core.scoring.plugins.checkpoints.checkpoint_guess import Guess, correct_guess, guess_form
    from core.scoring.plugins.checkpoints.checkpoint_metric import FORMS
    from core.scoring.plugins.checkpoints.known_families import family_note
    from core.scoring.plugins.checkpoints.probe_pairs import PAIRS, ProbeResult, best, describe_probes, probe
    from core.scoring.plugins.checks import bundled_pairs, constant_remarks, direction_remarks
    from core.scoring.plugins.combination_file import CombinationEntry, combination_class
    from core.scoring.plugins.combination_metric import CombinationMetric
    from core.scoring.plugins.environments import framework_of, install_command
    from core.scoring.plugins.extensions import METRIC_GROUP, add_new_tables, plugin_reports
    from core.scoring.plugins.metrics_folder import entry_toml, remove_entry, require_free_name, save_entry
    from core.scoring.plugins.new_package import write_package
    from core.scoring.plugins.source import source_hash, source_title
else:
    __getattr__ = open_face(__file__, __name__)
