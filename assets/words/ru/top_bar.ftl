# The top bar.

top-sources = { $count ->
    [one] { $count } источник
    [few] { $count } источника
   *[other] { $count } источников
}
top-filled-by-lab = заполняет лаборатория
top-clock = часы { $skew } мс
top-clock-behind = часы отстают на { $away }
top-clock-ahead = часы спешат на { $away }
top-live = Вживую
top-live-every = Вживую, каждые { $every }
top-not-encrypted = не зашифровано
top-encrypted = зашифровано, сервер проверен
top-not-verified = зашифровано, сервер не проверен
top-read-only = Только чтение
top-changes-on = Изменения включены
top-changes-left = Изменения включены, ещё { $left }
top-turn-on = Включить изменения
top-turn-off = Снова только чтение
top-cluster = { $count ->
    [one] кластер, { $count } основной узел
    [few] кластер, { $count } основных узла
   *[other] кластер, { $count } основных узлов
}
top-one-node = один узел кластера
top-primary = основной узел { $server }
top-replica = реплика
top-replica-heard = реплика, слышала основной узел { $ago } назад
top-replica-level = реплика, не отстаёт от основного узла
top-replica-cut-off = реплика не слышит основной узел
top-through-ssh = зашифровано до SSH-узла
