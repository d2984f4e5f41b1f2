# The page of connecting, and what is kept of connections.

connect-title = Connect to a store
connect-about = Paste what you have: a URL, a redis-cli or psql command, a service name, a file. Or look around in the demo store, it needs nothing.
connect-address = Address of the store
connect-address-hint = redis://… or postgres://…, or a saved name
connect-from = from { $name }

connect-engine = Store
connect-kind-cluster = a Redis cluster: any of these nodes tells all others
connect-kind-sentinel = Redis behind Sentinel: the sentinels name the primary
connect-kind-hosts = PostgreSQL on several servers: the first that answers and fits
connect-file = File
connect-file-hint = /path/to/file.sqlite
connect-host = Host
connect-port = Port
connect-user = User
connect-database = Database
connect-encryption = Encryption
connect-tls-off = Off
connect-tls-verified = Verified
connect-tls-offered = If offered
connect-tls-required = Required
connect-tls-production = production needs a choice here

connect-password = Password
connect-password-at = Password at { $host }
connect-password-for = Password for { $user } at { $host }
connect-type-password = Type the password below, or take another login
connect-type-passphrase = Type the passphrase of the key below, or add the key to the agent
connect-passphrase = Passphrase
connect-passphrase-note = of the key for the SSH host, not kept
connect-password-from = from { $name }, not shown
connect-password-command = from the command below
connect-password-keyring = in the keyring
connect-password-pgpass = or from .pgpass and PGPASSWORD
connect-password-asked = asked for when it is needed

connect-name = Name
connect-name-empty = to save it
connect-name-hint = Type a name and save again
connect-colour-plain = No colour
connect-colour-slate = Slate
connect-colour-teal = Teal
connect-colour-olive = Olive
connect-colour-sand = Sand
connect-colour-violet = Violet
connect-production = Production
connect-this-is-production = This is production
connect-production-about = marked everywhere; changes need the name typed
connect-is-production = production

connect-more = Certificates, SSH, replica, a password command
connect-less = Fewer fields
connect-ca = CA file
connect-cert = Certificate
connect-cert-key = Its key
connect-command = Command

connect-here = Here already
connect-found = Found on this machine
connect-saved-ones = Saved
connect-recent-ones = Recent
connect-nothing-saved = Nothing yet. A connection that you save is kept here without its password.
connect-broken-here = The file of connections cannot be read: { $why }. It is not used and not changed until it is mended.
connect-demo-about = made by the lab, needs nothing
connect-open-demo = { $count ->
    [one] { $count } record, made by the lab
   *[other] { $count } records, made by the lab
}
connect-open-now = open
connect-of-environment = env
connect-as-psql = as psql would connect
connect-remove = Remove { $name }

connect-open = Open
connect-opening = Opening…
connect-test = Test
connect-testing = Looking what is there…
connect-save = Save
connect-new = Clear
connect-read-only = Opens read-only, nothing is written.

connect-reached = Reached
connect-servers = Servers
connect-not-encrypted = not encrypted: others on the way can read along
connect-encrypted = encrypted, but the server has not proved who it is
connect-verified = encrypted, and the server has proved who it is
connect-signed-in = Signed in
connect-signed-in-as = as { $user }
connect-clock = Clock
connect-clock-ahead = the store is { $away } ahead, ages use its clock
connect-clock-behind = the store is { $away } behind, ages use its clock
connect-clock-same = the store has the same time as this machine
connect-clock-none = the store does not tell its time, ages use this machine’s clock
connect-rights = Rights
connect-rights-all = this login may do all that looking needs
connect-rights-lack = this login lacks { $what }
connect-records = Records
connect-sources = { $count ->
    [one] { $count } source: { $names }
   *[other] { $count } sources: { $names }
}
connect-no-records-keys = { $count ->
    [one] none recognised, { $count } key looked at
   *[other] none recognised, { $count } keys looked at
}
connect-no-records-tables = { $count ->
    [one] none recognised, { $count } table looked at
   *[other] none recognised, { $count } tables looked at
}

connect-nothing-typed = No store is named
connect-nothing-typed-hint = Paste a URL, or fill in the fields
connect-too-many = { $count } stores are open, which is the most
connect-too-many-hint = Close one with Ctrl W, or in the menu of stores
connect-saved = { $name } is saved
connect-saved-keyring = { $name } is saved, its password is in the keyring
connect-saved-asked = { $name } is saved without its password, since { $why }. It is asked for each time
connect-removed = { $name } is removed. Save puts it back
connect-not-kept = It could not be kept: { $why }
connect-broken = The file of connections cannot be read: { $why }. It is not used and not changed until it is mended
connect-server-name = Server name
connect-ssh = SSH through
connect-replica = Replica
connect-replica-about = may be behind; changes go to the primary all the same
connect-on-replica = Look on a replica
