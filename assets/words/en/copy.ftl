# What is copied, and the dialog that asks.

copied-keys = { $count ->
    [one] { $count } key copied
   *[other] { $count } keys copied
}
copied-json = { $count ->
    [one] { $count } record as JSON copied
   *[other] { $count } records as JSON copied
}
copied-curl = { $count ->
    [one] { $count } curl command copied
   *[other] { $count } curl commands copied
}
copied-commands = { $count ->
    [one] { $count } store command copied
   *[other] { $count } store commands copied
}
copied-left-out = { $count ->
    [one] { $count } left out
   *[other] { $count } left out
}
copy-as-key = Copy keys
copy-as-json = Copy as JSON
copy-as-curl = Copy as curl
copy-as-command = Copy as store command
copy-as-this = Copy this record
copy-as-records = { $count ->
    [one] Copy { $count } record
   *[other] Copy { $count } records
}
