"""Processes of plug-ins: started, asked and ended, and what passes between us and them."""
