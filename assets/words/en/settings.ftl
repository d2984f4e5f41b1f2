# The view of settings.

settings-broken = The settings could not be read: { $why }. The usual ones are used, and nothing is saved until the file is mended
