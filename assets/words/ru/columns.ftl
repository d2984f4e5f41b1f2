# The columns of the table of keys, and the dialog that chooses them.

column-status = Статус
column-key = Ключ
column-scope = Область
column-operation = Операция
column-age = Давность
column-ttl = TTL
column-hash = Хеш
column-tries = Попытки
column-response = Ответ
column-replays = Повторы
column-created = Создан
column-ended = Завершён
column-layout = Схема
column-address = Адрес
columns-title = Столбцы
columns-hint = Заголовки можно перетаскивать, их края меняют ширину
columns-usual = Как обычно
columns-done = Готово
columns-up = { $column }: левее
columns-down = { $column }: правее
