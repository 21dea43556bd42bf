"""This package finds which records describe the same paper: blocking, comparison, decision, clustering."""
