"""What every package stands on: errors a person can act on, registries, specifications, random streams."""
