# The panel with one record.

record-edge = Width of the record panel
