// An application with @node-idempotency/core: one request, and what came of it.
//
// usage: node-idempotency.js REDIS_PORT KEY LEDGER run|crash
// The ledger is a file; every execution adds a line. `crash` ends the process in the middle.
const fs = require("node:fs");
const { Idempotency } = require("@node-idempotency/core");
const { RedisStorageAdapter } = require("@node-idempotency/storage-adapter-redis");

const [port, key, ledger, mode] = process.argv.slice(2);

async function main() {
  const store = new RedisStorageAdapter({ url: `redis://127.0.0.1:${port}` });
  await store.connect();
  const idempotency = new Idempotency(store);
  const request = {
    headers: { "idempotency-key": key },
    method: "POST",
    path: "/payments",
    body: { amount: 5 },
  };
  let answer;
  try {
    const stored = await idempotency.onRequest(request);
    if (stored) {
      answer = { status: stored.additional?.statusCode, body: stored.body };
    } else {
      fs.appendFileSync(ledger, key + "\n");
      if (mode === "crash") process.exit(1);
      answer = { status: 201, body: { paid: key } };
      await idempotency.onResponse(request, {
        body: answer.body,
        additional: { statusCode: answer.status },
      });
    }
  } catch (error) {
    if (error.code !== "REQUEST_IN_PROGRESS") throw error;
    answer = { status: 409, body: null };
  }
  console.log(JSON.stringify(answer));
  await store.disconnect();
}

main();
