# The view of locks, and the dialog of the lease that counts.

locks-nothing-holds = ничто не держит блокировку
locks-of = { $count ->
    [one] из { $count } блокировки
   *[other] из { $count } блокировок
}
locks-oldest = старейшая { $age }
locks-not-told = { $count ->
    [one] о { $count } сказать нельзя
   *[other] о { $count } сказать нельзя
}
locks-so-far = пока
locks-stuck = { $count ->
    [one] { $count } зависла
    [few] { $count } зависли
   *[other] { $count } зависло
}
locks-stuck-of = зависло { $stuck } из { $count }
locks-own-lease = свой срок
locks-lease-else = свой срок, иначе { $lease }
locks-lease-of-source = свой срок, иначе срок источника
locks-no-operation = Операция не хранится
locks-no-source = Источник неизвестен
locks-no-time = время не хранится
locks-no-deadline = нет срока
locks-in = через { $left }
locks-none-tells = { $count ->
    [one] Единственная блокировка не называет свой срок. Задайте срок, чтобы судить по давности, где она известна или выведена.
   *[other] Ни одна из { $count } блокировок не называет свой срок. Задайте срок, чтобы судить по давности, где она известна или выведена.
}
locks-some-tell-not = { $unknown ->
    [one] { $unknown } из { $count } блокировок не называет свой срок. Задайте срок, чтобы судить по давности, где она известна или выведена.
   *[other] { $unknown } из { $count } блокировок не называют свой срок. Задайте срок, чтобы судить по давности, где она известна или выведена.
}
locks-looked-at = Прочитано { $ago } назад, по часам хранилища.
locks-none-runs = Ни один запрос не выполняется.
locks-running-for = { $count ->
    [one] { $count } запрос выполняется, уже { $age }.
    [few] { $count } запроса выполняются, старейший { $age }.
   *[other] { $count } запросов выполняется, старейший { $age }.
}
locks-running = { $count ->
    [one] { $count } запрос выполняется.
    [few] { $count } запроса выполняются.
   *[other] { $count } запросов выполняется.
}
locks-verdict = Вывод
locks-locked-for = Держит
locks-past-lease = Сверх срока
locks-expires-in = Истекает
locks-evidence = Основание
locks-counts-after = Считать зависшей после
locks-none-stuck = Зависших блокировок нет
locks-set-lease = Задать срок…
locks-cannot-tell = Зависла или нет, сказать нельзя
locks-show-running = Показать выполняемые
locks-by-operation = По операции
locks-by-source = По источнику
locks-flat = Без групп
evidence-alive = Строку держит идущая транзакция: жива
evidence-never-finished = захвачена и не завершена
evidence-no-times = в записи нет ни начала, ни срока
evidence-no-deadline = в записи нет срока, задайте его клавишей L
evidence-deadline-passed = её собственный срок прошёл
evidence-past-lease = прошёл срок { $lease }
evidence-past-lease-inferred = прошёл срок { $lease }, начало выведено
evidence-holds = срок ещё идёт
evidence-holds-inferred = срок ещё идёт, начало выведено
evidence-nothing-holds = её ничто не держит
lease-title = Срок блокировки
lease-about = Блокировка старше этого считается зависшей, если в записи нет своего срока.
lease-set = Задать
lease-write-spans = Пишите сроки так: 90s, 10m или 24h
lease-told = схема говорит { $lease }
lease-not-told = схема не говорит
lease-of = Срок для { $place }
