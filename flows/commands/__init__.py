"""The commands of `paperlake`: one module each, and what only they need. `flows.cli` names them all."""
