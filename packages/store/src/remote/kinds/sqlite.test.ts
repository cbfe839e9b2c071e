import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionStoreConformance } from "../conformance.ts";
import { SqliteSessionStore } from "./sqlite.ts";

const root = mkdtempSync(join(tmpdir(), "keelson-sqlite-store-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

for (const check of sessionStoreConformance(() => new SqliteSessionStore({ database: new Database(":memory:") }))) {
  test(check.name, async () => expect(await check.run()).toBe("passed"));
}

const key = { projectKey: "p", sessionId: "s" };

test("accepts databases from bun:sqlite and node:sqlite", async () => {
  const path = join(root, "shared.db");
  // Bun includes node:sqlite; on Node it needs version 22.
  const { DatabaseSync } = await import("node:sqlite");
  const [one, two] = [new Database(path), new DatabaseSync(path)];
  await new SqliteSessionStore({ database: one }).append(key, [{ type: "x", uuid: "u1" }]);
  await new SqliteSessionStore({ database: two }).append(key, [
    { type: "x", uuid: "u1" },
    { type: "x", uuid: "u2" },
  ]);

  const again = new SqliteSessionStore({ database: one });
  expect((await again.load(key))?.map(({ uuid }) => uuid)).toEqual(["u1", "u2"]);
  one.close();
  two.close();
});

test("an append that fails halfway leaves nothing, even inside the caller's transaction", async () => {
  const database = new Database(":memory:");
  const store = new SqliteSessionStore({ database, table: "mine" });
  await store.append(key, [{ type: "x", uuid: "u1" }]);
  database.exec("BEGIN");
  const poisoned = {
    type: "x",
    toJSON: () => {
      throw new Error("no JSON");
    },
  };

  await expect(store.append(key, [{ type: "x", uuid: "u2" }, poisoned])).rejects.toThrow("no JSON");
  await store.append(key, [{ type: "x", uuid: "u3" }]);
  database.exec("COMMIT");

  expect((await store.load(key))?.map(({ uuid }) => uuid)).toEqual(["u1", "u3"]);
});

test("rejects a table name that is more than a name", () => {
  const database = new Database(":memory:");
  expect(() => new SqliteSessionStore({ database, table: 'x"; DROP TABLE y; --' })).toThrow("Not a plain table name");
});
