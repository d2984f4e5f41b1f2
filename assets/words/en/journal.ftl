# The journal: past runs, and the one that is looked at.

journal-title = Journal
journal-runs = { $count ->
    [one] { $count } run
   *[other] { $count } runs
}
journal-wrong = { $count ->
    [one] { $count } file is no run
   *[other] { $count } files are no runs
}
journal-empty = Nothing was changed yet
journal-empty-text = Releases, settles and purges stand here, with what stood there before.
journal-reading = Reading the journal…
journal-unreadable = The journal cannot be read
journal-altered = altered
journal-before-missing = one before is missing
journal-broken = broke off
journal-stopped = ended early
journal-altered-from = The file was altered from line { $line } on: it is not to be trusted
journal-before-missing-whole = Run { $run } before it is missing, or is not what it was
journal-broken-whole = The program or the machine stopped before the run ended
journal-run = Run
journal-store = Store
journal-at = Started
journal-ended = Ended
journal-by = By
journal-login = Login
journal-reason = Reason
journal-undoes = Undoes
journal-why-stopped = Stopped
journal-run-title = { $verb } in { $name }
journal-no-outcome = the run ended before its outcome was written
journal-undo-note = Puts back what was changed, never over a newer record
journal-is-undo = This run is an undo: do once more what it undid instead
journal-not-trusted = It was altered: what it says was stored cannot be trusted
journal-nothing-changed = Nothing was changed by this run
journal-other-store = Open { $name } to undo this run
