# The top bar.

top-sources = { $count ->
    [one] { $count } source
   *[other] { $count } sources
}
top-filled-by-lab = filled by the lab
top-clock = clock { $skew } ms
top-clock-behind = clock { $away } behind
top-clock-ahead = clock { $away } ahead
top-live = Live
top-live-every = Live, every { $every }
top-not-encrypted = not encrypted
top-encrypted = encrypted, server verified
top-not-verified = encrypted, server not verified
top-read-only = Read-only
top-changes-on = Changes on
top-changes-left = Changes on, { $left } left
top-turn-on = Turn changes on
top-turn-off = Read-only again
top-cluster = { $count ->
    [one] cluster of one primary
   *[other] cluster of { $count } primaries
}
top-one-node = one node of a cluster
top-primary = primary { $server }
top-replica = replica
top-replica-heard = replica, heard its primary { $ago } ago
top-replica-level = replica, level with its primary
top-replica-cut-off = replica that does not hear its primary
top-through-ssh = encrypted up to the SSH host
