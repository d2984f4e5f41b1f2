# The side bar.

side-bar-sources = Sources
side-bar-stuck = { $view }, { $count } stuck
