# What is copied, and the dialog that asks.

copied-keys = { $count ->
    [one] Скопирован { $count } ключ
    [few] Скопировано { $count } ключа
   *[other] Скопировано { $count } ключей
}
copied-json = { $count ->
    [one] Скопирована { $count } запись как JSON
    [few] Скопировано { $count } записи как JSON
   *[other] Скопировано { $count } записей как JSON
}
copied-curl = { $count ->
    [one] Скопирована { $count } команда curl
    [few] Скопировано { $count } команды curl
   *[other] Скопировано { $count } команд curl
}
copied-commands = { $count ->
    [one] Скопирована { $count } команда хранилища
    [few] Скопировано { $count } команды хранилища
   *[other] Скопировано { $count } команд хранилища
}
copied-left-out = { $count ->
    [one] не вошла { $count }
   *[other] не вошло { $count }
}
copy-as-key = Копировать ключи
copy-as-json = Копировать как JSON
copy-as-curl = Копировать как curl
copy-as-command = Копировать как команду хранилища
copy-as-this = Копировать эту запись
copy-as-records = { $count ->
    [one] Копировать { $count } запись
    [few] Копировать { $count } записи
   *[other] Копировать { $count } записей
}
