# Repairs: changes on and off, the dialog of a plan, its run, its report.

changes-are-on = { $name } may be changed
changes-are-on-for = { $name } may be changed for { $left }
changes-are-off = Read-only again
changes-are-over = { $name } is read-only again
changes-title = Turn changes on in { $name }
changes-lead = { $count ->
    [one] For { $count } min, then read-only again
   *[other] For { $count } min, then read-only again
}
verb-release = Release
verb-settle = Settle
verb-purge = Purge
verb-undo = Undo
outcome-released = released
outcome-settled = settled
outcome-purged = purged
outcome-restored = restored
outcome-changed = changed meanwhile
outcome-gone = gone
outcome-alive = alive
outcome-refused = refused
outcome-unknown = unknown
outcome-not-reached = not reached
repair-runs-already = A repair runs already
repair-runs-here = A repair runs here: stop it first
repair-nothing-done = Nothing was changed
repair-saved = Written to { $file }
repair-close = Close (Esc)
repair-release-title = { $count ->
    [one] Release { $count } lock in { $name }
   *[other] Release { $count } locks in { $name }
}
repair-settle-title = { $count ->
    [one] Settle { $count } record in { $name }
   *[other] Settle { $count } records in { $name }
}
repair-purge-title = { $count ->
    [one] Purge { $count } record in { $name }
   *[other] Purge { $count } records in { $name }
}
repair-undo-title = { $count ->
    [one] Put back { $count } record in { $name }
   *[other] Put back { $count } records in { $name }
}
repair-undo-in = Undo in { $name }
repair-release-lead = The next retry of each key executes again.
repair-settle-lead = Retries get this answer from now on, nothing is executed.
repair-purge-lead = They are removed. A retry of one of these keys is a new operation.
repair-undo-lead = Each comes back exactly as it was, with what is left of its time.
repair-left-alone = { $count ->
    [one] { $count } of those asked for is left alone.
   *[other] { $count } of those asked for are left alone.
}
repair-journalled = It stands in the journal as { $run }
repair-nothing-written = Nothing was to be done, and nothing stands in the journal
repair-release-question = Was it already done?
repair-release-danger = If it was, a release does it again: a payment is charged twice. Look these keys up first.
repair-release-other = If it was, settle instead
repair-release-other-text = Settle writes the outcome into the record, so that retries replay it and nothing is executed.
repair-settle-these = Settle these…
repair-settle-question = Did it really happen?
repair-settle-danger = If it did not, the customer is told that it did, and no retry will ever make it under this key.
repair-settle-other = If it did not, release instead
repair-settle-other-text = Release takes the lock away, so that the next retry executes.
repair-release-these = Release these…
repair-purge-question = Will nobody retry these?
repair-purge-danger = A retry that comes later executes as if it were the first request. Processing records are never purged.
repair-purge-other = If you may need them, save the plan
repair-purge-other-text = The plan holds what is removed. The journal does as well, so that undo puts it back.
repair-undo-question = Should retries be refused again?
repair-undo-danger = A lock that comes back refuses retries until it is released again or its time passes.
repair-undo-other = Nothing newer is touched
repair-undo-other-text = Where a newer record stands, or the time has passed, nothing is put back, and it is said.
repair-held-for = { $count ->
    [one] It is held for { $age }.
   *[other] The oldest is held for { $age }.
}
repair-recovery-point = The last recovery point is { $point }.
repair-not-told = The records do not tell how far their requests got.
repair-has-response = { $count ->
    [one] { $count } holds an answer already.
   *[other] { $count } hold an answer already.
}
repair-may-still-run = { $count ->
    [one] { $count } lock: nothing tells whether it is stuck, its request may still be running
   *[other] { $count } locks: nothing tells whether they are stuck, their requests may still be running
}
repair-may-be-held = { $count ->
    [one] { $count } row: whether a transaction holds it is seen only when it is changed
   *[other] { $count } rows: whether a transaction holds them is seen only when they are changed
}
repair-error-with-effects = { $count ->
    [one] { $count } stored server error: its effect may have happened before the error
   *[other] { $count } stored server errors: their effects may have happened before the errors
}
repair-lock-comes-back = { $count ->
    [one] { $count } lock comes back: retries are refused until it is released
   *[other] { $count } locks come back: retries are refused until they are released
}
repair-may-be-of-others = { $count ->
    [one] { $count } change: the run never learned whether it made it, an application may have
   *[other] { $count } changes: the run never learned whether it made them, an application may have
}
repair-beyond = { $count ->
    [one] { $count } more record did not fit into one plan
   *[other] { $count } more records did not fit into one plan
}
repair-changes = { $count ->
    [one] Plan: { $count } change
   *[other] Plan: { $count } changes
}
repair-left = { $count ->
    [one] { $count } left alone
   *[other] { $count } left alone
}
repair-one-step = Each is compared and changed in one step in the store
repair-note-guard = only if unchanged
repair-note-may-run = may still run
repair-note-error = a server error
repair-note-of-others = perhaps not ours
repair-left-as-it-is = left alone
repair-seen = seen { $ago } ago
repair-turn-on = Turn changes on
repair-do-release = { $count ->
    [one] Release { $count } in { $name }
   *[other] Release { $count } in { $name }
}
repair-do-settle = { $count ->
    [one] Settle { $count } in { $name }
   *[other] Settle { $count } in { $name }
}
repair-do-purge = { $count ->
    [one] Purge { $count } in { $name }
   *[other] Purge { $count } in { $name }
}
repair-do-undo = { $count ->
    [one] Put back { $count } in { $name }
   *[other] Put back { $count } in { $name }
}
repair-nothing-to-do = There is nothing to be done
repair-type-first = Type the name of the target first
repair-done-of = { $count ->
    [one] { $done } of { $count }
   *[other] { $done } of { $count }
}
repair-rate = { $rate ->
    [one] { $rate } a second
   *[other] { $rate } a second
}
repair-status = { $verb }: { $done } of { $total }
repair-reason = Reason
repair-reason-hint = Kept in the journal
repair-type-target = Type the target
repair-turns-on = { $count ->
    [one] Turns changes on for { $count } min
   *[other] Turns changes on for { $count } min
}
repair-answer-status = HTTP status
repair-answer-status-wrong = A status is a number from 100 to 599
repair-answer-status-note = What retries are to get
repair-answer-body = Body
repair-body-empty = No body
repair-body-json = JSON
repair-body-broken = Not JSON: line { $line } is not understood
repair-body-text = Text; layouts that hold JSON refuse it
repair-reading = Reading the records…
repair-reading-of = { $count ->
    [one] Reading { $done } of { $count }
   *[other] Reading { $done } of { $count }
}
repair-goes-on = It goes on when this is closed
repair-paused = Paused
repair-stopping = Stopping: what is on its way is waited for
repair-go-on = Go on
repair-pause = Pause
repair-stop = Stop
repair-ended-early = It ended early: { $why }
repair-all = All
repair-make-plan = Make the plan
repair-plan-again = Make the plan again
repair-done = Close
repair-save-plan = Save plan…
repair-undo-works = Undo works until a key is claimed
repair-hide = Go on in the background
repair-to-journal = Open the journal
repair-undo = Undo…
repair-save-report = Save report…
repair-save = Save
repair-file-note = A file that is there is not written over
repair-quit-title = A repair is running
repair-quit-text = It is stopped: what is on its way is waited for, and what was done stands in the journal.
repair-quit = Stop and quit
repair-stay = Stay
selected-release = Plan release…
selected-settle = Settle…
selected-purge = Purge…
selected-clear = Esc to clear
