# Writing what is listed into a file.

export-title = { $count ->
    [one] Export { $count } record
   *[other] Export { $count } records
}
export-about = What is listed now, without stored answers. Formulas are made harmless in CSV.
export-file = File
export-do = Export
export-written = { $count ->
    [one] { $count } written
   *[other] { $count } written
}
export-json-lines = JSON lines
export-done = { $count ->
    [one] { $count } record in { $file }
   *[other] { $count } records in { $file }
}
export-browse = Browse…
export-not-chosen = No file was chosen. Where no dialog comes up, type the path
