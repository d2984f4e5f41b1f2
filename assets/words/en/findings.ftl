# What is wrong with a store, one line each.

finding-stuck-oldest = { $count ->
    [one] 1 lock is past its lease, held for { $age }
   *[other] { $count } locks are past their lease, the oldest held for { $age }
}
finding-stuck = { $count ->
    [one] 1 lock is past its lease
   *[other] { $count } locks are past their lease
}
finding-never-expires = { $count ->
    [one] 1 record never expires
   *[other] { $count } records never expire
}
finding-errors-replayed = { $count ->
    [one] 1 stored server error is replayed, { $times } times so far
   *[other] { $count } stored server errors are replayed, { $times } times so far
}
finding-errors-left = { $count ->
    [one] 1 stored server error is replayed to retries, for another { $left }
   *[other] { $count } stored server errors are replayed to retries, for up to { $left } more
}
finding-errors = { $count ->
    [one] 1 stored server error is replayed to retries
   *[other] { $count } stored server errors are replayed to retries
}
finding-wrong-bodies = { $count ->
    [one] 1 stored body is not of its content type (of { $of } looked at)
   *[other] { $count } stored bodies are not of their content type (of { $of } looked at)
}
finding-has-evicted = The server drops keys when its memory is full (`{ $policy }`), { $evicted } so far: locks may vanish and requests run twice
finding-may-evict = The server drops keys when its memory is full (`{ $policy }`): locks may vanish and requests run twice
finding-lease-left = { $count ->
    [one] 1 lock lives as long as an answer does: after a crash its key is refused for up to { $left }
   *[other] { $count } locks live as long as answers do: after a crash their keys are refused for up to { $left }
}
finding-lease = { $count ->
    [one] 1 lock lives as long as an answer does: after a crash its key is refused for all that time
   *[other] { $count } locks live as long as answers do: after a crash their keys are refused for all that time
}
finding-not-read = { $count ->
    [one] 1 record was not read whole
   *[other] { $count } records were not read whole
}
