"""This package turns bytes and frames into frames: readers, cleaning, matching, merging. It writes nothing."""
