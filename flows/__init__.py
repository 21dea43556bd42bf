"""This package orders the work: settings, steps, the pipeline with its two runtimes, reports, the command line."""
