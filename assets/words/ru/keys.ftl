# The table of keys, its filter and its faces.

keys-not-told = Схема этого не говорит
keys-name-scope = область { $scope }
keys-name-locked = заблокирована { $age }
keys-name-age = давность { $age }
keys-name-past = { $past } сверх срока
keys-name-never = не истекает
keys-name-passed = срок истёк
keys-name-expires = истекает через { $left }
keys-none-reads = { $what ->
    [tables] { $count ->
        [one] Просмотрена { $count } таблица, записей в ней нет
        [few] Просмотрены { $count } таблицы, записей в них нет
       *[other] Просмотрено { $count } таблиц, записей в них нет
    }
   *[keys] { $count ->
        [one] Просмотрен { $count } ключ, это не запись
        [few] Просмотрены { $count } ключа, записей среди них нет
       *[other] Просмотрено { $count } ключей, записей среди них нет
    }
}
keys-store-empty = { $what ->
    [tables] В этом хранилище нет таблиц.
   *[keys] В этом хранилище нет ключей.
}
keys-refused = { $count ->
    [one] { $count } похожее место отвергнуто.
    [few] { $count } похожих места отвергнуты.
   *[other] { $count } похожих мест отвергнуто.
}
keys-without-filter = { $count ->
    [one] Без фильтра есть { $count } запись.
    [few] Без фильтра есть { $count } записи.
   *[other] Без фильтра есть { $count } записей.
}
keys-only = Только: { $standing }
keys-lost = Нет ответа { $since }
keys-lost-again-in = новая попытка через { $left }
keys-lost-again = идёт новая попытка
keys-lost-refused = войдите снова
keys-all = Все
keys-more-chips = Ещё
keys-try-now = Попробовать сейчас
keys-no-records = Записей идемпотентности здесь нет
keys-look-again = Искать снова
keys-connect = Подключиться…
keys-drop-term = Убрать последнее условие
keys-clear = Очистить
keys-nothing-matches = Ничего не найдено
keys-not-read = Хранилище не прочитано
keys-read-again = Прочитать снова
keys-filter = Фильтр
keys-filter-hint = Фильтр: текст или status:processing age>10m scope:user_42
keys-export = Экспорт…
remark-no-access = { $count ->
    [one] { $count } ключ этому пользователю читать нельзя
    [few] { $count } ключа этому пользователю читать нельзя
   *[other] { $count } ключей этому пользователю читать нельзя
}
remark-rule = Хватило бы: { $rule }
remark-counted-only = { $count ->
    [one] { $count } запись только посчитана
    [few] { $count } записи только посчитаны
   *[other] { $count } записей только посчитаны
}
remark-listed = { $count ->
    [one] здесь есть { $count } их запись
    [few] здесь есть { $count } их записи
   *[other] здесь есть { $count } их записей
}
remark-drop-list = Щелчок или Esc снова покажет все ключи
remark-list-cut = Список обрезан: { $shown } из { $count } ключей
remark-list-sample = Каждый стоит примерно за { $factor } ключей
keys-none-of-list = Ни у одного из этих ключей здесь больше нет записи: она истекла или удалена, или журнал пишет область иначе
remark-narrow = Больше не помещается. Пропустите источник, чтобы увидеть другие целиком
remark-missing-rights = Этому пользователю нельзя: { $rights }
remark-works-without = Что на этом держится, пропущено; остальное работает
keys-unreadable = { $count ->
    [one] { $count } из них этому пользователю читать нельзя.
   *[other] { $count } из них этому пользователю читать нельзя.
}
remark-more-findings = { $count ->
    [one] Ещё { $count } замечание
    [few] Ещё { $count } замечания
   *[many] Ещё { $count } замечаний
}
remark-fewer-findings = Меньше замечаний
