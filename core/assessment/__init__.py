"""Assessments that people hand on: audits, gates, papers, pinned results, notebooks, and other frameworks.

It imports every wing. A question of the audit is one file in `audit/questions`, a reproduced paper one in `papers/reproduced`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base import open_face

if TYPE_CHECKING:
    from core.assessment.audit.audit_report import (
        AuditReport,
        audit_metrics,
        build_report,
        compare_reports,
        count_verdicts,
        instrument_sentence,
        read_report,
        report_json,
    )
    from core.assessment.audit.bundled_audits import bundled_audit, bundled_audits
    from core.assessment.audit.data import (
        AuditData,
        audit_command,
        items_data,
        kept_scores,
        released_columns,
        samples_data,
        with_battery,
        with_given_scores,
        with_saved_thresholds,
    )
    from core.assessment.audit.evidence_work import EvidenceWork
    from core.assessment.audit.false_verdicts import false_verdicts
    from core.assessment.audit.history import (
        LAST,
        HistoryPoint,
        KeptAudit,
        by_data,
        data_name,
        data_sha256,
        format_history,
        history_points,
        last_report,
        reports_to_keep,
        setup_changes,
    )
    from core.assessment.audit.question import (
        JUDGED_LEVELS,
        LEVEL_MARKS,
        QUESTIONS,
        AuditAnswer,
        Level,
        MetricAudit,
        ShownPair,
        Unit,
        ordered_questions,
    )
    from core.assessment.audit.questions.stillness import StillnessQuestion, metric_cells
    from core.assessment.audit.rendering import (
        JudgeCard,
        badge_svg,
        format_changes,
        format_report,
        format_verdicts,
        gallery_html,
        judge_cards,
        level_strip,
        report_html,
        report_markdown,
        shared_label,
    )
    from core.assessment.audit.task import AuditTask
    from core.assessment.audit.time_estimate import estimate_line
    from core.assessment.catalog.metric_catalog import (
        Availability,
        CatalogRow,
        MetricFilter,
        Speed,
        closest_metrics,
        default_metrics,
        format_contexts,
        format_direction,
        format_range,
        list_metrics,
        metrics_markdown,
        model_megabytes,
        ready_first,
    )
    from core.assessment.catalog.metric_setup import (
        SetupStep,
        format_megabytes,
        missing_steps,
        setup_state,
        setup_steps,
    )
    from core.assessment.gate.output import (
        comparisons_junit,
        comparisons_markdown,
        format_comparisons,
        verdict_sentence,
    )
    from core.assessment.gate.power import DEFAULT_LIMITS, plan_sentences, ruled_out_sentences
    from core.assessment.gate.rates import compare_rates, split_labels
    from core.assessment.gate.regression import (
        LIMITED_MEASURES,
        Change,
        Limit,
        MetricComparison,
        compare_sides,
        regressions,
    )
    from core.assessment.gate.results_file import (
        GivenSide,
        column_of,
        graded_columns,
        matched_sides,
        read_results,
        require_agreeing_labels,
        shared_signatures,
        side_of_outcomes,
        unlabelled_cases,
    )
    from core.assessment.gate.scoring import read_file
    from core.assessment.gate.stress_runs import is_stress_run, read_stress_run, shared_texts
    from core.assessment.notebook.session import download_weights, engine, paid_by, read_pairs
    from core.assessment.papers.all_papers import ReproductionJob, run_job
    from core.assessment.papers.needs import format_money, format_needs, paper_needs
    from core.assessment.papers.pack import reproduction_pack
    from core.assessment.papers.paper import PAPERS, Paper, ReleasedData
    from core.assessment.papers.paper_comparison import (
        ComparedTable,
        PaperCell,
        beyond_tolerance,
        compare_paper,
        comparison_csv,
        comparison_record,
        format_coverage,
        format_paper,
        printed_coverage,
        printed_tables,
    )
    from core.assessment.papers.paper_pack import PACK_NAME, PackRequest, pack_commands, write_pack
    from core.assessment.papers.paper_words import find_in_copy, own_words_note, printed_instructions, save_words
    from core.assessment.papers.published import Bounds, read_published
    from core.assessment.papers.published_scores import PUBLISHED, ScoreComparison, compare_published
    from core.assessment.papers.released_files import RELEASED_FOLDER, fetch_released
    from core.assessment.papers.run_tables import ORIGINAL, kinds_of_metric, row_title, run_tables
    from core.assessment.papers.site import STATES
    from core.assessment.pinned.address import Address, address_of
    from core.assessment.pinned.making import audit_pin, cell_title, pair_pin, study_pin
    from core.assessment.pinned.pin import (
        AuditSource,
        PairSource,
        Pin,
        PinnedPair,
        PinnedPart,
        PinnedReport,
        Source,
        StudySource,
        pin_json,
        read_pin,
    )
    from core.assessment.pinned.pin_comparison import PinChange, basis_of, compare
    from core.assessment.pinned.pin_files import FORMS, form_files, pins_html, write_pins
    from core.assessment.pinned.recipe import RecipePart, read_recipe, report_toml
else:
    __getattr__ = open_face(__file__, __name__)
