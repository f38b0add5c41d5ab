"""The tables that the measuring commands print, one command a file: functions from a run to sheets."""
