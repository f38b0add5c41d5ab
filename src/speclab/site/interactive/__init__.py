"""What a reader can operate: recorded generations to play back, and the cost model with sliders.

Both are whole without a script, as tables and as a figure; `docs/assets/lab.js` brings them to life.
"""

from speclab.site.interactive.playback import playback
from speclab.site.interactive.sliders import cost_model

__all__ = ["cost_model", "playback"]
