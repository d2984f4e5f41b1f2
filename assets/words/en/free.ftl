# Free play: the knobs of the fleet, and how it fares.

free-clients = Clients
free-rest = Rest between orders
free-keys = Keys
free-keys-one = one per operation
free-keys-new = new per attempt
free-keys-none = none
free-delay = Delay of a retry
free-delay-none = none
free-delay-fixed = fixed
free-delay-exponential = exponential
free-delay-jitter = full jitter
free-budget = Attempts at most
free-retry-after = Retry-After
free-honoured = honoured
free-ignored = ignored
free-lost = Answers lost
free-crashes = Shop crashes
free-errors = 500 after the charge
free-instances = Instances of the shop
free-preset = The shop decides as
free-ms = { $count } ms
free-sentence = Wanted { $wanted }, the bank made { $made }, the customers know of { $knows }
free-excess = not wanted
free-gave-up = gave up
free-plot-attempts = Attempts per second, retries in amber
free-plot-charges = Charges per second
free-per-second = { $count } /s
free-no-answer = none
free-operations = { $count ->
    [one] operation
   *[other] operations
}
free-replays = { $count ->
    [one] replay
   *[other] replays
}
