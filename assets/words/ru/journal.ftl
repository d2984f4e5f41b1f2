# Журнал: прошлые запуски и тот, что открыт.

journal-title = Журнал
journal-runs = { $count ->
    [one] { $count } запуск
    [few] { $count } запуска
   *[many] { $count } запусков
}
journal-wrong = { $count ->
    [one] { $count } файл не читается
    [few] { $count } файла не читаются
   *[many] { $count } файлов не читаются
}
journal-empty = Ещё ничего не меняли
journal-empty-text = Здесь будут освобождения, записи исхода и удаления, и то, что стояло раньше.
journal-reading = Журнал читается…
journal-unreadable = Журнал не читается
journal-altered = подменён
journal-before-missing = нет предыдущего
journal-broken = оборван
journal-stopped = закончился раньше
journal-altered-from = Файл изменён начиная со строки { $line }: ему нельзя верить
journal-before-missing-whole = Запуска { $run } перед ним нет, или он уже не тот
journal-broken-whole = Программа или машина остановилась раньше, чем запуск закончился
journal-run = Запуск
journal-store = Хранилище
journal-at = Начало
journal-ended = Конец
journal-by = Кто
journal-login = Вход
journal-reason = Причина
journal-undoes = Возвращает
journal-why-stopped = Остановлен
journal-run-title = { $verb } в { $name }
journal-no-outcome = запуск закончился раньше, чем исход был записан
journal-undo-note = Возвращает изменённое, никогда не поверх более новой записи
journal-is-undo = Этот запуск сам возврат: повторите то, что он вернул
journal-not-trusted = Он подменён: тому, что в нём лежало, нельзя верить
journal-nothing-changed = Этот запуск ничего не изменил
journal-other-store = Откройте { $name }, чтобы вернуть изменённое этим запуском
