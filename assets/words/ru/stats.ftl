# Статистика повторов: на чём стоят числа и почему числа нет.

stats-why-nothing-logged = в этом окне ничего не записано
stats-why-no-log = по этому хранилищу не видно: в нём нет журнала повторов
stats-why-no-keys = ни у одной записанной попытки нет ключа
stats-why-no-numbers = в журнале нет ни номеров попыток, ни их возраста
stats-why-no-retries = ни один повтор в этом окне не говорит, сколько прошло с первой попытки
stats-why-no-durations = ни одно записанное исполнение не говорит, сколько оно длилось
stats-why-no-lease = срок блокировки неизвестен: задайте его
stats-why-no-retention = срок хранения неизвестен: задайте его
stats-why-no-fingerprints = в журнале нет хешей запросов и областей для сравнения
stats-why-no-ledger = сколько раз что-то произошло, знает только учёт самого приложения
stats-why-no-locks = записи не говорят, когда начались их блокировки
stats-why-no-counters = записи здесь не ведут счётчиков
stats-why-not-by-store = по этому хранилищу не видно
stats-why-no-rights = с этими правами не видно
stats-why-counts-use = не видно: сервер считает обращения (LFU), а не время простоя
stats-why-not-installed = не видно: pg_stat_statements не установлен
stats-why-one-look = нужны два взгляда: понаблюдайте немного
stats-why-not-asked = об этом не спрашивали
stats-why-not-logged = журнал об этом не говорит

stats-from-log = журнал повторов
stats-from-numbers = журнал повторов
stats-from-keys = журнал повторов
stats-from-sample = 1 из { $of } ключей журнала, оценка
stats-from-records = записи
stats-from-server = счётчики сервера
stats-from-idle = время простоя, оценка
stats-from-snapshots = изменения между взглядами
stats-from-monitor = увиденные команды
