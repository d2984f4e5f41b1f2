# The panel with one record.

record-edge = Ширина панели записи
record-copied = Скопировано
record-copied-masked = { $count ->
    [one] Скопировано, { $count } личная часть скрыта
    [few] Скопировано, { $count } личные части скрыты
   *[other] Скопировано, { $count } личных частей скрыто
}
record-key-copied = Ключ скопирован
record-address-copied = Адрес скопирован
record-form-tree = Дерево
record-form-text = Текст
record-form-hex = Hex
record-masked = { $count ->
    [one] { $count } личная часть скрыта
    [few] { $count } личные части скрыты
   *[other] { $count } личных частей скрыто
}
record-reveal = Показать
record-revealed = Личное показано
record-mask = Скрыть
record-copy-payload = Копировать это
record-nothing-stored = Ничего не хранится
record-no-answer = Ответ не хранится
record-fold = Свернуть строку { $line }
record-unfold = Развернуть строку { $line }
record-close = Закрыть (Esc)
record-copy-key = Копировать ключ
record-reading = Читаю…
record-retry = Повтор сейчас получит
record-tab-fields = Поля
record-tab-response = Ответ
record-tab-raw = Как есть
record-tab-parts = Части
record-gone = Записи больше нет
record-ago = { $age } назад
record-in = через { $left }
record-never-finished = захват так и не завершён
record-lease-ends = срок кончится через { $left }
record-waiting = ожидает, блокировки нет
record-cannot-tell = зависла или нет, сказать нельзя
record-still-there = { $ago }, но ещё здесь
record-with = с { $code }
record-retries-get = Повторы получают { $code }
record-retries-execute = Повторы выполнятся заново
record-retries-replay = Повторы получают сохранённый ответ
record-until-expiry = { $gets }, пока запись не истечёт через { $left }
record-why-stuck = Почему считается зависшей
record-why-not-stuck = Почему не зависла
record-why-not-told = Почему сказать нельзя
record-start-and-lease = начало + срок
record-deadline-passed = Срок прошёл { $past } назад
record-deadline-in = Срок через { $left }
record-no-deadline = Срок не хранится и не задан
record-layout-says = Так о такой строке говорит схема
record-locked-for = Держит { $age }
record-no-start = Начало блокировки не хранится
record-own-clock = По часам этой машины
record-store-clock = По часам хранилища
record-store-clock-behind = По часам хранилища, отстают на { $away }
record-store-clock-ahead = По часам хранилища, спешат на { $away }
record-clock-source = часы хранилища
record-ms = { $count ->
    [one] { $count } мс
   *[other] { $count } мс
}
fact-status = Статус
fact-locked = Блокировка
fact-lease-until = Срок до
fact-created = Создана
fact-completed = Завершена
fact-failed = Ошибка в
fact-payload-hash = Хеш запроса
fact-attempts = Попытки
fact-replays = Повторы
fact-owner = Владелец
fact-recovery-point = Точка отката
fact-error = Ошибка
fact-address = Адрес
fact-source = Источник
fact-problem = Трудность
fact-expires = Истекает
fact-response = Ответ
fact-never = никогда
fact-not-told = не сказано
fact-none-stored = не хранится
line-locked = захват
line-created = создана
line-completed = завершена
line-failed = ошибка
line-now = сейчас
line-expired = истекла
line-expires = истекает
line-lease-ends = конец срока
line-lease-ended = срок прошёл
record-tab-history = История
record-no-history = В журнале об этой записи ничего нет
record-not-from-here = { $verb }: не отсюда, потому что { $why }
record-release = Освободить…
record-settle = Записать исход…
record-purge = Удалить…
record-act-name = { $act } эту запись
record-plans-only = Только планы
