"""Statistics over arrays: every figure with its interval and the number of cases it rests on.

It imports `text` and `base`. Agreement of people is in `annotators`, rates from few labels in `rates`; a function takes arrays and
returns an `Estimate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base import open_face

if TYPE_CHECKING:
    from core.stats.annotators.accuracy_limit import evidence_below, upper_share
    from core.stats.annotators.agreement import (
        DISTANCES,
        Distance,
        LabelMatrix,
        cohen_kappa,
        group_alike,
        gwet_ac1,
        interval_distance,
        krippendorff_alpha,
        label_prevalence,
        nominal_distance,
        raw_agreement,
    )
    from core.stats.annotators.annotator_model import MODELS, UNKNOWN, AnnotatorModel, competence_estimates, fit_model
    from core.stats.annotators.answer_distance import (
        AnswerDistance,
        distance_alpha,
        jensen_shannon_divergence,
        split_half_reliability,
        squared_distance,
    )
    from core.stats.best_metric import CORRECTION, SIGNIFICANCE_LEVEL, MetricStatistic, mark_best
    from core.stats.bootstrap import (
        RESAMPLES,
        Distribution,
        Resamples,
        distributions_of_alike,
        projected_seconds,
        variance_of,
    )
    from core.stats.comparison import (
        MIN_TEST_DOCUMENTS,
        StatisticDifference,
        compare_by_variance,
        compare_on_documents,
        compare_paired,
        delong_test,
        difference,
        holm_correction,
        mcnemar_test,
        on_shared_cases,
        pairs_still_needed,
        sign_test,
        williams_test,
    )
    from core.stats.correlation import (
        RatedScores,
        correlation_of_systems,
        kendall,
        kendall_of_means,
        pearson,
        pearson_of_means,
        spearman,
        spearman_of_means,
        without_system_means,
    )
    from core.stats.discrimination import (
        LabelledScores,
        RocCurve,
        Threshold,
        accuracy_of_decisions,
        auc,
        average_precision,
        balanced_accuracy,
        choose_threshold,
        measure_roc_curve,
        right_decisions,
        stratified_auc,
    )
    from core.stats.noisy_or import Bags, doubts, log_wrong
    from core.stats.nonnegative_logistic import (
        cross_fit,
        cross_fit_complete,
        cross_log_odds,
        cross_ranks,
        fit_with_missing,
        log_odds_with_missing,
        sigmoid,
        standard_scores,
    )
    from core.stats.probabilities import (
        best_threshold,
        brier_score,
        calibration_error,
        isotonic_probabilities,
        raw_probabilities,
        threshold_decisions,
    )
    from core.stats.proportion import MIN_ERRORS, NOT_LEVEL, share, share_estimate, with_variance_between
    from core.stats.rates.carried_rate import CarriedRate, rate_if_errors_hold, rate_if_scores_hold
    from core.stats.rates.cluster_mean import cluster_mean
    from core.stats.rates.label_count import expected_margin, explained_share, label_grid, labels_needed
    from core.stats.rates.label_drawing import (
        EVIDENT_P,
        DrawingTest,
        beyond_weights,
        drawing_tests,
        drawn_by_document,
        estimated_probabilities,
        p_of_weights,
    )
    from core.stats.rates.powered_mean import powered_mean, predict_means
    from core.stats.rates.prediction_powered import (
        MIN_CLASS,
        Predictions,
        fit_logistic,
        label_worth,
        pool_ranks,
        powered_rate,
        predict_rates,
        score_features,
        tuned_scale,
        worth_interval,
        worth_with_scores,
    )
    from core.stats.rates.rate import LabelSample, Rate, labels_alone
    from core.stats.rates.rate_differences import (
        RateDifference,
        difference_p,
        rank_intervals,
        rate_difference,
        rate_differences,
    )
    from core.stats.rates.rate_sequence import rate_sequence
    from core.stats.rates.rogan_gladen import CorrectedRate, corrected_rate
    from core.stats.rates.score_draw import (
        SELECTION_PROBABILITY,
        DrawnPool,
        DrawWay,
        PoolDraw,
        arrivals,
        draw_weights,
        drawn_first,
        expected_rates,
        selection_probabilities,
    )
    from core.stats.rates.stratified_powered import stratified_rate
    from core.stats.score_pairs import (
        FEW_PAIRS,
        MIN_FOR_QUANTILES,
        SHIFT_TOLERANCE,
        Move,
        ScorePairs,
        classify_move,
        consistency_share,
        mean_absolute_shift,
        mean_correction,
        mean_shift,
        noise_range,
        order_share,
        sensitivity,
        sign_rate,
        tie_share,
        with_least_ends,
        wrong_way_share,
    )
    from core.stats.statistic import (
        FEW_DOCUMENTS,
        FOLDS,
        Estimate,
        Mask,
        Numbers,
        Statistic,
        Values,
        cluster_documents,
        deal_folds,
        mean,
        number_documents,
        number_linked,
        quotient,
        ratio,
        sums_by,
        undefined,
    )
    from core.stats.text_tables import (
        align_columns,
        format_coefficient,
        format_correlation,
        format_count,
        format_in_units,
        format_p,
        format_percent,
        format_ratio,
        format_share,
        format_signed,
        format_unsigned,
        markdown_table,
        percent_words,
    )
else:
    __getattr__ = open_face(__file__, __name__)
