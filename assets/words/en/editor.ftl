# The editor of layouts.

editor-title = Describe this store
editor-new-file = Not saved yet
editor-edited = edited
editor-of-tables = { $count ->
    [one] { $count } table
   *[other] { $count } tables
}
editor-of-keys = { $count ->
    [one] { $count } key looked at
   *[other] { $count } keys looked at
}
editor-describe-what = What to describe
editor-looking = Looking what is there…
editor-nothing-here = There is nothing in this store yet. Write a record into it, then detect again
editor-no-right = This login may not read it
editor-text = Layout as TOML
editor-propose = Propose anew
editor-save = Save
editor-line = Line { $line }: { $text }
editor-at-line = Line { $line }: { $text }
editor-example = Example { $number } of { $count }
editor-next = Next example (→)
editor-previous = Previous example (←)
editor-as-stored = As stored
editor-read-as = Read as
editor-no-ttl = never expires
editor-all-read = { $count ->
    [one] The example is read
   *[other] All { $count } examples are read
}
editor-some-read = { $read } of { $count } examples are read. The first of the others: { $why }
editor-no-examples = There is nothing to try it on. Choose something at the left
editor-mend-to-read = Nothing is read until the text is mended
editor-not-name = no template fits its name
editor-not-side = it belongs to a record and is none
editor-not-type = no form reads a value of this type
editor-not-missing = it is gone, or this login may not read it
editor-not-form = what is required is not there, or no case fits
editor-not-record = the layout says that it is no record
editor-not-table = the table lacks what the layout needs
editor-too-long = A layout is at most 256 KB long, so this was not taken
editor-unsaved-first = This text is not saved yet. Save it, or leave it with Esc, before another one
editor-mend-first = Mend the text before saving it: a file with a mistake would not be read
editor-saved = Saved: { $file }
editor-leave-title = Leave without saving?
editor-leave-text = What was typed since it was last saved is lost.
editor-leave = Leave
editor-stay = Stay
editor-over-title = Write over another file?
editor-over-text = A layout file of this name is there, and it says something else. It is replaced as a whole.
editor-over = Write over it

editor-new-layout = New layout
editor-detect-again = Detect again
editor-edit-copy = Edit a copy
editor-broken = Not taken
editor-broken-note = layout files with a mistake
editor-mend = Mend
editor-mend-file = Mend { $file }
editor-line-only = line { $line }
editor-describe-it = Describe it…
editor-key = Key
editor-key-digest = Key digest
editor-scope = Scope
editor-operation = Operation
editor-body = Body
editor-headers = Headers
editor-request = Request
editor-error = Error
editor-owner = Owner
editor-recovery = Recovery
