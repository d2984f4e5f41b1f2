# The stores that are open.

stores-demo = Demo store
stores-is-open = { $name } is open. Ctrl L shows it
stores-change = Change the store, now { $name }
stores-change-hint = Stores (Ctrl L)
stores-opening = Opening…
stores-none = No store
stores-connect = Connect…
stores-open = open
stores-shown = shown
stores-lost = not connected
stores-close = Close { $name }
stores-production = PRODUCTION
stores-full = { $count } stores are open, which is the most
