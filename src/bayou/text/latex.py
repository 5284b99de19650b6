"""Names and numbers in LaTeX."""

from __future__ import annotations

from bayou.text.tables import visible

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: "\\" + sign for sign in "&%$#_{}"},
}


def latex_text(text: str) -> str:
    r"""Return a name as upright LaTeX text, its special characters escaped.

    >>> print(latex_text("50%_off"))
    \text{50\%\_off}
    """
    return rf"\text{{{''.join(_LATEX.get(sign, sign) for sign in visible(text))}}}"


def latex_power(number: str) -> str:
    r"""Return a number as Python prints it, with an exponent written as a power of ten.

    >>> print(latex_power("2.5e-09"), latex_power("0.25"))
    2.5 \cdot 10^{-9} 0.25
    """
    mantissa, _, exponent = number.partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa
