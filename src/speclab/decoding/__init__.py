"""The decoding loop: how a draft proposes, how a target checks, and what is committed.

Nothing here imports numpy or torch. The code uses only the methods that both kinds of array share, so the
same loop runs on a table of a dozen words, on a transformers model, and under the enumeration of all outcomes.
"""
