# The status line.

status-lost = Связь потеряна { $ago } назад, попытка { $attempt }
status-connecting = Подключаюсь…
status-not-connected = Нет подключения
status-so-far = { $count ->
    [one] пока { $count }
   *[other] пока { $count }
}
status-so-far-about = { $count ->
    [one] пока { $count }, около { $share }
   *[other] пока { $count }, около { $share }
}
status-nothing = Читать нечего
status-complete = Всё прочитано
status-stopped = Чтение остановлено
status-of = { $shown } из { $count }
status-counted-only = { $count ->
    [one] { $count } только посчитана
   *[other] { $count } только посчитаны
}
status-selected = { $count ->
    [one] выбрана { $count }
   *[other] выбрано { $count }
}
status-without-access = { $count ->
    [one] { $count } без доступа
   *[other] { $count } без доступа
}
status-as-of = на { $time }
status-stop = Остановить
status-key-paste = вставить где угодно
status-key-choose = выбрать
status-key-open = открыть
status-key-test = проверить
status-key-save = сохранить
status-key-back = назад
status-key-next = дальше
status-key-all-keys = все клавиши
status-key-source = источник
status-key-sample = образец
status-key-read-or-not = читать или нет
status-key-edit = править копию
status-key-new = новая
status-key-detect = искать снова
status-key-subject = что описать
status-key-example = пример
status-key-type = править
status-key-move = строка
status-key-filter = фильтр
status-key-close = закрыть
status-key-read-again = прочитать снова
status-show = Показать
status-key-run = запуск
status-key-undo = вернуть
status-key-select = выбрать
status-key-all-stuck = все зависшие
status-key-release = освободить
status-key-settle = записать исход
status-key-play = пуск
status-key-step = шаг
status-key-sides = столбец
status-key-projector = проектор
status-lab-running = Идёт { $id }
status-lab-ran = { $id } прошёл
status-lab-failed = { $id } запустить не вышло
status-lab-not-run = { $id } не запускали
status-lab-loopback = магазины на 127.0.0.1, только внутри машины
status-lab-store = записи в { $store }
status-lab-free = Свободная игра
status-lab-free-runs = Свободная игра идёт
status-lab-free-stop = Остановить игру
status-lab-stop = Остановить прогон
status-key-scenario = сценарий
status-key-lab-run = запустить
status-key-pause = пауза
status-key-free-start = пуск
status-key-free-stop = стоп
status-key-window = окно
status-key-behind = открыть ключи
status-key-export = выгрузить
