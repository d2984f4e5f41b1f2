# Writing what is listed into a file.

export-title = { $count ->
    [one] Экспорт { $count } записи
   *[other] Экспорт { $count } записей
}
export-about = То, что показано, без сохранённых ответов. Формулы в CSV обезврежены.
export-file = Файл
export-do = Экспортировать
export-written = { $count ->
    [one] Записана { $count }
   *[other] Записано { $count }
}
export-json-lines = JSON по строкам
export-done = { $count ->
    [one] { $count } запись в { $file }
    [few] { $count } записи в { $file }
   *[other] { $count } записей в { $file }
}
export-browse = Обзор…
export-not-chosen = Файл не выбран. Если окно выбора не появилось, введите путь
