# The areas that F6 goes through.

area-top-bar = Верхняя панель
area-side-bar = Виды
area-view = Вид
area-record = Запись
area-status-line = Строка состояния
