"""The commands, one file a group; no logic lives here."""
