import { afterAll, expect, test } from "bun:test";
import { RedisClient } from "bun";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import { sessionStoreConformance } from "../conformance.ts";
import { openStoreMirror } from "../mirror.ts";
import { RedisSessionStore, type RedisCommand } from "./redis.ts";
import { startRedis } from "./servers.test-support.ts";

const server = await startRedis();
const client = server && new RedisClient(`redis+unix://${server.socket}`);
afterAll(async () => {
  client?.close();
  await server?.stop();
});

const command: RedisCommand = ([name, ...args]) => client!.send(name, args);
const onServer = testUnless(server ? null : "Redis is not installed", test);

for (const check of sessionStoreConformance(() => new RedisSessionStore({ command }))) {
  onServer(check.name, async () => expect(await check.run()).toBe("passed"));
}

onServer("everything of a project lies under one hash tag, and nothing is left after delete()", async () => {
  const store = new RedisSessionStore({ command, prefix: "team-a" });
  const key = { projectKey: "-home-u-p", sessionId: "s" };
  await store.append(key, [{ type: "x", uuid: "u1" }]);
  await store.append({ ...key, subpath: "subagents/agent-1" }, [{ type: "x", uuid: "u1" }]);

  const keys = async () => ((await command(["KEYS", "team-a:*"])) as string[]).toSorted();
  expect(await keys()).toEqual([
    "team-a:{-home-u-p}:entries:s:",
    "team-a:{-home-u-p}:entries:s:subagents%2Fagent-1",
    "team-a:{-home-u-p}:sessions",
    "team-a:{-home-u-p}:subkeys:s",
    "team-a:{-home-u-p}:uuids:s:",
    "team-a:{-home-u-p}:uuids:s:subagents%2Fagent-1",
  ]);
  await store.delete(key);
  expect(await keys()).toEqual([]);
});

onServer("a server that stops during a session has everything when it is back", async () => {
  const dir = mkdtempSync(join(tmpdir(), "keelson-redis-kept-"));
  const socket = join(dir, "redis.sock");
  const once: RedisCommand = async ([name, ...args]) => {
    if (!existsSync(socket)) throw new Error("connection refused");
    const connection = new RedisClient(`redis+unix://${socket}`, { autoReconnect: false });
    try {
      return await connection.send(name, args);
    } finally {
      connection.close();
    }
  };
  const store = new RedisSessionStore({ command: once });
  const errors: string[] = [];
  const mirror = openStoreMirror({ store, onError: ({ error }) => errors.push(error), wait: async () => {} });
  const key = { projectKey: "-p", sessionId: "11111111-1111-4111-8111-111111111111" };
  const filePath = `/elsewhere/projects/${key.projectKey}/${key.sessionId}.jsonl`;
  const say = async (n: number) => {
    await mirror.push({ type: "transcript_mirror", filePath, entries: [{ type: "x", uuid: `u${n}` }] });
    await mirror.flush();
  };

  try {
    const first = await startRedis(dir);
    await say(1);
    await first!.stop();
    await say(2);
    await say(3);
    expect(errors).toEqual(["connection refused"]);
    const second = await startRedis(dir);
    await say(4);
    const kept = await store.load(key);
    await second!.stop();
    expect([await mirror.close(), kept?.map(({ uuid }) => uuid)]).toEqual([[], ["u1", "u2", "u3", "u4"]]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
