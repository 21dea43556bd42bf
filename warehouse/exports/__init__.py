"""This package takes a release away: its tables, papers or an answer as files for other tools, described and checksummed."""
