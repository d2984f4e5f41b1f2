# Words that the window and the command line share.

word-stuck = Stuck
word-processing = Processing
word-failed = Failed
word-unknown = Unknown
word-completed = Completed
word-expired = Expired
word-held = Held
word-cannot-tell = Cannot tell
word-never = never
word-passed = passed
retry-execute = Executes
retry-replay = Gets the stored answer
retry-in-progress = Refused: still in progress
retry-mismatch = Refused: another payload
retry-unknown = Cannot be told
problem-not-understood = Not understood
problem-cut = Only the beginning was read
problem-bad-field = A field could not be read
problem-bad-time = A time could not be read
problem-refused = This login may not read it
problem-gone = Gone when it was read
