"""How fast it is, beside others: see benchmarks/README.md."""
