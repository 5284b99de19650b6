"""The documentation site, made from the Markdown of ``docs``: ``python -m docs.builder build/site``.

The pages are plain Markdown that reads well on any Git host. The list of pages on a shelf (``learn``, ``do``,
``understand``, ``lookup``) is the README of its folder. What is built needs no server and no other host.
"""
