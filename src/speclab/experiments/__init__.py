"""One file a question: a plan and a pair go in, rows come out; and the runner that joins them to a run folder."""
