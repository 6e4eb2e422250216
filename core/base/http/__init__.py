"""Requests to addresses that a user gave: which hosts are allowed, and a transport that checks every one."""
