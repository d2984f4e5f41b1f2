# The panel with one record.

record-edge = Width of the record panel
record-copied = Copied
record-copied-masked = { $count ->
    [one] Copied; { $count } private part is masked
   *[other] Copied; { $count } private parts are masked
}
record-key-copied = Key copied
record-address-copied = Address copied
record-form-tree = Tree
record-form-text = Text
record-form-hex = Hex
record-masked = { $count ->
    [one] { $count } private part is masked
   *[other] { $count } private parts are masked
}
record-reveal = Show
record-revealed = Private parts are shown
record-mask = Mask
record-copy-payload = Copy this
record-nothing-stored = Nothing is stored
record-no-answer = No answer is stored
record-fold = Fold line { $line }
record-unfold = Unfold line { $line }
