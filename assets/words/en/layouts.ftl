# The view of layouts.

layouts-looked-at = { $what ->
    [tables] { $count ->
        [one] { $count } table looked at
       *[other] { $count } tables looked at
    }
   *[keys] { $count ->
        [one] { $count } key looked at
       *[other] { $count } keys looked at
    }
}
layouts-reads = { $count ->
    [one] reads { $count } record of the sample
   *[other] reads { $count } records of the sample
}
layouts-gone = This record is gone, another one may be there
layouts-sample = Sample { $at } of { $of }
layouts-read-again = Read again
layouts-leave-out = Leave out
layouts-left-out = left out
layouts-why = Why it was chosen
layouts-set = Set for this source
layouts-lease = Lease
layouts-retention = Retention
layouts-enter-sets = Enter sets it; empty means what the layout says
layouts-no-example = No example was kept
layouts-as-stored = As stored
layouts-read-as = Read as
layouts-next = Next sample (→)
layouts-previous = Previous sample (←)
layouts-found = Found here
layouts-nothing = Nothing reads as a record
layouts-not-sure = Not sure
layouts-have-a-look = have a look
layouts-refused = Refused
layouts-look-similar = look similar, are not
