"""English stop words: words that carry little information about the topic of a text."""

from __future__ import annotations

_LITTLE_WORDS = """
    a an the this that these those
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    who whom whose which what where when why how
    am is are was were be been being do does did doing done have has had having
    will would shall should can could may might must ought
    s t d ll re ve m don doesn didn isn aren wasn weren hasn haven hadn won wouldn shan shouldn couldn mustn
    and or but nor so yet if then else because as while until unless although though whereas whether than
    of at by for with about against between among into onto through during before after above below to from
    up down in out on off over under again further upon within without toward towards across along around
    behind beside besides beyond despite except near per since via
    here there now just only very too also even still already always never ever often once
    all any both each every few more most much many other others another some such same several either
    neither none no not own
"""

ENGLISH = tuple(_LITTLE_WORDS.split())
"""Articles, pronouns, prepositions, auxiliaries and the like."""
