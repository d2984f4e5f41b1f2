# Статистика повторов: на чём стоят числа и почему числа нет.

stats-why-nothing-logged = в этом окне ничего не записано
stats-why-no-log = по этому хранилищу не видно: в нём нет журнала повторов
stats-why-no-keys = ни у одной записанной попытки нет ключа
stats-why-no-numbers = в журнале нет ни номеров попыток, ни их возраста
stats-why-no-retries = ни один повтор в этом окне не говорит, сколько прошло с первой попытки
stats-why-no-durations = ни одно записанное исполнение не говорит, сколько оно длилось
stats-why-no-lease = срок блокировки неизвестен: задайте его
stats-why-no-retention = срок хранения неизвестен: задайте его
stats-why-no-fingerprints = в журнале нет хешей запросов и областей для сравнения
stats-why-no-ledger = сколько раз что-то произошло, знает только учёт самого приложения
stats-why-no-locks = записи не говорят, когда начались их блокировки
stats-why-no-counters = записи здесь не ведут счётчиков
stats-why-not-by-store = по этому хранилищу не видно
stats-why-no-rights = с этими правами не видно
stats-why-on-replica = на реплике не видно: она считает лишь то, что делают с ней самой
stats-why-counts-use = не видно: сервер считает обращения (LFU), а не время простоя
stats-why-not-installed = не видно: pg_stat_statements не установлен
stats-why-one-look = нужны два взгляда: понаблюдайте немного
stats-why-not-asked = об этом не спрашивали
stats-why-not-logged = журнал об этом не говорит

stats-from-log = журнал повторов
stats-from-numbers = журнал повторов
stats-from-keys = журнал повторов
stats-from-sample = 1 из { $of } ключей журнала, оценка
stats-from-records = записи
stats-from-server = счётчики сервера
stats-from-idle = время простоя, оценка
stats-from-snapshots = изменения между взглядами
stats-from-monitor = увиденные команды

