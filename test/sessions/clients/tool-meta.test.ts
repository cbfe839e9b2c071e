// What calls are called, and the patch of an edit in question: for clients that ask for it, and for no other.

import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Outbound } from "@keelson/protocol";
import { startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { isQuestion, openHere, TestClient } from "./live-session.ts";

const ALLOW = { behavior: "allow" };
const WRITE: ScriptedReply = { calls: [{ name: "Write", input: { file_path: "a.txt", content: "one\n" } }] };
const EDIT: ScriptedReply = {
  calls: [{ name: "Edit", input: { file_path: "a.txt", old_string: "one", new_string: "two" } }],
};

const metasIn = (messages: readonly Outbound[]): readonly unknown[] =>
  messages.flatMap((message) => ("tool_use_meta" in message ? (message.tool_use_meta ?? []) : []));
const withoutTimes = (messages: readonly Outbound[]) =>
  messages.filter(({ type }) => type === "assistant" || type === "user" || type === "control_request");

test("a client that asks gets title, kind and places of calls, and the patch of an edit; others see nothing of it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([WRITE, EDIT, { text: "done" }]);
  const session = await openHere({ home, url: model.url });
  const plain = new TestClient(session, { view: { partial: true } });
  const asking = new TestClient(session, { view: { partial: true, toolMeta: true } });
  plain.prompt("go");
  const [write, edit] = await answerAll(asking, 2);
  await Promise.all([plain.result(), asking.result()]);

  const path = join(home.project, "a.txt");
  expect((write as any).request.patch).toEqual({
    path,
    isNew: true,
    hunks: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: ["+one"] }],
  });
  expect((edit as any).request.patch).toEqual({
    path,
    hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-one", "+two"] }],
  });
  expect((edit as any).request.kind).toBe("edit");
  const about = { kind: "edit", title: "a.txt", locations: [{ path }] };
  const started = (name: string) => ({
    id: expect.any(String),
    display_name: name,
    tool_name: name,
    kind: "edit",
    title: "",
  });
  expect(metasIn(asking.got)).toEqual([
    started("Write"),
    { ...started("Write"), ...about },
    started("Edit"),
    { ...started("Edit"), ...about },
  ]);

  expect(metasIn(plain.got)).toEqual([]);
  expect(JSON.stringify(plain.got)).not.toContain('"patch"');
  // Nothing else differs.
  const bare = withoutTimes(asking.got).map((message: any) => {
    const { tool_use_meta: _, ...rest } = message;
    const { patch: __, kind: ___, ...request } = message.request ?? {};
    return message.request ? { ...rest, request } : rest;
  });
  expect(withoutTimes(plain.got)).toEqual(bare);

  const later = new TestClient(session, { view: { toolMeta: true }, replay: true });
  later.request("r", "get_session_info");
  await later.reply("r");
  expect(metasIn(later.got)).toEqual([
    { ...started("Write"), ...about },
    { ...started("Edit"), ...about },
  ]);
  await session.close("interrupt");
});

test("while no client asks, no one reads a file for a question", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([WRITE, { text: "done" }]);
  const session = await openHere({ home, url: model.url });
  const client = new TestClient(session);
  client.prompt("go");
  const [write] = await answerAll(client, 1);
  await client.result();
  expect(Object.keys((write as any).request)).not.toContain("patch");
  await session.close("interrupt");
});

async function answerAll(client: TestClient, count: number): Promise<Outbound[]> {
  const questions: Outbound[] = [];
  while (questions.length < count) {
    const question = await client.first((message) => isQuestion(message) && !questions.includes(message));
    questions.push(question);
    client.answer(question.request_id, ALLOW);
  }
  return questions;
}
