# The palette of all commands.

palette-name = Search or run
palette-commands = Type / to search keys, @ to open another store
palette-keys = Enter filters the keys by this
palette-connection = Enter opens this address
palette-found = { $count ->
    [one] { $count } command
   *[other] { $count } commands
}
palette-run = Run { $command }
palette-not-now = not possible now
