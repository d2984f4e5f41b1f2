# The panel with one record.

record-edge = Width of the record panel
record-copied = Copied
record-copied-masked = { $count ->
    [one] Copied; { $count } private part is masked
   *[other] Copied; { $count } private parts are masked
}
record-key-copied = Key copied
record-address-copied = Address copied
record-form-tree = Tree
record-form-text = Text
record-form-hex = Hex
record-masked = { $count ->
    [one] { $count } private part is masked
   *[other] { $count } private parts are masked
}
record-reveal = Show
record-revealed = Private parts are shown
record-mask = Mask
record-copy-payload = Copy this
record-nothing-stored = Nothing is stored
record-no-answer = No answer is stored
record-fold = Fold line { $line }
record-unfold = Unfold line { $line }
record-close = Close (Esc)
record-copy-key = Copy key
record-reading = Reading…
record-retry = A retry sent now gets
record-tab-fields = Fields
record-tab-response = Response
record-tab-raw = Raw
record-tab-parts = Parts
record-gone = The record is gone
record-ago = { $age } ago
record-in = in { $left }
record-never-finished = its claim was never finished
record-lease-ends = lease ends in { $left }
record-waiting = waiting, nothing holds a lock
record-cannot-tell = stuck or not cannot be told
record-still-there = { $ago }, still there
record-with = with { $code }
record-retries-get = Retries get { $code }
record-retries-execute = Retries execute again
record-retries-replay = Retries get the stored answer
record-until-expiry = { $gets } until the record expires in { $left }
record-why-stuck = Why it counts as stuck
record-why-not-stuck = Why it is not stuck
record-why-not-told = Why stuck cannot be told
record-start-and-lease = start + lease
record-deadline-passed = Deadline passed { $past } ago
record-deadline-in = Deadline in { $left }
record-no-deadline = No deadline is stored and no lease is set
record-layout-says = The layout says so of such a row
record-locked-for = Locked for { $age }
record-no-start = No start of the lock is stored
record-own-clock = By this machine’s clock
record-store-clock = By the store’s clock
record-store-clock-behind = By the store’s clock, { $away } behind
record-store-clock-ahead = By the store’s clock, { $away } ahead
record-clock-source = store clock
record-ms = { $count ->
    [one] { $count } ms
   *[other] { $count } ms
}
fact-status = Status
fact-locked = Locked
fact-lease-until = Lease until
fact-created = Created
fact-completed = Completed
fact-failed = Failed
fact-payload-hash = Payload hash
fact-attempts = Attempts
fact-replays = Replays
fact-owner = Owner
fact-recovery-point = Recovery point
fact-error = Error
fact-address = Address
fact-source = Source
fact-problem = Problem
fact-expires = Expires
fact-response = Response
fact-never = never
fact-not-told = not told
fact-none-stored = none stored
line-locked = locked
line-created = created
line-completed = completed
line-failed = failed
line-now = now
line-expired = expired
line-expires = expires
line-lease-ends = lease ends
line-lease-ended = lease ended
record-tab-history = History
record-no-history = The journal says nothing of this record
record-not-from-here = { $verb }: not from here, because { $why }
record-release = Release…
record-settle = Settle…
record-purge = Purge…
record-act-name = { $act } this record
record-plans-only = Plans only
