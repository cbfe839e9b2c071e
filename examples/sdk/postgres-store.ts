// Stores conversations in Postgres, so any machine can continue them. Runs on Bun, which has a Postgres client.
//   DATABASE_URL=postgres://… bun examples/sdk/postgres-store.ts "remember the number 7"
//   DATABASE_URL=postgres://… bun examples/sdk/postgres-store.ts --last "which number was it?"

import process from "node:process";
import { listSessions, query } from "@keelson/sdk";
import { PostgresSessionStore, type PostgresClient } from "@keelson/sdk/stores";
import { SQL } from "bun";

const url = process.env["DATABASE_URL"];
if (url === undefined) {
  console.error("Set DATABASE_URL");
  process.exit(2);
}
const sql = new SQL(url);
// On Node, with the package `pg`, this is just `new Pool({ connectionString: url })`.
const client: PostgresClient = { query: async (text, values = []) => ({ rows: await sql.unsafe(text, values) }) };
const sessionStore = new PostgresSessionStore({ client });

const isContinued = process.argv[2] === "--last";
const prompt = process.argv[isContinued ? 3 : 2] ?? "hello";
const [last] = isContinued ? await listSessions({ sessionStore, limit: 1 }) : [];

const running = query({
  prompt,
  options: {
    sessionStore,
    // Send every entry as it is written, not at the end of the turn: slower, but a crash loses less.
    sessionStoreFlush: "eager",
    ...(last === undefined ? {} : { resume: last.sessionId }),
  },
});
for await (const message of running) {
  // The store could not be reached; the conversation continues, and the local transcript has everything.
  if (message.type === "system" && message.subtype === "mirror_error") console.error("Not stored:", message.error);
  if (message.type === "result" && message.subtype === "success") console.log(message.result);
}

console.log("\nIn the store:");
for (const { sessionId, summary, lastModified } of await listSessions({ sessionStore, limit: 5 })) {
  console.log(`${new Date(lastModified).toISOString().slice(0, 10)}  ${sessionId}  ${summary}`);
}
await sql.close();
