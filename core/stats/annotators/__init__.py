"""Agreement of annotators, and models of them."""
