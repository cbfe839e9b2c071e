// A session store that is slow, fails, or is unreachable, while the program or the application is killed: in the end it
// has every entry the program wrote, in order.

import { afterAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { query, type Options, type SessionStore } from "@keelson/sdk";
import {
  readTranscript,
  startMockModel,
  temporaryHome,
  testUnless,
  type ScriptedReply,
  type TemporaryHome,
} from "@keelson/testkit";
import { startRedis } from "../../../packages/store/src/remote/kinds/servers.test-support.ts";
import { door, read, textOf } from "./door.ts";
import { bash, openStore, processesNamed, SCRIPTS, unreliable, type StoreAddress } from "./moments.ts";

const dir = mkdtempSync(join(tmpdir(), "keelson-store-stress-"));
const redis = await startRedis();
afterAll(async () => {
  await redis?.stop();
  rmSync(dir, { recursive: true, force: true });
});
const withRedis = testUnless(redis ? null : "Redis is not installed", test);

function inEveryStore(title: string, run: (address: StoreAddress) => Promise<void>, limit?: number): void {
  test(`files: ${title}`, () => run({ dir }), limit);
  withRedis(`Redis: ${title}`, () => run({ socket: redis!.socket }), limit);
}

const work: ScriptedReply[] = [...Array.from({ length: 6 }, (_, n) => bash(`echo ${n}`)), { text: "done" }];
/** Temporary folders in which this session was resumed. */
const resumeFolders = (home: TemporaryHome, sessionId: string) => {
  const root = join(home.env["TMPDIR"]!, `claude-${process.getuid!()}`);
  return (existsSync(root) ? readdirSync(root) : [])
    .filter((name) => name.startsWith("keelson-resume-"))
    .filter((name) => existsSync(join(root, name, "projects", projectKeyOf(home), `${sessionId}.jsonl`)));
};

inEveryStore("slow and failing every other time, nothing is missing in the end", async (address) => {
  using home = temporaryHome();
  await using model = await startMockModel([...work]);
  const sessionId = crypto.randomUUID();
  const store = openStore(address);
  const options: Options = { ...door(home, model), sessionId, allowedTools: ["Bash"] };
  const kept = { sessionStore: unreliable(store), sessionStoreFlush: "eager" as const };
  expect(textOf(await read(query({ prompt: "work", options: { ...options, ...kept } })))).toBe("done");
  expect(await idsIn(store, home, sessionId)).toEqual(idsWritten(home));
});

inEveryStore("unreachable until the result, nothing is missing in the end", async (address) => {
  using home = temporaryHome();
  await using model = await startMockModel([...work]);
  const sessionId = crypto.randomUUID();
  const store = openStore(address);
  let isAway = true;
  const sessionStore: SessionStore = {
    load: (key) => store.load(key),
    append: (key, entries) => (isAway ? Promise.reject(new Error("no connection")) : store.append(key, entries)),
  };
  const options: Options = { ...door(home, model), sessionId, allowedTools: ["Bash"], sessionStore };
  for await (const message of query({ prompt: "work", options })) if (message.type === "result") isAway = false;
  expect(await idsIn(store, home, sessionId)).toEqual(idsWritten(home));
});

inEveryStore("with the program killed again and again, what was seen is stored and can be resumed", async (address) => {
  using home = temporaryHome();
  const sessionId = crypto.randomUUID();
  const store = openStore(address);
  const kept = { sessionStore: unreliable(store), sessionStoreFlush: "eager" as const };
  const seen: string[] = [];
  // Killed at the second message, then at the fourth, and so on.
  for (const at of [2, 4, 6, 8]) {
    await using model = await startMockModel([...work]);
    const again = seen.length > 0 ? { resume: sessionId } : { sessionId };
    const options = { ...door(home, model), ...again, ...kept, allowedTools: ["Bash"] };
    let count = 0;
    const running = query({ prompt: `work ${at}`, options });
    const reading = (async () => {
      for await (const message of running) {
        if (message.type === "assistant") seen.push(message.uuid);
        if (++count === at) process.kill((await running.initializationResult()).pid!, "SIGKILL");
      }
    })();
    expect((await reading.catch((error) => error)).name).toBe("ProcessError");
    const there = new Set(await idsIn(store, home, sessionId));
    expect(seen.filter((uuid) => !there.has(uuid))).toEqual([]);
  }
  await using model = await startMockModel([{ text: "went on" }]);
  const options = { ...door(home, model), ...kept, resume: sessionId };
  expect(textOf(await read(query({ prompt: "go on", options })))).toBe("went on");
  const shown = JSON.stringify(model.requests[0]!.body.messages);
  expect(["work 4", "work 6", "work 8"].filter((prompt) => !shown.includes(prompt))).toEqual([]);
});

inEveryStore("with the application killed, the next one sends what is missing", async (address) => {
  using home = temporaryHome();
  const sessionId = crypto.randomUUID();
  const store = openStore(address);
  const begin = async (which: Options) => {
    await using model = await startMockModel([...work.slice(0, -1), ...SCRIPTS["a tool runs"]]);
    const options = { ...door(home, model), ...which };
    const app = spawn(process.execPath, [fileURLToPath(new URL("moments.ts", import.meta.url))], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, APPLICATION: JSON.stringify({ moment: "a tool runs", options, store: address }) },
    });
    await new Promise((resolve, reject) => {
      app.stdout.once("data", resolve);
      app.once("exit", () => reject(new Error("The application ended too soon")));
    });
    app.kill("SIGKILL");
    while (processesNamed(sessionId).length > 0) await Bun.sleep(10);
    rmSync(join(home.project, "pid"));
  };
  await begin({ sessionId });
  const first = idsWritten(home);
  // The last of these runs in a folder of its own, from what the store has at that point.
  await begin({ resume: sessionId });
  await begin({ resume: sessionId });
  expect(resumeFolders(home, sessionId)).toHaveLength(1);

  await using model = await startMockModel([{ text: "went on" }]);
  const options = { ...door(home, model), resume: sessionId, sessionStore: store };
  expect(textOf(await read(query({ prompt: "go on", options })))).toBe("went on");
  const there = await idsIn(store, home, sessionId);
  expect(there.slice(0, first.length)).toEqual(first);
  const results = JSON.stringify(model.requests[0]!.body.messages).split('"tool_result"').length - 1;
  expect(results).toBeGreaterThanOrEqual(18);
  expect(resumeFolders(home, sessionId)).toEqual([]);
});

const idsOf = (entries: readonly any[]) => entries.flatMap(({ uuid }) => uuid ?? []);

const idsWritten = (home: TemporaryHome) => idsOf(readTranscript(home));

const projectKeyOf = (home: TemporaryHome) => home.project.replaceAll(/[^A-Za-z0-9]/g, "-");

async function idsIn(store: SessionStore, home: TemporaryHome, sessionId: string): Promise<string[]> {
  return idsOf((await store.load({ projectKey: projectKeyOf(home), sessionId })) ?? []);
}
