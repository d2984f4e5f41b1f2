# Починка: включение изменений, окно плана, выполнение, отчёт.

changes-are-on = { $name }: изменения включены
changes-are-on-for = { $name }: изменения включены на { $left }
changes-are-off = Снова только чтение
changes-are-over = { $name }: снова только чтение
changes-title = Включить изменения в { $name }
changes-lead = { $count ->
    [one] На { $count } мин, потом снова только чтение
    [few] На { $count } мин, потом снова только чтение
   *[many] На { $count } мин, потом снова только чтение
}
verb-release = Освобождение
verb-settle = Запись исхода
verb-purge = Удаление
verb-undo = Возврат
outcome-released = освобождено
outcome-settled = исход записан
outcome-purged = удалено
outcome-restored = возвращено
outcome-changed = изменилось тем временем
outcome-gone = уже нет
outcome-alive = живо
outcome-refused = отказано
outcome-unknown = неизвестно
outcome-not-reached = не дошло
repair-runs-already = Починка уже идёт
repair-runs-here = Здесь идёт починка: сначала остановите её
repair-nothing-done = Ничего не изменено
repair-saved = Записано в { $file }
repair-close = Закрыть (Esc)
repair-release-title = { $count ->
    [one] Освободить { $count } блокировку в { $name }
    [few] Освободить { $count } блокировки в { $name }
   *[many] Освободить { $count } блокировок в { $name }
}
repair-settle-title = { $count ->
    [one] Записать исход { $count } записи в { $name }
    [few] Записать исход { $count } записей в { $name }
   *[many] Записать исход { $count } записей в { $name }
}
repair-purge-title = { $count ->
    [one] Удалить { $count } запись в { $name }
    [few] Удалить { $count } записи в { $name }
   *[many] Удалить { $count } записей в { $name }
}
repair-undo-title = { $count ->
    [one] Вернуть { $count } запись в { $name }
    [few] Вернуть { $count } записи в { $name }
   *[many] Вернуть { $count } записей в { $name }
}
repair-undo-in = Возврат в { $name }
repair-release-lead = Следующий повтор каждого ключа выполнится снова.
repair-settle-lead = Повторы отныне получают этот ответ, ничего не выполняется.
repair-purge-lead = Записи удаляются. Повтор такого ключа станет новой операцией.
repair-undo-lead = Каждая запись вернётся точно такой, какой была, с остатком своего срока.
repair-left-alone = { $count ->
    [one] { $count } из запрошенных не трогается.
    [few] { $count } из запрошенных не трогаются.
   *[many] { $count } из запрошенных не трогаются.
}
repair-journalled = В журнале это { $run }
repair-nothing-written = Делать было нечего, в журнале ничего нет
repair-release-question = А не сделано ли это уже?
repair-release-danger = Если сделано, освобождение сделает это снова: платёж спишут дважды. Сначала проверьте эти ключи.
repair-release-other = Если сделано, запишите исход
repair-release-other-text = Исход записывается в запись: повторы получают его, и ничего не выполняется.
repair-settle-these = Записать исход…
repair-settle-question = Это действительно произошло?
repair-settle-danger = Если нет, клиенту скажут, что да, и ни один повтор с этим ключом этого уже не сделает.
repair-settle-other = Если нет, освободите
repair-settle-other-text = Освобождение снимает блокировку, и следующий повтор выполнится.
repair-release-these = Освободить…
repair-purge-question = Их никто не повторит?
repair-purge-danger = Повтор, который придёт позже, выполнится как первый запрос. Записи в работе не удаляются никогда.
repair-purge-other = Если они ещё нужны, сохраните план
repair-purge-other-text = В плане лежит то, что удаляется. В журнале тоже, так что всё можно вернуть.
repair-undo-question = Снова отказывать повторам?
repair-undo-danger = Вернувшаяся блокировка отказывает повторам, пока её не освободят или не истечёт её срок.
repair-undo-other = Новое не трогается
repair-undo-other-text = Где стоит более новая запись или срок истёк, ничего не возвращается, и об этом сказано.
repair-held-for = { $count ->
    [one] Держится { $age }.
    [few] Самая старая держится { $age }.
   *[many] Самая старая держится { $age }.
}
repair-recovery-point = Последняя точка восстановления: { $point }.
repair-not-told = По записям не видно, как далеко зашли их запросы.
repair-has-response = { $count ->
    [one] { $count } уже хранит ответ.
    [few] { $count } уже хранят ответ.
   *[many] { $count } уже хранят ответ.
}
repair-may-still-run = { $count ->
    [one] { $count } блокировка: неизвестно, зависла ли она, её запрос может ещё идти
    [few] { $count } блокировки: неизвестно, зависли ли они, их запросы могут ещё идти
   *[many] { $count } блокировок: неизвестно, зависли ли они, их запросы могут ещё идти
}
repair-may-be-held = { $count ->
    [one] { $count } строка: держит ли её транзакция, станет видно только при изменении
    [few] { $count } строки: держит ли их транзакция, станет видно только при изменении
   *[many] { $count } строк: держит ли их транзакция, станет видно только при изменении
}
repair-error-with-effects = { $count ->
    [one] { $count } ошибка сервера: действие могло произойти до ошибки
    [few] { $count } ошибки сервера: действия могли произойти до ошибок
   *[many] { $count } ошибок сервера: действия могли произойти до ошибок
}
repair-lock-comes-back = { $count ->
    [one] { $count } блокировка вернётся: повторам отказано, пока её не освободят
    [few] { $count } блокировки вернутся: повторам отказано, пока их не освободят
   *[many] { $count } блокировок вернутся: повторам отказано, пока их не освободят
}
repair-may-be-of-others = { $count ->
    [one] { $count } изменение: починка не узнала, она ли его сделала, это могло быть приложение
    [few] { $count } изменения: починка не узнала, она ли их сделала, это могло быть приложение
   *[many] { $count } изменений: починка не узнала, она ли их сделала, это могло быть приложение
}
repair-beyond = { $count ->
    [one] Ещё { $count } запись не поместилась в один план
    [few] Ещё { $count } записи не поместились в один план
   *[many] Ещё { $count } записей не поместились в один план
}
repair-changes = { $count ->
    [one] План: { $count } изменение
    [few] План: { $count } изменения
   *[many] План: { $count } изменений
}
repair-left = { $count ->
    [one] { $count } не трогается
    [few] { $count } не трогаются
   *[many] { $count } не трогаются
}
repair-one-step = Каждая сравнивается и меняется в хранилище одним шагом
repair-note-guard = только без изменений
repair-note-may-run = может ещё идти
repair-note-error = ошибка сервера
repair-note-of-others = возможно, не наше
repair-left-as-it-is = не трогается
repair-seen = { $ago } назад
repair-turn-on = Включить изменения
repair-do-release = { $count ->
    [one] Освободить { $count } в { $name }
    [few] Освободить { $count } в { $name }
   *[many] Освободить { $count } в { $name }
}
repair-do-settle = { $count ->
    [one] Записать исход { $count } в { $name }
    [few] Записать исход { $count } в { $name }
   *[many] Записать исход { $count } в { $name }
}
repair-do-purge = { $count ->
    [one] Удалить { $count } в { $name }
    [few] Удалить { $count } в { $name }
   *[many] Удалить { $count } в { $name }
}
repair-do-undo = { $count ->
    [one] Вернуть { $count } в { $name }
    [few] Вернуть { $count } в { $name }
   *[many] Вернуть { $count } в { $name }
}
repair-nothing-to-do = Делать нечего
repair-type-first = Сначала введите имя цели
repair-done-of = { $count ->
    [one] { $done } из { $count }
    [few] { $done } из { $count }
   *[many] { $done } из { $count }
}
repair-rate = { $rate ->
    [one] { $rate } в секунду
    [few] { $rate } в секунду
   *[many] { $rate } в секунду
}
repair-status = { $verb }: { $done } из { $total }
repair-reason = Причина
repair-reason-hint = Останется в журнале
repair-type-target = Введите цель
repair-turns-on = { $count ->
    [one] Включит изменения на { $count } мин
    [few] Включит изменения на { $count } мин
   *[many] Включит изменения на { $count } мин
}
repair-answer-status = Код HTTP
repair-answer-status-wrong = Код — это число от 100 до 599
repair-answer-status-note = Что получат повторы
repair-answer-body = Тело
repair-body-empty = Без тела
repair-body-json = JSON
repair-body-broken = Не JSON: строка { $line } непонятна
repair-body-text = Текст; раскладки с JSON его не примут
repair-reading = Читаются записи…
repair-reading-of = { $count ->
    [one] Прочитано { $done } из { $count }
    [few] Прочитано { $done } из { $count }
   *[many] Прочитано { $done } из { $count }
}
repair-goes-on = Продолжится, если это закрыть
repair-paused = Приостановлено
repair-stopping = Останавливается: отправленное дожидается ответа
repair-go-on = Продолжить
repair-pause = Приостановить
repair-stop = Остановить
repair-ended-early = Закончилось раньше: { $why }
repair-all = Все
repair-make-plan = Составить план
repair-plan-again = Составить план снова
repair-done = Закрыть
repair-save-plan = Сохранить план…
repair-undo-works = Можно вернуть, пока ключ не занят
repair-hide = Продолжить в фоне
repair-to-journal = Открыть журнал
repair-undo = Вернуть…
repair-save-report = Сохранить отчёт…
repair-save = Сохранить
repair-file-note = Имеющийся файл не перезаписывается
repair-quit-title = Идёт починка
repair-quit-text = Она будет остановлена: отправленное дождётся ответа, а сделанное останется в журнале.
repair-quit = Остановить и выйти
repair-stay = Остаться
selected-release = План освобождения…
selected-settle = Записать исход…
selected-purge = Удалить…
selected-clear = Esc снимает выбор
