# Откуда взялась настройка подключения.

origin-title = Откуда взята каждая настройка
origin-secret = не показан
origin-url = URL
origin-saved = сохранено в { $name }
origin-kept = форма
origin-service = служба { $name }
origin-password-file = файл паролей
origin-keyring = связка ключей
origin-command = команда пароля
origin-typed = введено
origin-default = по умолчанию
