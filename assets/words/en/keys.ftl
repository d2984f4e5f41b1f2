# The table of keys, its filter and its faces.

keys-not-told = Not told by the layout
keys-name-scope = scope { $scope }
keys-name-locked = locked for { $age }
keys-name-age = age { $age }
keys-name-past = { $past } past its lease
keys-name-never = never expires
keys-name-passed = expiry passed
keys-name-expires = expires in { $left }
keys-none-reads = { $what ->
    [tables] { $count ->
        [one] { $count } table looked at, it reads as no record
       *[other] { $count } tables looked at, none reads as a record
    }
   *[keys] { $count ->
        [one] { $count } key looked at, it reads as no record
       *[other] { $count } keys looked at, none reads as a record
    }
}
keys-store-empty = { $what ->
    [tables] There are no tables in this store.
   *[keys] There are no keys in this store.
}
keys-refused = { $count ->
    [one] { $count } looks similar and was refused.
   *[other] { $count } look similar and were refused.
}
keys-without-filter = { $count ->
    [one] Without the filter there is { $count }.
   *[other] Without the filter there are { $count }.
}
keys-only = Only { $standing }
keys-lost = No answer for { $since }
keys-lost-again-in = trying again in { $left }
keys-lost-again = trying again
keys-lost-refused = sign in again
keys-all = All
keys-more-chips = More chips
keys-try-now = Try now
keys-no-records = No idempotency records here
keys-look-again = Look again
keys-connect = Connect…
keys-drop-term = Drop the last term
keys-clear = Clear
keys-nothing-matches = Nothing matches
keys-not-read = The store could not be read
keys-read-again = Read again
keys-filter = Filter
keys-filter-hint = Filter: a text, or status:processing age>10m scope:user_42
keys-export = Export…
remark-no-access = { $count ->
    [one] { $count } key is outside what this login may read
   *[other] { $count } keys are outside what this login may read
}
remark-rule = This would do: { $rule }
remark-counted-only = { $count ->
    [one] { $count } record is counted only
   *[other] { $count } records are counted only
}
remark-listed = { $count ->
    [one] { $count } record of them is here
   *[other] { $count } records of them are here
}
remark-drop-list = Click or Esc shows all keys again
remark-list-cut = The list is cut: { $shown } of { $count } keys
remark-list-sample = Each stands for about { $factor } keys
keys-none-of-list = None of these keys has a record here any more: it has expired or was removed, or the log puts its scope in other words
remark-narrow = There is no room for more. Leave out a source to see others whole
remark-missing-rights = This login may not do: { $rights }
remark-works-without = What rests on it is left out, everything else works
keys-unreadable = { $count ->
    [one] This login may not read { $count } of them.
   *[other] This login may not read { $count } of them.
}
remark-more-findings = { $count } more findings
remark-fewer-findings = Fewer findings
