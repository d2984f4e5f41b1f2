# Words that several areas share.

common-records = { $count ->
    [one] { $count } запись
    [few] { $count } записи
   *[other] { $count } записей
}
common-cancel = Отмена
