"""GeNIe's and SMILE's files of networks: XDSL and the old DSL."""

from __future__ import annotations
