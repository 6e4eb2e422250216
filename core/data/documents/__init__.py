"""Documents that people upload, as text: plain text, PDF, Word, HTML."""
