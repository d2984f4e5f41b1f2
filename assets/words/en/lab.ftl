# The lab: scenarios, runs beside each other, what they came to.

lab-scenarios = Scenarios
lab-run-of = { $count } of { $all } run
lab-projector = Projector
lab-back = back
lab-save = Save…
lab-store-own = Own file
lab-store-own-file = the lab’s own file
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
lab-came-to = Wanted { $wanted }, the bank made { $made }, the customer knows of { $knows }
lab-as-expected = as expected
lab-as-expected-hint = Every counter is what the scenario says
lab-other = not as expected
lab-missed = missed: { $what }
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
lab-believes = What each believes
lab-client = Client
lab-shop = Shop
lab-bank = Bank
lab-believes-nothing = That nothing has been done for sure
lab-believes-done = { $count ->
    [one] That it is done
   *[other] That { $count } are done
}
lab-believes-some = { $count ->
    [one] That { $count } is done, and of { $open } it does not know
   *[other] That { $count } are done, and of { $open } it does not know
}
lab-shop-remembers-none = Remembers nothing
lab-shop-remembers = { $count ->
    [one] Remembers { $count } answer
   *[other] Remembers { $count } answers
}
lab-bank-has = { $count ->
    [one] Has booked { $count } charge
   *[other] Has booked { $count } charges
}
lab-bank-has-refunds = { $count ->
    [one] Has booked { $count } charge and given back { $refunds }
   *[other] Has booked { $count } charges and given back { $refunds }
}
lab-second = { $count } s
lab-seconds = { $time } s
lab-of-seconds = of { $time } s
lab-message = { $from } → { $to }: { $words }, measured at { $at } s
lab-messages = { $from } → { $to }: { $words }, { $count } times from { $at } s on
lab-diagram-name = { $title }: { $count } messages so far, the last { $last }
lab-run = Run
lab-run-again = Run again (R)
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
