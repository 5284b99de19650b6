"""The classic networks of the literature, read from files of the package (``networks/SOURCES.md``)."""

from __future__ import annotations

import gzip
from importlib.resources import files

from bayou.formats import parse_draft
from bayou.models.network import Network


def _published(name: str) -> Network:
    file = files("bayou.examples") / "networks" / f"{name}.bif.gz"
    return Network.from_draft(parse_draft(gzip.decompress(file.read_bytes()), f"{name}.bif"))


def asia() -> Network:
    """Shortness of breath after a visit to Asia: tuberculosis, lung cancer or bronchitis? 8 variables.

    Lauritzen and Spiegelhalter (1988).

    >>> round(asia().query("lung | smoke=yes, xray=yes")["yes"], 4)
    0.646
    """
    return _published("asia")


def cancer() -> Network:
    """Pollution and smoking cause lung cancer; an X-ray and dyspnoea show it. 5 variables.

    Korb and Nicholson (2010).

    >>> round(cancer().query("Cancer | Xray=positive")["True"], 4)
    0.0503
    """
    return _published("cancer")


def earthquake() -> Network:
    """A burglar or an earthquake sets off the alarm, and the neighbours call. 5 variables.

    Korb and Nicholson (2010), after Pearl.

    >>> round(earthquake().query("Burglary | JohnCalls=True, MaryCalls=True")["True"], 4)
    0.5565
    """
    return _published("earthquake")


def survey() -> Network:
    """Who travels by car, train or otherwise: age, sex, education, work, residence. 6 variables.

    Scutari and Denis (2014).

    >>> round(survey().query("E | T=car")["uni"], 4)
    0.2578
    """
    return _published("survey")


def sachs() -> Network:
    """Protein signalling in human cells, each protein low, average or high. 11 variables.

    Sachs and others (2005).

    >>> round(sachs().query("Akt | Erk=HIGH")["HIGH"], 4)
    0.3106
    """
    return _published("sachs")


def child() -> Network:
    """Congenital heart disease of a newborn child. 20 variables.

    Spiegelhalter and Cowell (1992).

    >>> round(child().query("Disease | LowerBodyO2=<5")["TGA"], 4)
    0.39
    """
    return _published("child")


def alarm() -> Network:
    """Monitoring of a patient under anaesthesia. 37 variables.

    Beinlich and others (1989).

    >>> round(alarm().query("LVFAILURE | HISTORY=TRUE")["TRUE"], 4)
    0.8257
    """
    return _published("alarm")


def insurance() -> Network:
    """The risks of insuring a car. 27 variables.

    Binder, Koller, Russell and Kanazawa (1997).

    >>> round(insurance().query("PropCost | Age=Adolescent")["Thousand"], 4)
    0.4952
    """
    return _published("insurance")
