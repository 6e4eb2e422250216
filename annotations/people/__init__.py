"""People: who they are, how they sign in, and the tokens of their programs."""
