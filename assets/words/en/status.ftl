# The status line.

status-lost = Lost { $ago } ago, try { $attempt }
status-connecting = Connecting…
status-not-connected = Not connected
status-so-far = { $count ->
    [one] { $count } so far
   *[other] { $count } so far
}
status-so-far-about = { $count ->
    [one] { $count } so far, about { $share }
   *[other] { $count } so far, about { $share }
}
status-nothing = Nothing to read
status-complete = Scan complete
status-stopped = Scan stopped
status-of = { $shown } of { $count }
status-counted-only = { $count ->
    [one] { $count } counted only
   *[other] { $count } counted only
}
status-selected = { $count ->
    [one] { $count } selected
   *[other] { $count } selected
}
status-without-access = { $count ->
    [one] { $count } without access
   *[other] { $count } without access
}
status-as-of = as of { $time }
status-stop = Stop
status-key-paste = paste anywhere
status-key-choose = choose
status-key-open = open
status-key-test = test
status-key-save = save
status-key-back = back
status-key-next = next
status-key-all-keys = all keys
status-key-source = source
status-key-sample = sample
status-key-read-or-not = read or not
status-key-edit = edit a copy
status-key-new = new
status-key-detect = detect again
status-key-subject = what to describe
status-key-example = example
status-key-type = type
status-key-move = move
status-key-filter = filter
status-key-close = close
status-key-read-again = read again
status-show = Show
status-key-run = run
status-key-undo = undo
status-key-select = select
status-key-all-stuck = all stuck
status-key-release = release
status-key-settle = settle
status-key-play = play
status-key-step = step
status-key-sides = column
status-key-projector = projector
status-lab-running = Running { $id }
status-lab-ran = { $id } has run
status-lab-failed = { $id } could not be run
status-lab-not-run = { $id } not run yet
status-lab-loopback = shops on 127.0.0.1, loopback only
status-lab-store = records in { $store }
status-lab-free = Free play
status-lab-free-runs = Free play runs
status-lab-free-stop = Stop free play
status-lab-stop = Stop the run
status-key-scenario = scenario
status-key-lab-run = run
status-key-pause = pause
status-key-free-start = start
status-key-free-stop = stop
status-key-window = window
status-key-behind = open the keys behind
status-key-export = export
