# The side bar.

side-bar-sources = Sources
side-bar-stuck = { $view }, { $count } stuck
side-bar-at-work = { $view }, at work
