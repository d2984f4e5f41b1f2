# Лаборатория: сценарии, прогоны рядом, чем они закончились.

lab-scenarios = Сценарии
lab-run-of = запускали { $count } из { $all }
lab-projector = Проектор
lab-back = назад
lab-save = Сохранить…
lab-store-own = Свой файл
lab-store-own-file = своём файле лаборатории
lab-store-servers = Свои серверы
lab-store-own-redis = своём Redis лаборатории
lab-store-own-both = своих Redis и PostgreSQL лаборатории
lab-store-beside = Свой Redis, { $store }
lab-store-beside-place = своём Redis лаборатории и { $store }
lab-store-servers-hint = Здесь хранилище перезапускают, забивают и останавливают, поэтому оно своё
lab-other-store = Это можно показать только на { $stores }: откройте такое хранилище и выберите его для записей
lab-store-name = Записи лежат в: { $store }
lab-store-none = Хранилище не открыто
lab-store-production = Открытое хранилище помечено как боевое
lab-store-file = Открыт файл, а у лаборатории свой
lab-store-to-open = Взять открытое хранилище, в нём своя приставка или схема лаборатории
lab-store-to-own = Взять свой файл лаборатории
lab-alone = Прогон
lab-without = Без защиты
lab-with = С защитой
lab-changed = отличается от сценария
lab-changed-hint = Переключатели стоят не как в сценарии: ожидать нечего
lab-not-run = Ещё не запускали
lab-starting = Магазин запускается…
lab-waits = Ждёт другого прогона
lab-so-far = Пока: хотели { $wanted }, банк сделал { $made }, клиент знает о { $knows }
lab-so-far-mails = Пока: хотели { $wanted }, банк сделал { $made }, писем { $mails }, клиент знает о { $knows }
lab-so-far-refunds = Пока: хотели { $wanted }, банк взял { $made } и вернул { $back }, клиент знает о { $knows }
lab-came-to = Хотели { $wanted }, банк сделал { $made }, клиент знает о { $knows }
lab-came-to-mails = Хотели { $wanted }, банк сделал { $made }, писем { $mails }, клиент знает о { $knows }
lab-came-to-refunds = Хотели { $wanted }, банк взял { $made } и вернул { $back }, клиент знает о { $knows }
lab-as-expected = как ожидалось
lab-as-expected-hint = Все счётчики такие, как говорит сценарий
lab-other = не как ожидалось
lab-missed = не сошлось: { $what }
lab-miss-exactly = { $name }: { $found }, а не { $wanted }
lab-miss-within = { $name }: { $found }, а ждали { $wanted }
lab-attempts = { $count ->
    [one] попытка
    [few] попытки
   *[many] попыток
}
lab-executions = { $count ->
    [one] выполнение
    [few] выполнения
   *[many] выполнений
}
lab-charges = { $count ->
    [one] списание
    [few] списания
   *[many] списаний
}
lab-charged = RUB списано
lab-mails = { $count ->
    [one] письмо
    [few] письма
   *[many] писем
}
lab-refunds = { $count ->
    [one] возврат
    [few] возврата
   *[many] возвратов
}
lab-ledger-and-mails = Книга банка и письма
lab-mail-number = письмо { $number }
lab-ledger = Книга банка
lab-ledger-empty = Пока пусто
lab-earlier = { $count ->
    [one] ещё { $count } строка раньше
    [few] ещё { $count } строки раньше
   *[many] ещё { $count } строк раньше
}
lab-more = { $count ->
    [one] и ещё { $count }
    [few] и ещё { $count }
   *[many] и ещё { $count }
}
lab-key = ключ { $key }
lab-no-key = без ключа
lab-wanted = нужно
lab-not-wanted = лишнее
lab-rows = Строки в хранилище
lab-no-rows = Нет
lab-no-rows-unprotected = Нет: повтор не отличить от нового заказа
lab-row-processing = Выполняется
lab-row-overdue = Срок блокировки прошёл
lab-row-completed = Завершена
lab-row-released = Освобождена
lab-row-expired = Истекла
lab-ttl = TTL
lab-passed = прошёл
lab-stands-for = это { $time }
lab-client-believes = Клиент думает
lab-shop-knows = Магазин помнит
lab-bank-booked = Банк провёл
lab-believes = { $who }: { $what }
lab-believes-nothing = ничего не ясно
lab-believes-done = дело сделано
lab-believes-failed = дело не вышло
lab-believes-of-done = сделано { $count }
lab-believes-of-failed = не вышло { $count }
lab-believes-of-unknown = неясно { $count }
lab-shop-remembers-none = ничего
lab-shop-remembers = { $count ->
    [one] { $count } ответ
    [few] { $count } ответа
   *[many] { $count } ответов
}
lab-bank-has = { $count ->
    [0] ничего
    [one] { $count } списание
    [few] { $count } списания
   *[many] { $count } списаний
}
lab-bank-has-refunds = { $count ->
    [one] { $count } списание, возвратов { $refunds }
    [few] { $count } списания, возвратов { $refunds }
   *[many] { $count } списаний, возвратов { $refunds }
}
lab-second = { $count } с
lab-seconds = { $time } с
lab-of-seconds = из { $time } с
lab-message = { $from } → { $to }: { $words }, по замеру на { $at } с
lab-messages = { $from } → { $to }: { $words }, { $count } раз начиная с { $at } с
lab-diagram-name = { $title }: сообщений пока { $count }, последнее { $last }
lab-run = Запустить
lab-run-again = Запустить снова (R)
lab-stop = Остановить прогон (Esc)
lab-play = Дальше
lab-pause = Пауза
lab-step = Следующее сообщение (→)
lab-step-back = Сообщение раньше (←)
lab-speed = Скорость { $speed }
lab-track = Время, { $now } из { $length } с
lab-switches = Переключатели
lab-switches-of = Переключатели: { $column }
lab-switches-about = Вариант сценария, готовый набор или любой переключатель отдельно; оба прогона начнутся заново
lab-switches-run = Запустить с ними
lab-switches-reset = Как в сценарии
lab-switches-changed = { $count ->
    [one] { $count } отличается от сценария
    [few] { $count } отличаются от сценария
   *[many] { $count } отличаются от сценария
}
lab-switches-wrong = Одно из времён не читается или вне границ
lab-variants = Варианты
lab-presets = Готовые наборы
lab-save-title = Сохранить прогон
lab-save-html = Страница
lab-save-html-about = Одна страница с диаграммами, рядом ничего не нужно
lab-save-json-about = Счётчики, переключатели и все события
lab-save-do = Сохранить
lab-saved = Прогон сохранён в { $file }
lab-seed = Зерно { $seed }
lab-seed-hint = С тем же зерном счётчики те же: нажмите, чтобы взять другое
lab-free = Свободная игра
lab-free-about = Клиенты платят без конца: поверните ручку, и через секунду видно, что вышло
lab-free-start = Пуск
lab-free-stop = Стоп
lab-free-answers = Ответы
lab-rows-last-seen = Строки в хранилище, как их видели в последний раз
