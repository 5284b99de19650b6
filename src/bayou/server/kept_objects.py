"""Objects that stay as long as the server are passed over by Python's garbage collector.

The collector looks through all objects now and then, which takes a tenth of a second once models and modules
are loaded; questions that come meanwhile wait. What answers leave behind is little, and still collected.
"""

from __future__ import annotations

import gc


def keep_what_is_there() -> None:
    """Collect what is unused, also of what was kept before, and keep all that is there now.

    >>> import gc
    >>> keep_what_is_there()
    >>> gc.get_freeze_count() > 1000
    True
    >>> gc.unfreeze()
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
