"""Let RAGAS write a dataset and results of two samples into the folder of the first argument."""

import os
import sys

os.environ["RAGAS_DO_NOT_TRACK"] = "true"

import numpy as np
from ragas import EvaluationDataset, SingleTurnSample, evaluate
from ragas.metrics import ExactMatch, StringPresence

PASSAGES = ["The ferry Alma left Kiel at noon on Monday.", "She carried 'forty' cars, and fog held her back."]
FOLDER = sys.argv[1]

samples = [
    SingleTurnSample(user_input="When?", retrieved_contexts=PASSAGES, response=answer, reference="A gold summary.")
    for answer in ("The Alma left Kiel at noon.", "The Alma left Kiel at night.")
]
dataset = EvaluationDataset(samples=samples)
dataset.to_csv(f"{FOLDER}/dataset.csv")
dataset.to_jsonl(f"{FOLDER}/dataset.jsonl")
frame = evaluate(dataset, metrics=[ExactMatch(), StringPresence()], show_progress=False).to_pandas()
frame.to_csv(f"{FOLDER}/result.csv", index=False)
frame.to_parquet(f"{FOLDER}/result.parquet")
frame["retrieved_contexts"] = frame["retrieved_contexts"].map(np.array)
frame.to_csv(f"{FOLDER}/numpy.csv", index=False)
