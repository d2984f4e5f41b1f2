# The page of keys that work in a view.

keys-page-row = На строку вверх или вниз, также `k` и `j`
keys-page-page = На страницу вверх или вниз
keys-page-ends = Первая или последняя строка
keys-page-everywhere = Везде
keys-page-source = Другой источник
keys-page-sample = Другой его образец
keys-page-family = Другое семейство ключей или таблица
keys-page-example = Другой пример
keys-page-type = Править текст; Esc выходит из него
keys-page-editor = Редактор
keys-page-connection = Другое подключение из списка
keys-page-open-it = Открыть то, что заполнено
keys-page-paste = Взять скопированное, где бы ни был фокус
keys-page-remove = Забыть выбранное подключение
keys-page-area = Следующая область; с Shift предыдущая
keys-page-run = Другой запуск
keys-page-scenario = Другой сценарий
keys-page-message = На сообщение назад или вперёд
keys-page-window = Окно короче или длиннее
keys-page-figure = От числа к числу
keys-page-behind = Ключи, из которых сложилось число
keys-page-part = Выбрать часть графика, Enter берёт её
