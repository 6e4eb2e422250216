"""Meta-evaluation: from samples of datasets with their scores to tables of what each metric can be trusted with."""
