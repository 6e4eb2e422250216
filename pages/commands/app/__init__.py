"""Commands of the app and the people who work with it."""
