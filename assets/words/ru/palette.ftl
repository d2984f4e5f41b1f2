# The palette of all commands.

palette-name = Поиск и команды
palette-commands = / ищет ключи, @ открывает другое хранилище
palette-keys = Enter отберёт ключи по этому тексту
palette-connection = Enter откроет этот адрес
palette-found = { $count ->
    [one] { $count } команда
    [few] { $count } команды
   *[other] { $count } команд
}
palette-run = Выполнить: { $command }
palette-not-now = сейчас нельзя
