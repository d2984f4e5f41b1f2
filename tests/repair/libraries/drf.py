"""An application with drf-idempotency, over its database backend or its Redis backend.

usage: drf.py STORE KEY LEDGER run|crash|migrate
STORE is `redis:PORT`, or `postgres:SOCKET_FOLDER:PORT:USER:DATABASE`.
The ledger is a file; every execution adds a line. `crash` ends the process in the middle.
"""
import json
import os
import sys

store, key, ledger, mode = sys.argv[1:5]

import django
from django.conf import settings

kind, *rest = store.split(":")
databases = {}
options = {}
backend = "drf_idempotency.backends.redis.RedisBackend"
if kind == "postgres":
    folder, port, user, name = rest
    databases["default"] = {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": folder,
        "PORT": port,
        "USER": user,
        "NAME": name,
    }
    backend = "drf_idempotency.backends.database.DatabaseBackend"
else:
    options = {"url": f"redis://127.0.0.1:{rest[0]}/0"}

settings.configure(
    SECRET_KEY="of a test",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF="__main__",
    USE_TZ=True,
    DATABASES=databases,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["drf_idempotency"],
    MIDDLEWARE=["drf_idempotency.middleware.IdempotencyMiddleware"],
    IDEMPOTENCY={"BACKEND": backend, "BACKEND_OPTIONS": options, "LOCK_TTL_SECONDS": 3600},
)
django.setup()

from django.http import JsonResponse
from django.test import Client
from django.urls import path


def pay(request):
    with open(ledger, "a", encoding="utf-8") as book:
        book.write(key + "\n")
    if mode == "crash":
        os._exit(1)
    return JsonResponse({"paid": key}, status=201)


urlpatterns = [path("payments", pay)]

if mode == "migrate":
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
else:
    answer = Client(raise_request_exception=False).post(
        "/payments",
        data=json.dumps({"amount": 5}),
        content_type="application/json",
        headers={"Idempotency-Key": key},
    )
    body = json.loads(answer.content) if answer.status_code != 409 else None
    print(json.dumps({"status": answer.status_code, "body": body}))
