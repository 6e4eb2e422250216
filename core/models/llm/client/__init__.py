"""The client of an endpoint: requests, responses, and errors with what to do."""
