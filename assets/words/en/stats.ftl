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
