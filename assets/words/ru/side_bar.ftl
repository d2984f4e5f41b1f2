# The side bar.

side-bar-sources = Источники
side-bar-stuck = { $view }, зависло: { $count }
side-bar-at-work = { $view }, идёт работа
