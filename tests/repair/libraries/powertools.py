"""An application with Powertools for AWS Lambda: one request, and what came of it.

usage: powertools.py REDIS_PORT KEY LEDGER run|crash
The ledger is a file; every execution adds a line. `crash` ends the process in the middle.
"""
import json
import os
import sys

port, key, ledger, mode = sys.argv[1:5]
os.environ.setdefault("AWS_LAMBDA_FUNCTION_NAME", "payments")
os.environ.setdefault("POWERTOOLS_SERVICE_NAME", "payments")

import redis
from aws_lambda_powertools.utilities.idempotency import IdempotencyConfig, idempotent_function
from aws_lambda_powertools.utilities.idempotency.exceptions import (
    IdempotencyAlreadyInProgressError,
)
from aws_lambda_powertools.utilities.idempotency.persistence.redis import (
    RedisCachePersistenceLayer,
)

client = redis.Redis(port=int(port), decode_responses=True)
config = IdempotencyConfig(event_key_jmespath="id")
store = RedisCachePersistenceLayer(client=client)


@idempotent_function(data_keyword_argument="order", persistence_store=store, config=config)
def pay(order):
    with open(ledger, "a", encoding="utf-8") as book:
        book.write(order["id"] + "\n")
    if mode == "crash":
        os._exit(1)
    return {"statusCode": 201, "body": json.dumps({"paid": order["id"]})}


try:
    answer = pay(order={"id": key})
    print(json.dumps({"status": answer["statusCode"], "body": json.loads(answer["body"])}))
except IdempotencyAlreadyInProgressError:
    print(json.dumps({"status": 409, "body": None}))
