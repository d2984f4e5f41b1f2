# The view of layouts.

layouts-looked-at = { $what ->
    [tables] { $count ->
        [one] просмотрена { $count } таблица
        [few] просмотрены { $count } таблицы
       *[other] просмотрено { $count } таблиц
    }
   *[keys] { $count ->
        [one] просмотрен { $count } ключ
        [few] просмотрены { $count } ключа
       *[other] просмотрено { $count } ключей
    }
}
layouts-reads = { $count ->
    [one] читает { $count } запись образца
    [few] читает { $count } записи образца
   *[other] читает { $count } записей образца
}
layouts-gone = Этой записи больше нет, возможно, есть другая
layouts-sample = Образец { $at } из { $of }
layouts-read-again = Читать снова
layouts-leave-out = Пропускать
layouts-left-out = пропущена
layouts-why = Почему выбрана
layouts-set = Задано для источника
layouts-lease = Срок
layouts-retention = Хранение
layouts-enter-sets = Enter задаёт; пусто значит «как в схеме»
layouts-no-example = Примера не осталось
layouts-as-stored = Как хранится
layouts-read-as = Прочитано как
layouts-next = Следующий образец (→)
layouts-previous = Предыдущий образец (←)
layouts-found = Найдено здесь
layouts-nothing = Ничто не читается как запись
layouts-not-sure = Не наверняка
layouts-have-a-look = взгляните
layouts-refused = Отвергнуто
layouts-look-similar = похожи, но не то
