# Свободная игра: ручки и что вышло.

free-clients = Клиентов
free-rest = Между заказами
free-keys = Ключи
free-keys-one = один на операцию
free-keys-new = новый на попытку
free-keys-none = нет
free-delay = Задержка повтора
free-delay-none = нет
free-delay-fixed = твёрдая
free-delay-exponential = растущая
free-delay-jitter = со случайностью
free-budget = Попыток не больше
free-retry-after = Retry-After
free-honoured = слушают
free-ignored = не слушают
free-lost = Теряется ответов
free-crashes = Магазин падает
free-errors = 500 после списания
free-instances = Магазинов
free-preset = Магазин решает как
free-ms = { $count } мс
free-sentence = Хотели { $wanted }, банк сделал { $made }, клиенты знают о { $knows }
free-excess = лишних
free-gave-up = сдались
free-plot-attempts = Попыток в секунду, повторы янтарём
free-plot-charges = Списаний в секунду
free-per-second = { $count } /с
free-no-answer = нет
free-operations = { $count ->
    [one] операция
    [few] операции
   *[many] операций
}
free-replays = { $count ->
    [one] повтор
    [few] повтора
   *[many] повторов
}
