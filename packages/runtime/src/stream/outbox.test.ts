import { expect, test } from "bun:test";
import type { ClientView, Entry, NewEntry, Outbound } from "@keelson/protocol";
import { Outbox } from "./outbox.ts";

function outbox(view: ClientView = {}) {
  const log: string[] = [];
  const appended: Entry[] = [];
  let ids = 0;
  const box = new Outbox({
    sessionId: "s",
    entrypoint: "sdk-cli",
    leaf: "root",
    append: (entries) => {
      appended.push(...entries);
      log.push(...entries.map((entry) => `stored ${entry.type}`));
    },
    cwd: () => "/p",
    gitBranch: () => "main",
    now: () => Date.UTC(2026, 0, 1),
    newId: () => `id-${++ids}`,
  });
  const watcher = box.clients.attach({ view });
  const drain = async () => {
    box.end();
    const shown: Outbound[] = [];
    for (let next = await watcher.next(); !next.done; next = await watcher.next()) shown.push(next.value);
    return shown;
  };
  return { box, appended, log, drain };
}

const prompt: NewEntry = {
  type: "user",
  uuid: "u1",
  promptId: "p1",
  promptSource: "sdk",
  message: { role: "user", content: "hi" },
};

const answered: NewEntry = {
  type: "user",
  uuid: "u2",
  parentUuid: "a1",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "ok" }] },
  toolUseResult: { ok: true },
};

test("entries are stamped, chained and stored; the tool's output comes last on the line", () => {
  const { box, appended } = outbox();
  void box.record([prompt, answered]);

  const common = {
    isSidechain: false,
    timestamp: "2026-01-01T00:00:00.000Z",
    userType: "external",
    entrypoint: "sdk-cli",
    cwd: "/p",
    sessionId: "s",
    version: "2.1.325",
    gitBranch: "main",
    promptId: "p1",
  };
  expect(appended).toEqual([
    { ...prompt, ...common, parentUuid: "root" },
    { ...answered, ...common },
  ] as Entry[]);
  expect(Object.keys(appended[1]!).slice(0, 5)).toEqual(["parentUuid", "isSidechain", "type", "message", "uuid"]);
  expect(Object.keys(appended[1]!).at(-1)).toBe("toolUseResult");
  expect(box.leaf).toBe("u2");
});

test("tool results are sent with wire field names; prompts are not echoed", async () => {
  const { box, drain } = outbox();
  void box.record([prompt, answered]);
  expect(await drain()).toEqual([
    {
      type: "user",
      message: answered.message,
      parent_tool_use_id: null,
      session_id: "s",
      uuid: "u2",
      timestamp: "2026-01-01T00:00:00.000Z",
      tool_use_result: { ok: true },
    } as Outbound,
  ]);
});

test("prompts are echoed with replayPrompts", async () => {
  const { box, drain } = outbox({ replayPrompts: true });
  void box.record([prompt]);
  expect(await drain()).toMatchObject([{ type: "user", uuid: "u1", isReplay: true }]);
});

test("an entry is not sent if storing it fails", async () => {
  const box = new Outbox({
    sessionId: "s",
    entrypoint: "e",
    leaf: null,
    append: () => {
      throw new Error("no");
    },
    cwd: () => "/",
    gitBranch: () => "",
    now: () => 0,
    newId: () => "x",
  });
  const watcher = box.clients.attach();
  expect(() => box.record([answered])).toThrow("no");
  box.end();
  expect((await watcher.next()).done).toBe(true);
});

test("what a subagent records is stored in a transcript of its own, then shown, in order", async () => {
  const { box, drain } = outbox();
  const stored: Entry[] = [];
  const own = box.forAgent(
    { id: "a1", type: "Explore", description: "Look", toolUseId: "t1", isHeard: () => true },
    { append: (entries) => void stored.push(...entries), leaf: null, mirrored: undefined, cwd: () => "/w" },
  );
  const said = (uuid: string): NewEntry => ({ type: "user", uuid, message: { role: "user", content: uuid } });
  await box.show({ type: "system", subtype: "status", status: null });
  own.record([said("u1")]);
  own.record([said("u2")]);
  expect(stored).toMatchObject([
    { uuid: "u1", parentUuid: null, agentId: "a1", isSidechain: true, cwd: "/w" },
    { uuid: "u2", parentUuid: "u1" },
  ]);
  own.record([said("u3")]);
  expect(stored).toHaveLength(3);
  const shown: any[] = await drain();
  expect(shown.map(({ type, message, agent_id }) => [type, message?.content, agent_id])).toEqual([
    ["system", undefined, undefined],
    ["user", "u1", "a1"],
    ["user", "u2", "a1"],
    ["user", "u3", "a1"],
  ]);
});
