"""Measure the program, beside others: see benchmarks/README.md."""
