# The areas that F6 goes through.

area-top-bar = Top bar
area-side-bar = Views
area-view = View
area-record = Record
area-status-line = Status line
