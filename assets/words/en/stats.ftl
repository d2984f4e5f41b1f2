# Retry statistics: what figures rest on, and why one is not there.

stats-why-nothing-logged = nothing was logged in this window
stats-why-no-log = not observable from this store: it has no retry log
stats-why-no-keys = no logged attempt has a key
stats-why-no-numbers = the log tells neither attempt numbers nor ages
stats-why-no-retries = no retry in this window tells how long after the first attempt it came
stats-why-no-durations = no logged execution tells how long it took
stats-why-no-lease = no lease is known: set one
stats-why-no-retention = no retention is known: set one
stats-why-no-fingerprints = the log tells no payload hashes and scopes to compare
stats-why-no-ledger = only the application’s own ledger tells how often something happened
stats-why-no-locks = the records tell no start of their locks
stats-why-no-counters = the records here keep no counters
stats-why-not-by-store = not observable from this store
stats-why-no-rights = not observable with these rights
stats-why-on-replica = not observable on a replica: it counts what is done at itself
stats-why-counts-use = not observable: the server counts uses (LFU) instead of idle times
stats-why-not-installed = not observable: pg_stat_statements is not installed
stats-why-one-look = takes two looks: watch for a while
stats-why-not-asked = was not asked for
stats-why-not-logged = the log does not tell it

stats-from-log = retry log
stats-from-numbers = retry log
stats-from-keys = retry log
stats-from-sample = 1 in { $of } keys of the retry log, estimate
stats-from-records = records
stats-from-server = server’s own counts
stats-from-idle = idle times, estimate
stats-from-snapshots = what changed between looks
stats-from-monitor = commands seen

