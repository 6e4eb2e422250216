"""Parts of the algorithm that several metrics share: retrieval of sentences, entailment, questions and their answers."""
