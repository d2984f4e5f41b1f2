# The side bar.

side-bar-sources = Источники
side-bar-stuck = { $view }, зависло: { $count }
