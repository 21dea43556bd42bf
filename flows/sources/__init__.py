"""Where raw files come from: finding and fetching them, and the gate that a source goes through."""
