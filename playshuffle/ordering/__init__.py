"""Arrange tracks into an order: the table of orders, grouping, pins, and updating a kept order."""
