# The editor of layouts.

editor-title = Описать это хранилище
editor-new-file = Ещё не сохранено
editor-edited = изменено
editor-of-tables = { $count ->
    [one] { $count } таблица
    [few] { $count } таблицы
   *[other] { $count } таблиц
}
editor-of-keys = { $count ->
    [one] просмотрен { $count } ключ
    [few] просмотрено { $count } ключа
   *[other] просмотрено { $count } ключей
}
editor-describe-what = Что описать
editor-looking = Смотрим, что здесь есть…
editor-nothing-here = В этом хранилище пока ничего нет. Сделайте в нём запись и запустите поиск снова
editor-no-right = У этой учётной записи нет права чтения
editor-text = Схема в TOML
editor-propose = Предложить заново
editor-save = Сохранить
editor-line = Строка { $line }: { $text }
editor-at-line = Строка { $line }: { $text }
editor-example = Пример { $number } из { $count }
editor-next = Следующий пример (→)
editor-previous = Предыдущий пример (←)
editor-as-stored = Как хранится
editor-read-as = Как читается
editor-no-ttl = без срока
editor-all-read = Прочитаны все примеры: { $count }
editor-some-read = Прочитано примеров: { $read } из { $count }. Первый из остальных: { $why }
editor-no-examples = Проверить не на чем. Выберите что-нибудь слева
editor-mend-to-read = Пока в тексте ошибка, ничего не читается
editor-not-name = имя не подходит ни под один шаблон
editor-not-side = это часть записи, а не сама запись
editor-not-type = значения такого типа схема не читает
editor-not-missing = ключа уже нет или его нельзя читать
editor-not-form = нет обязательного поля, или не подходит ни один случай
editor-not-record = по схеме это не запись
editor-not-table = в таблице нет того, что нужно схеме
editor-too-long = Схема не может быть длиннее 256 КБ, поэтому текст не принят
editor-unsaved-first = Этот текст ещё не сохранён. Сохраните его или выйдите по Esc, прежде чем начать другой
editor-mend-first = Сначала исправьте текст: файл с ошибкой не будет прочитан
editor-saved = Сохранено: { $file }
editor-leave-title = Выйти без сохранения?
editor-leave-text = Всё, что набрано после последнего сохранения, пропадёт.
editor-leave = Выйти
editor-stay = Остаться
editor-over-title = Заменить другой файл?
editor-over-text = Файл с таким именем уже есть, и в нём другая схема. Он будет заменён целиком.
editor-over = Заменить

editor-new-layout = Новая схема
editor-detect-again = Искать снова
editor-edit-copy = Изменить копию
editor-broken = Не приняты
editor-broken-note = файлы схем с ошибкой
editor-mend = Исправить
editor-mend-file = Исправить { $file }
editor-line-only = строка { $line }
editor-describe-it = Описать…
editor-key = Ключ
editor-key-digest = Хеш ключа
editor-scope = Область
editor-operation = Операция
editor-body = Тело
editor-headers = Заголовки
editor-request = Запрос
editor-error = Ошибка
editor-owner = Владелец
editor-recovery = Шаг