stats-window-quarter = 15 мин
stats-window-hour = 1 час
stats-window-day = 24 ч
stats-window-week = 7 дн
stats-window-of = с { $from } по { $to }, по часам хранилища
stats-reading = Журнал повторов читается
stats-so-far = { $count ->
    [one] пока { $count } попытка
    [few] пока { $count } попытки
   *[other] пока { $count } попыток
}
stats-log-whole = журнал в этом окне полон, без пропусков
stats-log-sampled = журнал — выборка
stats-log-partly = журнал прочитан не весь
stats-defects = { $count ->
    [one] { $count } строка с изъяном
    [few] { $count } строки с изъяном
   *[other] { $count } строк с изъяном
}
stats-evicted = { $count ->
    [one] { $count } ключ вытеснен с запуска сервера
    [few] { $count } ключа вытеснено с запуска сервера
   *[other] { $count } ключей вытеснено с запуска сервера
}
stats-evictions-why = вытеснение: { $why }
stats-export = Выгрузить…
stats-exported = Числа записаны в { $path }
stats-attempts = { $count ->
    [one] { $count } попытка
    [few] { $count } попытки
   *[other] { $count } попыток
}
stats-more-than-usual = Повторов в { $times } раза больше обычного
stats-more-and-again = { $count ->
    [one] Повторов в { $times } раза больше обычного, { $count } операция исполнена ещё раз
    [few] Повторов в { $times } раза больше обычного, { $count } операции исполнены ещё раз
   *[other] Повторов в { $times } раза больше обычного, { $count } операций исполнено ещё раз
}
stats-storm-of = { $count ->
    [one] Шторм: { $count } повтор
    [few] Шторм: { $count } повтора
   *[other] Шторм: { $count } повторов
}
stats-rate-none-again = Повторы — { $rate } попыток, ещё раз не исполнено ничего
stats-rate-and-again = { $count ->
    [one] Повторы — { $rate } попыток, { $count } операция исполнена ещё раз
    [few] Повторы — { $rate } попыток, { $count } операции исполнены ещё раз
   *[other] Повторы — { $rate } попыток, { $count } операций исполнено ещё раз
}
stats-no-storm = { $count ->
    [one] { $count } попытка в этом окне, шторма нет.
    [few] { $count } попытки в этом окне, шторма нет.
   *[other] { $count } попыток в этом окне, шторма нет.
}
stats-storm-since = С { $time }, { $operation }, больше всего от { $client }.
stats-no-jitter-at = Повторы приходят ровно через { $spans }, без разброса.
stats-no-jitter = Повторы приходят в одну и ту же десятую долю секунды, без разброса.
stats-spikes-at = Пики повторов: { $spans }.
stats-storm-success = Шторм кончился успехом.
stats-storm-expiry = Шторм кончился, когда записи истекли.
stats-storm-given-up = Шторм кончился, когда клиенты сдались.
stats-storm-goes-on = Шторм продолжается.
stats-storm-label = Шторм, { $from } – { $to }
stats-retry-rate = Доля повторов
stats-per-key = Попыток на ключ
stats-again = Исполнено ещё раз
stats-oldest-lock = Старейшая блокировка
stats-execution = Исполнение, p99
stats-mismatches = Несовпадения
stats-usually = обычно { $rate }
stats-of = { $part } из { $count }
stats-highest = больше всего { $count }
stats-of-attempts = { $count ->
    [one] из { $count } попытки
   *[other] из { $count } попыток
}
stats-past-lease = { $count } сверх срока
stats-lease-of = срок { $lease }
stats-lease-unknown = срок неизвестен
stats-equal-payloads = { $count ->
    [one] { $count } при равном запросе
   *[other] { $count } при равных запросах
}
stats-over-time = Повторы во времени
stats-per-bin = по { $span }, по исходам
stats-picked = выбранная часть, Esc — всё окно
stats-chart-name = { $count ->
    [one] Повторы во времени: { $count } в этом окне
    [few] Повторы во времени: { $count } в этом окне
   *[other] Повторы во времени: { $count } в этом окне
}
stats-tip-attempts = { $count ->
    [one] из { $count } попытки
   *[other] из { $count } попыток
}
stats-source-whole = журнал { $name }, полностью
stats-source-partly = журнал { $name }, частью
stats-came-to = Чем кончились попытки
stats-all-attempts = { $count ->
    [one] всего { $count } попытка
    [few] всего { $count } попытки
   *[other] всего { $count } попыток
}
stats-family-executed = Исполнено
stats-family-replayed = Из записи
stats-family-in-progress = Уже идёт
stats-family-refused = Отказано
stats-family-repeated = Ещё раз
stats-family-store = Сбой хранилища
stats-family-unknown = Другие слова
stats-refused-is = Отказано: не совпало, нет ключа, плохой ключ или тело.
stats-repeated-is = Ещё раз: после ошибки, после истечения, после перехвата.
stats-keys = { $count ->
    [one] { $count } ключ
    [few] { $count } ключа
   *[other] { $count } ключей
}
stats-keys-retried = Повторяют { $share } ключей
stats-mean-highest = В среднем { $mean }, больше всего { $count }
stats-per-key-name = Ключи по попыткам: { $bars }
stats-delays = От первой попытки до повтора
stats-retries = { $count ->
    [one] { $count } повтор
    [few] { $count } повтора
   *[other] { $count } повторов
}
stats-peaks = Острые пики — без разброса
stats-no-peaks = Острых пиков нет
stats-delays-foot = Логарифмическая, от 10 мс до 7 дней, половина в пределах { $half }, 99 % в пределах { $most }
stats-delays-name = От первой попытки до повтора, пики: { $spikes }
stats-where = Где
stats-column-client = Клиент
stats-column-attempts = Попытки
stats-column-per-key = на ключ
stats-column-retries = Повторы
stats-column-again = Снова
stats-worth = Стоит взглянуть
stats-worth-mismatches = { $count ->
    [one] несовпадение при равном запросе
    [few] несовпадения при равных запросах
   *[other] несовпадений при равных запросах
}
stats-worth-new-keys = { $count ->
    [one] запрос с двумя и более ключами за 10 мин
    [few] запроса с двумя и более ключами за 10 мин
   *[other] запросов с двумя и более ключами за 10 мин
}
stats-worth-expired = { $count ->
    [one] повтор после истечения записи
    [few] повтора после истечения записи
   *[other] повторов после истечения записи
}
stats-worth-abandoned = { $count ->
    [one] ключ 20 мин без окончательного ответа
    [few] ключа 20 мин без окончательного ответа
   *[other] ключей 20 мин без окончательного ответа
}
stats-worth-several = { $count ->
    [one] ключ, чья запись ответила на разные операции
    [few] ключа, чьи записи ответили на разные операции
   *[other] ключей, чьи записи ответили на разные операции
}
stats-worth-lease = { $count ->
    [one] исполнение дольше срока блокировки
    [few] исполнения дольше срока блокировки
   *[other] исполнений дольше срока блокировки
}
stats-show-keys = Показать ключи
stats-no-log = По этому хранилищу повторов не видно
stats-log-refused = { $place } не читается как журнал повторов: { $why }.
stats-no-log-text = В нём нет журнала повторов. API, который пишет по строке на попытку, в поток или в таблицу, делает их видимыми: таблица или поток idempotency_attempts, idem:log.
stats-nothing = В этом окне ничего не записано
stats-nothing-text = Журнал есть, но попыток в нём давно не было: { $place }.
stats-failed = Журнал повторов не удалось прочитать
stats-look-again = Посмотреть снова
stats-look-further = Посмотреть за { $span }
stats-why-no-records = здесь нет ни одной записи
stats-why-too-many = не сказать: записей больше, чем сравнивается
stats-why-not-enabled = не видно: события ключей на этом сервере не включены
stats-why-nothing-heard = пока ничего не слышно: тихо, или события ключей на этом сервере не включены
stats-why-line-lost = больше не слышно: связь потеряна
stats-from-events = события ключей
stats-from-pushes = присланные изменения
stats-by = по признаку: { $by }
stats-by-operation = операция и клиент
stats-by-client = клиент
stats-by-scope = область
stats-by-instance = экземпляр
stats-by-response = ответ
stats-by-layout = схема
stats-by-status = состояние
stats-line-none = не сказано
stats-line-others = все остальные
stats-column-records = Записи
stats-column-share = Доля
stats-storm-name = { $count ->
    [one] Шторм на { $operation }, с { $from } по { $to }, { $count } повтор: показать ключи
    [few] Шторм на { $operation }, с { $from } по { $to }, { $count } повтора: показать ключи
   *[other] Шторм на { $operation }, с { $from } по { $to }, { $count } повторов: показать ключи
}
stats-mark-tile = { $name } { $value }, { $below }: показать записи
stats-mark-line = { $name }, { $count }: показать ключи
stats-mark-place = { $name }, { $count }: показать записи
stats-mark-worth = { $count } { $words }: показать ключи
stats-per-key-bar = { $count ->
    [one] попыток { $attempts }: { $count } ключ
    [few] попыток { $attempts }: { $count } ключа
   *[other] попыток { $attempts }: { $count } ключей
}
stats-delays-bar = { $count ->
    [one] от { $from }: { $count } повтор
    [few] от { $from }: { $count } повтора
   *[other] от { $from }: { $count } повторов
}
stats-no-keys-behind = Ни один ключ там не считался
stats-list = { $count ->
    [one] { $count } ключ { $what }
    [few] { $count } ключа { $what }
   *[other] { $count } ключей { $what }
}
stats-list-retried = с повторами
stats-list-mismatches = с несовпадением
stats-list-false-mismatches = с несовпадением, хотя запрос тот же
stats-list-new-keys = с запросом, который пришёл и под другим ключом
stats-list-after-expiry = с повтором после истечения записи
stats-list-abandoned = без окончательного ответа
stats-list-several = с записью на несколько операций
stats-list-lease = с исполнением дольше срока блокировки
stats-list-family = с попыткой, которая кончилась так: { $outcome }
stats-list-attempts = со столькими попытками: { $attempts }
stats-list-delay = с повтором через { $from }–{ $to } после первой попытки
stats-list-bin = с повтором в { $time }
stats-list-pair = операции { $operation } от { $client }
stats-list-line = по признаку { $name }
stats-list-storm = в шторме с { $from } по { $to }
stats-seen-looks = появилось { $appeared }, завершилось { $finished }, истекло { $expired }, исчезло { $gone }, попыток +{ $attempts }, повторных ответов +{ $replays }
stats-seen-events = записано { $written }, удалено { $deleted }, истекло { $expired }, вытеснено { $evicted }
stats-seen-pushes = { $count ->
    [one] { $count } изменение
    [few] { $count } изменения
   *[other] { $count } изменений
}
stats-seen-times = с { $from } по { $to }
stats-save-title = Выгрузить статистику повторов
stats-save-picture-about = Страница картинкой, в показанной теме.
stats-save-csv-about = Все числа, по строке на число, каждое с источником.
stats-save-json-about = Все числа с источниками, как их печатает командная строка.
stats-save-drawing = Картинка рисуется
stats-why-wide-names = не сказать: у имён этих записей нет своего начала, и считались бы чужие
