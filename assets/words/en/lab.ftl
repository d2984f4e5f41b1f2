# The lab: scenarios, runs beside each other, what they came to.

lab-scenarios = Scenarios
lab-run-of = { $count } of { $all } run
lab-projector = Projector
lab-back = back
lab-save = Save…
lab-store-own = Own file
lab-store-own-file = the lab’s own file
lab-store-servers = Own servers
lab-store-own-redis = a Redis of the lab’s own
lab-store-own-both = a Redis and a PostgreSQL of the lab’s own
lab-store-beside = Own Redis, { $store }
lab-store-beside-place = a Redis of the lab’s own and { $store }
lab-store-servers-hint = It restarts, fills and stops its store, so it starts one of its own
lab-other-store = This can be shown on { $stores } only: open one, and let the records stand in it
lab-store-name = Records stand in: { $store }
lab-store-none = No store is open
lab-store-production = The open store is marked as production
lab-store-file = The open store is a file: the lab has its own
lab-store-to-open = Use the open store, with the lab’s own prefix or schema
lab-store-to-own = Use the lab’s own file
lab-alone = Run
lab-without = Without
lab-with = With
lab-changed = changed from the scenario
lab-changed-hint = Its switches are others than the scenario’s: nothing is expected of it
lab-not-run = Not run yet
lab-starting = Starting the shop…
lab-waits = Waits for the other run
lab-so-far = So far: wanted { $wanted }, the bank made { $made }, the customer knows of { $knows }
lab-so-far-mails = So far: wanted { $wanted }, the bank made { $made }, mails { $mails }, the customer knows of { $knows }
lab-so-far-refunds = So far: wanted { $wanted }, the bank took { $made } and gave back { $back }, the customer knows of { $knows }
lab-came-to = Wanted { $wanted }, the bank made { $made }, the customer knows of { $knows }
lab-came-to-mails = Wanted { $wanted }, the bank made { $made }, mails { $mails }, the customer knows of { $knows }
lab-came-to-refunds = Wanted { $wanted }, the bank took { $made } and gave back { $back }, the customer knows of { $knows }
lab-as-expected = as expected
lab-as-expected-hint = Every counter is what the scenario says
lab-other = not as expected
lab-missed = missed: { $what }
lab-miss-exactly = { $name } is { $found }, not { $wanted }
lab-miss-within = { $name } is { $found }, not within { $wanted }
lab-attempts = { $count ->
    [one] attempt
   *[other] attempts
}
lab-executions = { $count ->
    [one] execution
   *[other] executions
}
lab-charges = { $count ->
    [one] charge
   *[other] charges
}
lab-charged = RUB charged
lab-mails = { $count ->
    [one] mail
   *[other] mails
}
lab-refunds = { $count ->
    [one] refund
   *[other] refunds
}
lab-ledger-and-mails = Ledger of the bank, and mails
lab-mail-number = mail { $number }
lab-ledger = Ledger of the bank
lab-ledger-empty = Nothing yet
lab-earlier = { $count ->
    [one] { $count } earlier line
   *[other] { $count } earlier lines
}
lab-more = { $count ->
    [one] and { $count } more
   *[other] and { $count } more
}
lab-key = key { $key }
lab-no-key = no key
lab-wanted = wanted
lab-not-wanted = not wanted
lab-rows = Rows in the store
lab-no-rows = None
lab-no-rows-unprotected = None: nothing tells a retry from a new order
lab-row-processing = Processing
lab-row-overdue = Past its lease
lab-row-completed = Completed
lab-row-released = Released
lab-row-expired = Expired
lab-ttl = TTL
lab-passed = passed
lab-stands-for = stands for { $time }
lab-client-believes = Client believes
lab-shop-knows = Shop remembers
lab-bank-booked = Bank has booked
lab-believes = { $who }: { $what }
lab-believes-nothing = nothing is sure
lab-believes-done = it is done
lab-believes-failed = it failed
lab-believes-of-done = { $count } done
lab-believes-of-failed = { $count } failed
lab-believes-of-unknown = { $count } unknown
lab-shop-remembers-none = nothing
lab-shop-remembers = { $count ->
    [one] { $count } answer
   *[other] { $count } answers
}
lab-bank-has = { $count ->
    [0] nothing
    [one] { $count } charge
   *[other] { $count } charges
}
lab-bank-has-refunds = { $count ->
    [one] { $count } charge, gave back { $refunds }
   *[other] { $count } charges, gave back { $refunds }
}
lab-second = { $count } s
lab-seconds = { $time } s
lab-of-seconds = of { $time } s
lab-message = { $from } → { $to }: { $words }, measured at { $at } s
lab-messages = { $from } → { $to }: { $words }, { $count } times from { $at } s on
lab-diagram-name = { $title }: { $count } messages so far, the last { $last }
lab-run = Run
lab-run-again = Run again (R)
lab-stop = Stop the run (Esc)
lab-play = Play
lab-pause = Pause
lab-step = Next message (→)
lab-step-back = Message before (←)
lab-speed = Speed { $speed }
lab-track = Time, { $now } of { $length } s
lab-switches = Switches
lab-switches-of = Switches of { $column }
lab-switches-about = A variant of the scenario, a preset, or any switch by itself; both columns run anew
lab-switches-run = Run with these
lab-switches-reset = As the scenario has them
lab-switches-changed = { $count ->
    [one] { $count } changed from the scenario
   *[other] { $count } changed from the scenario
}
lab-switches-wrong = A time is none, or out of its bounds
lab-variants = Variants
lab-presets = Presets
lab-save-title = Save this run
lab-save-html = Page
lab-save-html-about = One page with the diagrams, that needs nothing beside it
lab-save-json-about = Counters, switches and every event
lab-save-do = Save
lab-saved = Run saved to { $file }
lab-seed = Seed { $seed }
lab-seed-hint = The same seed gives the same counters: press for another
lab-free = Free play
lab-free-about = Clients that keep paying: turn a knob, and what it does shows in a second
lab-free-start = Start
lab-free-stop = Stop
lab-free-answers = Answers
lab-rows-last-seen = Rows in the store, as they were last seen