stats-window-quarter = 15 min
stats-window-hour = 1 hour
stats-window-day = 24 h
stats-window-week = 7 d
stats-window-of = { $from } to { $to }, store’s clock
stats-reading = Reading the retry log
stats-so-far = { $count ->
    [one] { $count } attempt so far
   *[other] { $count } attempts so far
}
stats-log-whole = log complete in this window, no gaps
stats-log-sampled = the log is a sample
stats-log-partly = not all of the log was read
stats-defects = { $count ->
    [one] { $count } entry with a defect
   *[other] { $count } entries with defects
}
stats-evicted = { $count ->
    [one] { $count } key evicted since the server started
   *[other] { $count } keys evicted since the server started
}
stats-evictions-why = evictions: { $why }
stats-export = Export…
stats-exported = The figures were written to { $path }
stats-attempts = { $count ->
    [one] { $count } attempt
   *[other] { $count } attempts
}
stats-more-than-usual = Clients retry { $times } times as much as usual
stats-more-and-again = { $count ->
    [one] Clients retry { $times } times as much as usual, { $count } operation ran again
   *[other] Clients retry { $times } times as much as usual, { $count } operations ran again
}
stats-storm-of = { $count ->
    [one] A storm of { $count } retry
   *[other] A storm of { $count } retries
}
stats-rate-none-again = { $rate } of the attempts are retries, nothing ran again
stats-rate-and-again = { $count ->
    [one] { $rate } of the attempts are retries, { $count } operation ran again
   *[other] { $rate } of the attempts are retries, { $count } operations ran again
}
stats-no-storm = { $count ->
    [one] { $count } attempt in this window, no storm.
   *[other] { $count } attempts in this window, no storm.
}
stats-storm-since = Since { $time }, on { $operation }, most from { $client }.
stats-no-jitter-at = Retries come at exactly { $spans }, without jitter.
stats-no-jitter = Retries come at the same tenth of a second, without jitter.
stats-spikes-at = Retries peak at { $spans }.
stats-storm-success = The storm ended with success.
stats-storm-expiry = The storm ended when records expired.
stats-storm-given-up = The storm ended when clients gave up.
stats-storm-goes-on = The storm goes on.
stats-storm-label = Storm, { $from } to { $to }
stats-retry-rate = Retry rate
stats-per-key = Attempts per key
stats-again = Executed again
stats-oldest-lock = Oldest lock
stats-execution = Execution p99
stats-mismatches = Mismatches
stats-usually = usually { $rate }
stats-of = { $part } of { $count }
stats-highest = highest { $count }
stats-of-attempts = { $count ->
    [one] of { $count } attempt
   *[other] of { $count } attempts
}
stats-past-lease = { $count } past their lease
stats-lease-of = lease { $lease }
stats-lease-unknown = no lease is known
stats-equal-payloads = { $count ->
    [one] { $count } of an equal payload
   *[other] { $count } of equal payloads
}
stats-over-time = Retries over time
stats-per-bin = per { $span }, stacked by outcome
stats-picked = the part that was chosen, Esc for the whole
stats-chart-name = { $count ->
    [one] Retries over time: { $count } in this window
   *[other] Retries over time: { $count } in this window
}
stats-tip-attempts = { $count ->
    [one] of { $count } attempt
   *[other] of { $count } attempts
}
stats-source-whole = retry log { $name }, complete
stats-source-partly = retry log { $name }, in part
stats-came-to = What the attempts came to
stats-all-attempts = { $count ->
    [one] all { $count } attempt
   *[other] all { $count } attempts
}
stats-family-executed = Executed
stats-family-replayed = Replayed
stats-family-in-progress = In progress
stats-family-refused = Refused
stats-family-repeated = Executed again
stats-family-store = Store error
stats-family-unknown = Other words
stats-refused-is = Refused: mismatch, missing or bad key, invalid body.
stats-repeated-is = Executed again: after an error, after expiry, after a takeover.
stats-keys = { $count ->
    [one] { $count } key
   *[other] { $count } keys
}
stats-keys-retried = { $share } of the keys are retried
stats-mean-highest = Mean { $mean }, highest { $count }
stats-per-key-name = Keys by attempts: { $bars }
stats-delays = From the first try to a retry
stats-retries = { $count ->
    [one] { $count } retry
   *[other] { $count } retries
}
stats-peaks = Sharp peaks mean no jitter
stats-no-peaks = No sharp peaks
stats-delays-foot = Logarithmic, 10 ms to 7 days, half within { $half }, 99 % within { $most }
stats-delays-name = From the first try to a retry, peaks at { $spikes }
stats-where = Where
stats-column-client = Client
stats-column-attempts = Attempts
stats-column-per-key = per key
stats-column-retries = Retries
stats-column-again = Again
stats-worth = Worth a look
stats-worth-mismatches = { $count ->
    [one] mismatch whose payload is equal
   *[other] mismatches whose payloads are equal
}
stats-worth-new-keys = { $count ->
    [one] payload sent under two or more keys within 10 min
   *[other] payloads sent under two or more keys within 10 min
}
stats-worth-expired = { $count ->
    [one] retry that came after the record had expired
   *[other] retries that came after the record had expired
}
stats-worth-abandoned = { $count ->
    [one] key left without a final answer for 20 min
   *[other] keys left without a final answer for 20 min
}
stats-worth-several = { $count ->
    [one] key whose record served several operations
   *[other] keys whose record served several operations
}
stats-worth-lease = { $count ->
    [one] execution that took longer than the lease
   *[other] executions that took longer than the lease
}
stats-show-keys = Show keys
stats-no-log = Retries are not observable from this store
stats-log-refused = { $place } is not read as a retry log: { $why }.
stats-no-log-text = It has no retry log. An API that writes one line for each attempt, to a stream or a table, makes them visible: the table or stream idempotency_attempts, idem:log.
stats-nothing = Nothing was logged in this window
stats-nothing-text = There is a log, and no attempt in it for so long: { $place }.
stats-failed = The retry log could not be read
stats-look-again = Look again
stats-look-further = Look back { $span }
stats-why-no-records = there is no record here
stats-why-too-many = not told: there are more records than are compared
stats-why-not-enabled = not observable: keyspace events are not enabled on this server
stats-why-nothing-heard = nothing was heard yet: it is quiet, or keyspace events are not enabled on this server
stats-why-line-lost = not told any more: the line was lost
stats-from-events = keyspace events
stats-from-pushes = pushed changes
stats-by = by { $by }
stats-by-operation = operation and client
stats-by-client = client
stats-by-scope = scope
stats-by-instance = instance
stats-by-response = response
stats-by-layout = layout
stats-by-status = status
stats-line-none = none told
stats-line-others = all others
stats-column-records = Records
stats-column-share = Share
stats-storm-name = { $count ->
    [one] Storm on { $operation }, { $from } to { $to }, { $count } retry: show its keys
   *[other] Storm on { $operation }, { $from } to { $to }, { $count } retries: show its keys
}
stats-mark-tile = { $name } { $value }, { $below }: show the records
stats-mark-line = { $name }, { $count }: show the keys
stats-mark-place = { $name }, { $count }: show the records
stats-mark-worth = { $count } { $words }: show the keys
stats-per-key-bar = { $count ->
    [one] { $attempts } attempts: { $count } key
   *[other] { $attempts } attempts: { $count } keys
}
stats-delays-bar = { $count ->
    [one] from { $from }: { $count } retry
   *[other] from { $from }: { $count } retries
}
stats-no-keys-behind = No key was counted there
stats-list = { $count ->
    [one] { $count } key { $what }
   *[other] { $count } keys { $what }
}
stats-list-retried = that were retried
stats-list-mismatches = with a mismatch
stats-list-false-mismatches = with a mismatch although the payload is equal
stats-list-new-keys = whose payload came under another key as well
stats-list-after-expiry = retried after the record had expired
stats-list-abandoned = left without a final answer
stats-list-several = whose record served several operations
stats-list-lease = whose execution outlived its lease
stats-list-family = with an attempt that came to: { $outcome }
stats-list-attempts = with so many attempts: { $attempts }
stats-list-delay = with a retry between { $from } and { $to } after the first attempt
stats-list-bin = retried at { $time }
stats-list-pair = of { $operation } from { $client }
stats-list-line = of { $name }
stats-list-storm = in the storm from { $from } to { $to }
stats-seen-looks = appeared { $appeared }, finished { $finished }, expired { $expired }, gone { $gone }, attempts +{ $attempts }, replays +{ $replays }
stats-seen-events = written { $written }, deleted { $deleted }, expired { $expired }, evicted { $evicted }
stats-seen-pushes = { $count ->
    [one] { $count } change
   *[other] { $count } changes
}
stats-seen-times = { $from } to { $to }
stats-save-title = Export retry statistics
stats-save-picture-about = The page as a picture, in the theme that is shown.
stats-save-csv-about = All figures, one line a number, each with its source.
stats-save-json-about = All figures with their sources, as the command line prints them.
stats-save-drawing = The picture is being drawn
stats-why-wide-names = not told: the names of these records have no beginning of their own, so that others would be counted
