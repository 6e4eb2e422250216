"""How fast the engine is, against the straightforward evaluation of the same metric on the same machine."""
