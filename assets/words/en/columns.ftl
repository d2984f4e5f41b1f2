# The columns of the table of keys, and the dialog that chooses them.

column-status = Status
column-key = Key
column-scope = Scope
column-operation = Operation
column-age = Age
column-ttl = TTL
column-hash = Hash
column-tries = Tries
column-response = Response
column-replays = Replays
column-created = Created
column-ended = Ended
column-layout = Layout
column-address = Address
columns-title = Columns
columns-hint = Drag headers to move them, their edges for the width
columns-usual = As usual
columns-done = Done
columns-up = { $column }: further left
columns-down = { $column }: further right
