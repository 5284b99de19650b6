"""The commands for sequences: what ``fit``, ``sample`` and ``show`` do with hidden Markov models, ``decode``
and ``forecast``.
"""
