# Открытые хранилища.

stores-demo = Демо-хранилище
stores-is-open = { $name } открыто. Ctrl L покажет его
stores-change = Сменить хранилище, сейчас { $name }
stores-change-hint = Хранилища (Ctrl L)
stores-opening = Открываем…
stores-none = Нет хранилища
stores-connect = Подключиться…
stores-open = открыто
stores-shown = на экране
stores-lost = нет связи
stores-close = Закрыть { $name }
stores-production = ПРОД
stores-full = Открыто хранилищ: { $count }, больше нельзя
