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
