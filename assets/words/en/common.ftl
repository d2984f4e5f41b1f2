# Words that several areas share.

common-records = { $count ->
    [one] { $count } record
   *[other] { $count } records
}
common-cancel = Cancel
