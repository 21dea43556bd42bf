"""This package keeps the lake: its layout, landing, Parquet writing, releases, and DuckDB on top of them."""
