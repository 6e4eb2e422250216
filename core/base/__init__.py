"""Ground of all wings: files and addresses of the outside world, memory, background work, the code behind a number."""
