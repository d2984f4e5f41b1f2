# What tables say to those who cannot see them.

table-sort = Sort by { $column }
table-sort-up = Sort by { $column }, sorted up
table-sort-down = Sort by { $column }, sorted down
table-edge = Width of { $column }
