"""The two ways in which a command can end badly; `speclab.cli.main` turns them into one line and an exit code."""


class InputError(ValueError):
    """Wrong use, or an input that is missing or unusable (exit code 2). The message says what to do."""


class CheckError(RuntimeError):
    """A check failed (exit code 1). The message says which, and where."""
