# What tables say to those who cannot see them.

table-sort = Сортировать: { $column }
table-sort-up = Сортировать: { $column }, сейчас по возрастанию
table-sort-down = Сортировать: { $column }, сейчас по убыванию
table-edge = Ширина: { $column }
