"""Evaluation of metrics: studies with their reports, judgments of explanations, and training.

It imports `results` and what is below. A new study is one file in `studies`; a form of reports is one in `reports`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base import open_face

if TYPE_CHECKING:
    from core.evaluation.explanations.causes import cause_conversation
    from core.evaluation.explanations.checks import check_named_edits, contradicts_itself, stated_verdict
    from core.evaluation.explanations.detect import (
        Detection,
        ExplainFunction,
        ExplainMode,
        detect_and_explain,
        explain_all,
        explain_conversation,
        explain_given_detection,
        explanation_record,
        explanation_signature,
        is_applicable,
        summary_conversation,
    )
    from core.evaluation.explanations.edited_summaries import SummaryWithEdit, summaries_with_edits
    from core.evaluation.explanations.explanation_cases import (
        SkippedCase,
        cases_from_items,
        judgement_records,
        read_cases,
        read_judged,
        read_judgements,
    )
    from core.evaluation.explanations.judge import (
        ExplanationCase,
        ExplanationGrade,
        JudgeSetup,
        converse_in_order,
        judge_conversation,
        judge_signature,
    )
    from core.evaluation.explanations.judge_agreement import agreement_with_people
    from core.evaluation.explanations.pairwise import (
        PairwiseAnswer,
        Preference,
        compare_all,
        comparison_record,
        edit_conversation,
        format_preferences,
        pairwise_conversation,
        pairwise_signature,
    )
    from core.evaluation.explanations.panel import (
        GradeCounts,
        PanelRule,
        count_votes,
        judge_by_panel,
        judge_title,
        panel_signature,
        parse_judge,
        require_panel,
    )
    from core.evaluation.explanations.panel_weights import estimate_weights
    from core.evaluation.explanations.stability import SampleStrip, fresh_samplings, sample_strip, unanswered_failures
    from core.evaluation.report import Axis, Cell, Chart, Column, Report, Series, Table, estimate_of
    from core.evaluation.reports.cells import (
        PERCENT_FORMATS,
        SHADES,
        SIGNS,
        few_documents,
        format_value,
        heading,
        legend_in,
        missing_reasons,
        pivot_grid,
        pivot_titles,
    )
    from core.evaluation.reports.figures import chart_figure
    from core.evaluation.reports.latex import latex_text, table_latex
    from core.evaluation.reports.markdown import plain_markdown, table_markdown
    from core.evaluation.reports.points import (
        MOST_PANELS_ACROSS,
        bar_width,
        panels_of,
        point_value,
        positions,
        scaled,
        spread,
    )
    from core.evaluation.reports.record import report_json, report_record
    from core.evaluation.reports.report_files import FORMS, write_report
    from core.evaluation.reports.spreadsheet import flat_rows, table_csv
    from core.evaluation.reports.text import report_text, table_text
    from core.evaluation.reports.web_page import report_html
    from core.evaluation.studies.annotator_agreement import annotator_agreements
    from core.evaluation.studies.bisect import MAX_EXHAUSTIVE_EDITS, EditEffect, edit_effects, examples_by_subset
    from core.evaluation.studies.calibration import DomainCalibration, calibrations, domain_slices
    from core.evaluation.studies.combine import Combine
    from core.evaluation.studies.dataset_statistics import dataset_statistics
    from core.evaluation.studies.density import (
        BINS,
        DensityScores,
        bins_by_density,
        original_summaries,
        score_sentences,
    )
    from core.evaluation.studies.discovery import ALL_METRICS
    from core.evaluation.studies.edit_discrimination import (
        EditDiscrimination,
        against_edits_of_people,
        edit_discrimination,
    )
    from core.evaluation.studies.gaming import (
        GamingStudy,
        MetricGaming,
        PhraseEffect,
        control_lengths,
        extended_run,
        for_each_metric,
        in_every_place,
        known_phrases,
        lifted_share,
        metric_gaming,
    )
    from core.evaluation.studies.label_plan import LabelPlan
    from core.evaluation.studies.measures import Measures
    from core.evaluation.studies.prevalence import ALONE, COUNTED, POWERED, STRATIFIED
    from core.evaluation.studies.rating_correlation import metric_correlations
    from core.evaluation.studies.readings import Readings
    from core.evaluation.studies.saved_combination import cascade_entry, combination_entry
    from core.evaluation.studies.saved_threshold import (
        OwnThreshold,
        decision_figures,
        fit_threshold,
        fixed_threshold_sentences,
        format_threshold,
        is_threshold,
        parse_threshold,
        read_threshold,
        threshold_json,
        thresholds_by_metric,
    )
    from core.evaluation.studies.score_distributions import column_by_signature, format_percentiles, score_percentiles
    from core.evaluation.studies.sensitivity import edits_of_run, metric_sensitivities
    from core.evaluation.studies.shifts import Shifts, cells_of, kinds_table
    from core.evaluation.studies.surface import (
        SURFACE_FEATURES,
        SURFACE_MODEL,
        correlations_of,
        feature_correlations,
        missing_features,
        surface_against_metrics,
        surface_shares,
    )
    from core.evaluation.studies.verdicts import MOVE_WORDS, Verdicts
    from core.evaluation.studies.window_sweep import (
        WINDOWS,
        WindowEffect,
        is_retrieval_metric,
        window_charts,
        window_effects,
        window_families,
        window_run,
    )
    from core.evaluation.study import STUDIES, Input, Study, StudyData, current_spec, setting_help, studies_of
    from core.evaluation.training.benchmarks import reserve_test_data
    from core.evaluation.training.card import verdict
    from core.evaluation.training.cross_encoder_trainer import LOSS_STAGE, EncoderSetting
    from core.evaluation.training.learning_curve import CurvePoint, learning_curve
    from core.evaluation.training.shallow_data import parse_target, read_scores
    from core.evaluation.training.shallow_trainer import TrainingTask, train_model
    from core.evaluation.training.stress_rows import StressSource
    from core.evaluation.training.teacher import Teacher, add_scores, released_names
    from core.evaluation.training.teacher_scores import TeacherRun
    from core.evaluation.training.training_data import TrainingData, describe
    from core.evaluation.training.training_plan import PACKAGED_ENCODER, Recipe, TrainingPlan, TrainingSource
    from core.evaluation.training.training_run import TrainedFolder, check_folder, train_to_folder
else:
    __getattr__ = open_face(__file__, __name__)
