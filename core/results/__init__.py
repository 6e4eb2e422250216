"""Results of scoring: cases of labelled summaries, stress runs, and folders of blocks.

It imports `edits` and what is below. Cases are what studies count; runs are what a battery did to metrics; `bulk` scores what
does not fit into memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base import open_face

if TYPE_CHECKING:
    from core.results.bulk.block_writer import Refusals, write_blocks
    from core.results.bulk.blocks import WHOLE, Shard, block_pairs, read_blocks
    from core.results.bulk.bulk_cases import cases_of_results
    from core.results.bulk.bulk_pool import pool_of_results
    from core.results.bulk.bulk_run import (
        Crew,
        InProcess,
        RunProgress,
        blocks_left,
        format_duration,
        refuse_divided_budget,
        run_blocks,
    )
    from core.results.bulk.folder import Folder
    from core.results.bulk.plan import BulkPlan, TimedReport, plan_run, plan_sentences
    from core.results.bulk.processes import Processes
    from core.results.bulk.ray_workers import RayActors
    from core.results.bulk.results import (
        RECENT_S,
        MetricProgress,
        StoredResults,
        StoredResultsImporter,
        count_failures,
        open_metric_folder,
        open_results,
        open_stored_results,
        scored_sample,
        stored_results_in,
        stored_score,
    )
    from core.results.bulk.scorer import ScoringJob, metric_folders
    from core.results.cases.bundled_scores import OFFLINE_METRICS, MetricScores, bundled_samples, precomputed_scores
    from core.results.cases.cascade import Cascade
    from core.results.cases.cases import Cases, MetricColumn, build_cases, select_metrics, select_paper_metrics
    from core.results.cases.combining import FOLDS, TOLERANCE, Combining, Subset, Transfer, cheapest_subset, transfers
    from core.results.cases.data_facts import DataFacts, data_facts
    from core.results.cases.measures import (
        FIGURE_TITLES,
        MEASURES,
        ON_SEVERAL_SCALES,
        OVERALL_SLICE,
        PAPER_MEASURES,
        SIGNED_MEASURES,
        SLICE_FIELDS,
        UNIT_MEASURES,
        MeasuresRow,
        Slice,
        affordable_resamples,
        available_measures,
        draw_resamples,
        has_one_scale,
        labelled_in_slice,
        measure_format,
        metric_rows,
        pairs_in_slice,
        shown_columns,
        slice_cases,
    )
    from core.results.cases.paper_test import LEGEND, compare_best_two, mark_as_paper
    from core.results.cases.pool_draw import DrawRequest, draw_samples
    from core.results.cases.pool_drift import PartDrift, labels_of_part, part_drifts, reference_part
    from core.results.cases.pool_labels import pool_labels, read_pool_labels
    from core.results.cases.pool_rates import (
        Drawing,
        LabelDraw,
        PartRate,
        draw_of_labels,
        error_type_rates,
        grade_means,
        part_rates,
        separations,
        threshold_rate,
    )
    from core.results.cases.pooling import pool_cases, training_documents, training_overlaps
    from core.results.cases.ratings import VERDICT_VALUES, mean_ratings
    from core.results.cases.sanity import sanity_margins
    from core.results.cases.sentence_combining import Level, Levels, by_sentence
    from core.results.cases.summary_pool import (
        POOL_FIELDS,
        PoolLabel,
        SummaryPool,
        pool_of_cases,
        select_pool_metrics,
        with_labels,
    )
    from core.results.cases.verdict_grid import (
        PAIR_FILTERS,
        NoiseBand,
        PairVerdict,
        build_verdict_grid,
        filter_pairs,
        noise_band,
    )
    from core.results.runs.bundled_run import bundled_harmless_shifts, bundled_run_lines
    from core.results.runs.cost import asks_endpoints, estimate_run_cost, missing_conversations
    from core.results.runs.filters import (
        VARIANT_FILTERS,
        balanced_variants,
        build_sources,
        count_left_out,
        draw_sample,
        filter_variants,
        sources_of_items,
        stored_samples,
        without_inconsistent,
    )
    from core.results.runs.imported_variants import ImportedVariants, read_variants
    from core.results.runs.matrix import (
        KindCoverage,
        MatrixCell,
        MetricBalance,
        kind_coverage,
        metric_balances,
        rank_metrics,
        shift_matrix,
    )
    from core.results.runs.noise_strip import format_edge, mark_place
    from core.results.runs.null_bands import NullBand, NullBands, SignedMetrics, any_size_band, null_band
    from core.results.runs.placement import (
        ELSEWHERE,
        MOST_PLACED,
        PLACES,
        PlacedPair,
        PlaceEffect,
        broken_variant,
        place_effects,
        planned_examples,
        score_placed,
    )
    from core.results.runs.run_sentences import (
        check_sentence,
        failure_sentences,
        refusal_sentences,
        run_problems,
        split_refusal,
    )
    from core.results.runs.runner import BackgroundRuns, continue_run
    from core.results.runs.shifts import (
        RUN_FIELDS,
        STRESS_RESAMPLES,
        DocumentMeans,
        Shift,
        changed_words,
        check_shares,
        document_array,
        outside_note,
        pair_gains,
        pairs_of_shifts,
        score_array,
        score_shifts,
        shift_parts,
        standardised_gain,
        with_harmless,
    )
    from core.results.runs.stress_run import (
        Check,
        Meaning,
        Opinion,
        Plan,
        RunRecord,
        ScoreRecord,
        Source,
        StressRun,
        Variant,
        VariantKey,
        append_records,
        intent_of,
        open_run_file,
        run_from_lines,
        run_lines,
        to_json_line,
    )
    from core.results.runs.variant_records import document_source, document_variant_record, variant_record
    from core.results.runs.verdict_sentences import (
        balance_sentence,
        edit_effect,
        edit_verdict,
        kind_verdicts,
        metric_verdicts,
        rank_sentences,
    )
else:
    __getattr__ = open_face(__file__, __name__)
