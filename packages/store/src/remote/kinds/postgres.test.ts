import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { testUnless } from "@keelson/testkit";
import { sessionStoreConformance } from "../conformance.ts";
import { PostgresSessionStore, type PostgresClient } from "./postgres.ts";
import { startPostgres } from "./servers.test-support.ts";

const server = await startPostgres();
const sql =
  server && new SQL({ adapter: "postgres", path: server.socket, username: "keelson", database: "postgres", max: 10 });
afterAll(async () => {
  await sql?.close();
  await server?.stop();
});

/** Like `pg`'s Pool: each query uses whichever connection is free. */
const client: PostgresClient = {
  query: async (text, values = []) => ({ rows: [...(await sql!.unsafe(text, values))] }),
};
const onServer = testUnless(server ? null : "PostgreSQL is not installed", test);

for (const check of sessionStoreConformance(() => new PostgresSessionStore({ client }))) {
  onServer(check.name, async () => expect(await check.run()).toBe("passed"));
}

const key = { projectKey: "p", sessionId: "s" };

onServer("any number of programs may make the tables at the same moment", async () => {
  const stores = Array.from({ length: 8 }, () => new PostgresSessionStore({ client, table: "public.at_once" }));
  await Promise.all(stores.map((store, n) => store.append(key, [{ type: "x", uuid: `u${n}` }])));
  await stores[0]!.migrate();

  expect(await stores[0]!.load(key)).toHaveLength(8);
  expect(await new PostgresSessionStore({ client, table: "elsewhere" }).load(key)).toBeNull();
});

onServer("entries can be asked for in SQL", async () => {
  const store = new PostgresSessionStore({ client, table: "asked" });
  await store.append(key, [{ type: "tag", tag: "release" }]);

  const { rows } = await client.query("SELECT entry->>'tag' AS tag FROM asked_session_entries WHERE session_id = $1", [
    "s",
  ]);
  expect(rows.map((row: { tag: string }) => row.tag)).toEqual(["release"]);
});

test("a database that was down at first is tried again", async () => {
  let isDown = true;
  const asked: string[] = [];
  const flaky: PostgresClient = {
    async query(text) {
      if (isDown) throw new Error("connection refused");
      asked.push(text.trim().split(" ")[0]!);
      return { rows: [] };
    },
  };
  const store = new PostgresSessionStore({ client: flaky });

  await expect(store.load(key)).rejects.toThrow("connection refused");
  isDown = false;
  expect(await store.load(key)).toBeNull();
  expect(asked).toEqual(["DO", "SELECT"]);
});
