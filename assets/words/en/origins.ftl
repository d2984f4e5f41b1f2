# Where a setting of a connection came from.

origin-title = Where each setting comes from
origin-secret = not shown
origin-url = the URL
origin-saved = saved in { $name }
origin-kept = the form
origin-service = service { $name }
origin-password-file = the password file
origin-keyring = the keyring
origin-command = the password command
origin-typed = typed
origin-default = the default
