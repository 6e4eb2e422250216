"""Script that Alembic runs: the missing steps, on the connection and in the transaction that `annotations.store.migrate` hands it."""

from alembic import context

from annotations.store.tables import StoreTable

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=StoreTable.metadata,
    render_as_batch=True,
)
context.run_migrations()
