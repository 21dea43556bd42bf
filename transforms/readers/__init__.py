"""This package reads raw files: one module a format."""
