# The view of locks, and the dialog of the lease that counts.

locks-nothing-holds = nothing holds a lock
locks-of = { $count ->
    [one] of { $count } lock
   *[other] of { $count } locks
}
locks-oldest = oldest { $age }
locks-not-told = { $count ->
    [one] { $count } cannot be told
   *[other] { $count } cannot be told
}
locks-so-far = so far
locks-stuck = { $count ->
    [one] { $count } stuck
   *[other] { $count } stuck
}
locks-stuck-of = { $stuck } stuck of { $count }
locks-own-lease = its own lease
locks-lease-else = its own lease, else { $lease }
locks-lease-of-source = its own lease, else its source’s
locks-no-operation = Operation not stored
locks-no-source = Source not known
locks-no-time = no time is stored
locks-no-deadline = no deadline
locks-in = in { $left }
locks-none-tells = { $count ->
    [one] The one lock does not tell its deadline. Set a lease to judge by the age, where that is known or inferred.
   *[other] None of the { $count } locks tells its deadline. Set a lease to judge by the age, where that is known or inferred.
}
locks-some-tell-not = { $unknown ->
    [one] { $unknown } of { $count } locks does not tell its deadline. Set a lease to judge by the age, where that is known or inferred.
   *[other] { $unknown } of { $count } locks do not tell their deadlines. Set a lease to judge by the age, where that is known or inferred.
}
locks-looked-at = Looked at { $ago } ago, by the store’s clock.
locks-none-runs = No request is running.
locks-running-for = { $count ->
    [one] { $count } request is running, for { $age }.
   *[other] { $count } requests are running, the oldest for { $age }.
}
locks-running = { $count ->
    [one] { $count } request is running.
   *[other] { $count } requests are running.
}
locks-verdict = Verdict
locks-locked-for = Locked for
locks-past-lease = Past lease
locks-expires-in = Expires in
locks-evidence = Evidence
locks-counts-after = Counts as stuck after
locks-none-stuck = No lock is stuck
locks-set-lease = Set a lease…
locks-cannot-tell = Stuck or not cannot be told
locks-show-running = Show the running ones
locks-by-operation = By operation
locks-by-source = By source
locks-flat = Flat
evidence-alive = A running transaction holds the row: alive
evidence-never-finished = claimed and never finished
evidence-no-times = no start and no deadline in this record
evidence-no-deadline = no deadline in this record, set a lease with L
evidence-deadline-passed = its own deadline passed
evidence-past-lease = past a lease of { $lease }
evidence-past-lease-inferred = past a lease of { $lease }, start inferred
evidence-holds = lease holds
evidence-holds-inferred = lease holds, start inferred
evidence-nothing-holds = nothing holds it
lease-title = The lease that counts
lease-about = A lock older than this counts as stuck, where its record holds no deadline.
lease-set = Set
lease-write-spans = Write spans like 90s, 10m or 24h
lease-told = the layout says { $lease }
lease-not-told = the layout says none
lease-of = Lease of { $place }
