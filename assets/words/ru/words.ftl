# Words that the window and the command line share.

word-stuck = Зависла
word-processing = Выполняется
word-failed = Ошибка
word-unknown = Неизвестно
word-completed = Завершена
word-expired = Истекла
word-held = Держит
word-cannot-tell = Не понять
word-never = никогда
word-passed = истёк
retry-execute = Выполнится заново
retry-replay = Получит сохранённый ответ
retry-in-progress = Отказ: ещё выполняется
retry-mismatch = Отказ: другое тело запроса
retry-unknown = Сказать нельзя
problem-not-understood = Не разобрано
problem-cut = Прочитано только начало
problem-bad-field = Поле не прочитано
problem-bad-time = Время не прочитано
problem-refused = Этому пользователю читать нельзя
problem-gone = Исчезло во время чтения
