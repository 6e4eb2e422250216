"""Metrics: pick one to see what it measures, what is known of it and what it needs; models in memory and endpoints that are set."""

from core.assessment import list_metrics
from pages.server import services
from pages.ui.metrics.add_metric import add_metric
from pages.ui.metrics.endpoint_list import endpoint_list
from pages.ui.metrics.metric_details import metric_details
from pages.ui.metrics.metric_list import metric_list, opened_metric
from pages.ui.metrics.model_rows import follow_models, memory_bar, other_models
from pages.ui.metrics.plugin_notes import plugin_notes
from pages.ui.metrics.precision_switch import precision_switch
from pages.ui.shared.notices import notices
from pages.ui.shared.prompt_forms import prompt_links, prompts_opened, prompts_view
from pages.ui.shared.script_run import end_run

pool = services.engine().pool
states = pool.states()
notices()
if prompts_opened():
    prompts_view()
    end_run()
rows = list_metrics(pool)
if opened := opened_metric():
    metric_details(next(row for row in rows if row.name == opened), pool)
else:
    plugin_notes()
    add_metric()
    metric_list(rows, pool)
    other_models(pool)
    endpoint_list()
    prompt_links()
memory_bar(services.engine())
precision_switch(pool)
follow_models(pool, states)
