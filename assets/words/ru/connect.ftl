# Страница подключения и то, что хранится о подключениях.

connect-title = Подключиться к хранилищу
connect-about = Вставьте, что есть: URL, команду redis-cli или psql, имя службы, путь к файлу. Или осмотритесь в демо-хранилище, ему ничего не нужно.
connect-address = Адрес хранилища
connect-address-hint = redis://… или postgres://…, или сохранённое имя
connect-from = из { $name }

connect-engine = Хранилище
connect-kind-cluster = кластер Redis: любой из этих узлов назовёт остальные
connect-kind-sentinel = Redis за Sentinel: его узлы назовут основной
connect-kind-hosts = PostgreSQL на нескольких серверах: первый подходящий из ответивших
connect-file = Файл
connect-file-hint = /путь/к/файлу.sqlite
connect-host = Сервер
connect-port = Порт
connect-user = Логин
connect-database = База
connect-encryption = Шифрование
connect-tls-off = Нет
connect-tls-verified = С проверкой
connect-tls-offered = Если есть
connect-tls-required = Обязательно
connect-tls-production = для прода выберите явно

connect-password = Пароль
connect-password-at = Пароль на { $host }
connect-password-for = Пароль для { $user } на { $host }
connect-type-password = Введите пароль ниже или возьмите другой логин
connect-type-passphrase = Введите ниже парольную фразу ключа или добавьте ключ в агент
connect-passphrase = Фраза ключа
connect-passphrase-note = парольная, для SSH, не сохраняется
connect-password-from = из { $name }, не показан
connect-password-command = из команды ниже
connect-password-keyring = в связке ключей
connect-password-pgpass = или из .pgpass и PGPASSWORD
connect-password-asked = спросим, когда понадобится

connect-name = Имя
connect-name-empty = чтобы сохранить
connect-name-hint = Впишите имя и сохраните ещё раз
connect-colour-plain = Без цвета
connect-colour-slate = Сланцевый
connect-colour-teal = Бирюзовый
connect-colour-olive = Оливковый
connect-colour-sand = Песочный
connect-colour-violet = Фиолетовый
connect-production = Прод
connect-this-is-production = Это прод
connect-production-about = метка видна везде; для изменений нужно ввести имя
connect-is-production = прод

connect-more = Сертификаты, SSH, реплика, команда пароля
connect-less = Меньше полей
connect-ca = Файл CA
connect-cert = Сертификат
connect-cert-key = Его ключ
connect-command = Команда

connect-here = Уже здесь
connect-found = Найдено на этой машине
connect-saved-ones = Сохранённые
connect-recent-ones = Недавние
connect-nothing-saved = Пока ничего. Сохранённое подключение останется здесь, без пароля.
connect-broken-here = Файл подключений не читается: { $why }. Пока он не исправлен, мы его не используем и не меняем.
connect-demo-about = создано лабораторией, ничего не нужно
connect-open-demo = { $count ->
    [one] { $count } запись, создана лабораторией
    [few] { $count } записи, созданы лабораторией
   *[other] { $count } записей, созданы лабораторией
}
connect-open-now = открыто
connect-of-environment = env
connect-as-psql = как подключился бы psql
connect-remove = Убрать { $name }

connect-open = Открыть
connect-opening = Открываем…
connect-test = Проверить
connect-testing = Смотрим, что там есть…
connect-save = Сохранить
connect-new = Очистить
connect-read-only = Только чтение, ничего не пишем.

connect-reached = Связь
connect-servers = Серверы
connect-not-encrypted = без шифрования: по пути могут прочитать
connect-encrypted = зашифровано, но сервер не доказал, кто он
connect-verified = зашифровано, сервер доказал, кто он
connect-signed-in = Вход
connect-signed-in-as = как { $user }
connect-clock = Часы
connect-clock-ahead = хранилище впереди на { $away }, возраст считаем по его часам
connect-clock-behind = хранилище позади на { $away }, возраст считаем по его часам
connect-clock-same = время то же, что на этой машине
connect-clock-none = хранилище не сообщает время, возраст считаем по часам этой машины
connect-rights = Права
connect-rights-all = логину можно всё, что нужно для просмотра
connect-rights-lack = логину не хватает: { $what }
connect-records = Записи
connect-sources = { $count ->
    [one] { $count } источник: { $names }
    [few] { $count } источника: { $names }
   *[other] { $count } источников: { $names }
}
connect-no-records-keys = { $count ->
    [one] не распознаны, просмотрен { $count } ключ
    [few] не распознаны, просмотрено { $count } ключа
   *[other] не распознаны, просмотрено { $count } ключей
}
connect-no-records-tables = { $count ->
    [one] не распознаны, просмотрена { $count } таблица
    [few] не распознаны, просмотрены { $count } таблицы
   *[other] не распознаны, просмотрено { $count } таблиц
}

connect-nothing-typed = Хранилище не указано
connect-nothing-typed-hint = Вставьте URL или заполните поля
connect-too-many = Открыто хранилищ: { $count }, больше нельзя
connect-too-many-hint = Закройте одно клавишами Ctrl W или в меню хранилищ
connect-saved = Подключение { $name } сохранено
connect-saved-keyring = Подключение { $name } сохранено, пароль в связке ключей
connect-saved-asked = Подключение { $name } сохранено без пароля: { $why }. Будем спрашивать каждый раз
connect-removed = Подключение { $name } убрано. «Сохранить» вернёт его
connect-not-kept = Сохранить не удалось: { $why }
connect-broken = Файл подключений не читается: { $why }. Пока он не исправлен, мы его не используем и не меняем
connect-server-name = Имя сервера
connect-ssh = Через SSH
connect-replica = Реплика
connect-replica-about = может отставать; изменения всё равно идут на основной узел
connect-on-replica = Смотреть на реплике
