"""Arrange tracks into an order, and update an order when the tracks change."""
