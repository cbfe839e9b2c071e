// What was said before a client came: how much of it comes first, how it asks for the rest, and what that costs.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Message, Outbound, Session } from "@keelson/protocol";
import { SessionDirectory } from "@keelson/runtime";
import { StoredSessions } from "@keelson/store/stored-sessions";
import { startMockModel, temporaryHome, transcriptFiles, type TemporaryHome } from "@keelson/testkit";
import { isQuestion, isStream, openHere, TestClient } from "./live-session.ts";

const view = { streamEvents: true };

interface Page {
  readonly messages: readonly Message[];
  readonly before: string | null;
}

async function pageOf(client: TestClient, fields: object): Promise<Page> {
  const id = crypto.randomUUID();
  client.request(id, "get_messages", fields);
  const { response } = await client.reply(id);
  if (response.subtype === "error") throw new Error(response.error);
  return response.response;
}

/** The ids of what was said, as far as clients see it: prompts, answers, results of tools. */
function idsIn(messages: readonly object[]): string[] {
  return messages.flatMap((message) => {
    const { type, uuid } = message as { type: string; uuid: string };
    return type === "user" || type === "assistant" ? [uuid] : [];
  });
}

function inTranscript(home: TemporaryHome): string[] {
  const entries = readFileSync(transcriptFiles(home)[0]!, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return idsIn(entries.filter((entry) => entry.type !== "user" || entry.promptSource !== undefined));
}

/** A session in which there was this much talk. */
async function talked(home: TemporaryHome, url: string, prompts: number): Promise<Session> {
  const session = await openHere({ home, url });
  const client = new TestClient(session);
  for (let n = 1; n <= prompts; n++) {
    client.prompt(`P${n}`);
    await client.result(n);
  }
  client.client.detach();
  return session;
}

test("a client gets the newest messages it asked for, live ones after them, and pages of all the others", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: "said" }));
  const session = await talked(home, model.url, 6);
  const all = inTranscript(home);
  expect(all).toHaveLength(12);

  const client = new TestClient(session, { view, replay: 3 });
  const hello: any = await client.first(isStream("hello"));
  expect(client.got[0]).toBe(hello);
  await client.first((message) => idsIn([message])[0] === all.at(-1));
  expect(idsIn(client.got)).toEqual(all.slice(-3));
  expect(hello).toMatchObject({ state: "idle", before: all.at(-3) });
  client.prompt("P7");
  await client.result();
  const shown = idsIn(client.got);

  const pages: string[][] = [];
  for (let { before } = hello; before !== null;) {
    const page = await pageOf(client, { before, limit: 4 });
    pages.unshift(idsIn(page.messages));
    before = page.before;
  }
  expect(pages.map(({ length }) => length)).toEqual([1, 4, 4]);
  expect([...pages.flat(), ...all.slice(-3)]).toEqual(all);
  // The prompt was not echoed, because its sender has it.
  expect(shown).toEqual([...all.slice(-3), inTranscript(home).at(-1)!]);
  expect(idsIn((await pageOf(client, {})).messages)).toEqual(inTranscript(home));
  expect((await pageOf(client, { limit: 50 })).before).toBeNull();
  await session.close("interrupt");
});

test("a reset says where older messages are, and is followed by as many as the client wants", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: "said" }));
  const session = await talked(home, model.url, 6);
  const all = inTranscript(home);
  const back = new TestClient(session, { view, after: "gone.5", replay: 2 });
  const plain = new TestClient(session, { after: "gone.5", replay: 2 });
  const whole = new TestClient(session, { view, after: "gone.5" });
  expect(await back.first(isStream("reset"))).toEqual({
    type: "stream",
    subtype: "reset",
    before: all.at(-2)!,
  } as never);
  expect(await whole.first(isStream("reset"))).toEqual({ type: "stream", subtype: "reset", before: null } as never);
  back.prompt("P7");
  for (const client of [back, plain, whole]) await client.result();
  expect(idsIn(back.got).slice(0, 2)).toEqual(all.slice(-2));
  expect(idsIn(plain.got).slice(0, 2)).toEqual(all.slice(-2));
  expect(idsIn(whole.got).slice(0, 12)).toEqual(all);
  expect(back.got.slice(0, 2).map((message: any) => message.subtype)).toEqual(["hello", "reset"]);
  // Its cursor counts again: nothing is missed and nothing comes twice.
  const { cursor } = back.client;
  back.client.detach();
  plain.prompt("P8");
  await plain.result(2);
  const again = new TestClient(session, { view, after: cursor });
  await again.result();
  expect(again.got.some(isStream("reset"))).toBe(false);
  expect(idsIn([...back.got, ...again.got])).toHaveLength(4);
  await session.close("interrupt");
});

