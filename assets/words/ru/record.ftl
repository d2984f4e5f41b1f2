# The panel with one record.

record-edge = Ширина панели записи
