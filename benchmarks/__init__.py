"""How fast it is, beside others: see docs/performance.md."""
