"""Networks and tokenizers: how a checkpoint is loaded, padded and run."""
