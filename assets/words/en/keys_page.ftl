# The page of keys that work in a view.

keys-page-row = One row up or down, also `k` and `j`
keys-page-page = A page up or down
keys-page-ends = The first or the last row
keys-page-everywhere = Everywhere
keys-page-source = Another source
keys-page-sample = Another sample of it
keys-page-family = Another family or table
keys-page-example = Another example of it
keys-page-type = Type into the text; Esc leaves it
keys-page-editor = Editor
keys-page-connection = Another connection of the list
keys-page-open-it = Open what is filled in
keys-page-paste = Take what was copied, wherever the focus is
keys-page-remove = Forget the connection that is chosen
keys-page-area = The next area; with Shift the one before
keys-page-run = Another run
keys-page-scenario = Another scenario
keys-page-message = One message back or on
keys-page-window = A shorter or longer window
keys-page-figure = From figure to figure
keys-page-behind = The keys behind the figure
keys-page-part = Choose a part of the chart, Enter takes it