test("what is said while a client reads the past comes after it, once", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: "said" }));
  const session = await talked(home, model.url, 20);
  const driver = new TestClient(session);
  for (const whenSlow of ["hold", "drop"] as const) {
    const past = inTranscript(home);
    const slow = new TestClient(session, { replay: true, whenSlow }, { reads: false });
    await slow.take(5);
    expect(idsIn(slow.got)).toEqual(past.slice(0, 5));
    driver.prompt("meanwhile");
    await driver.result(whenSlow === "hold" ? 1 : 2);
    slow.read();
    await slow.result();
    const now = inTranscript(home);
    expect(idsIn(slow.got)).toEqual([...past, now.at(-1)!]);
    slow.client.detach();
  }
  await session.close("interrupt");
});

test("a client that leaves amid the past leaves no open file, and one that comes when nothing was said gets a position", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: "said" }));
  const session = await openHere({ home, url: model.url });
  const early = new TestClient(session, { view, replay: 5 });
  expect(await early.first(isStream("hello"))).toMatchObject({ before: null });
  expect(early.client.cursor).toMatch(/\.\d+$/);
  for (let n = 1; n <= 20; n++) {
    early.prompt(`P${n}`);
    await early.result(n);
  }
  const open = () => new Bun.Glob("*").scanSync({ cwd: "/proc/self/fd", onlyFiles: false });
  const before = [...open()].length;
  for (const whenSlow of ["hold", "drop"] as const) {
    for (let n = 0; n < 20; n++) {
      const slow = new TestClient(session, { replay: true, whenSlow }, { reads: false });
      await slow.take(3);
      slow.client.detach();
      await slow.take(1);
      expect([slow.isOver, slow.got.length]).toEqual([true, 3]);
    }
  }
  expect([...open()].length).toBeLessThan(before + 5);
  await session.close("interrupt");
});

test("a question that is open comes once, after the past", async () => {
  using home = temporaryHome();
  const write = { calls: [{ name: "Write", input: { file_path: "a.txt", content: "x" } }] };
  await using model = await startMockModel([{ text: "said" }, write, { text: "done" }]);
  const session = await talked(home, model.url, 1);
  const driver = new TestClient(session);
  driver.prompt("write");
  const question = await driver.first(isQuestion);
  const late = new TestClient(session, { view, replay: 1 });
  expect(await late.first(isQuestion)).toEqual(question);
  expect(late.got.map(({ type }: Outbound) => type)).toEqual(["stream", "assistant", "control_request"]);
  expect(late.got[0]).toMatchObject({ pending: [question], state: "requires_action" });
  await session.close("interrupt");
});

test("a session that no one has open is read without opening it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: "said" }));
  const directory = new SessionDirectory();
  const session = await talked(home, model.url, 3);
  await session.close("end_of_input");
  const requests = model.requests.length;
  const stored = new StoredSessions({ configDir: home.configDir, cwd: home.project });
  const page = await directory.messages(stored, session.id, { limit: 4 });
  expect(idsIn(page!.messages)).toEqual(inTranscript(home).slice(-4));
  const older = await directory.messages(stored, session.id, { before: page!.before!, limit: 4 });
  expect([idsIn(older!.messages), older!.before]).toEqual([inTranscript(home).slice(0, 2), null]);
  expect(await directory.messages(stored, crypto.randomUUID(), { limit: 4 })).toBeUndefined();
  expect(model.requests).toHaveLength(requests);
});
