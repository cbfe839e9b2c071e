// Calls while they run: their states in order, and what a command prints before it ends.

import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startMockModel, temporaryHome } from "@keelson/testkit";
import { openHere, TestClient } from "../clients/live-session.ts";
import { startEditor } from "./editor.ts";

const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } });
const optionOf = ({ params }: any, kind: string) => params.options.find((option: any) => option.kind === kind).optionId;
const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });
/** Commands wait for this file, so that the test sees them run. */
const untilFile = (name: string) => `while [ ! -e ${name} ]; do sleep 0.02; done`;

const statesOf = (updates: readonly any[]) =>
  updates.filter(({ status }) => status !== undefined).map(({ sessionUpdate, status }) => [sessionUpdate, status]);

const textsOf = (updates: readonly any[]): string[] =>
  updates.flatMap(({ content }) =>
    Array.isArray(content) ? content.map((each: any) => each.content?.text ?? "") : [],
  );

test("a call that no one approves is in progress when it begins to run, and its output is live until it ends", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["Bash"] } });
  await using model = await startMockModel([
    bash(`printf 'first\\n\\140\\140\\140\\nfence\\n'; ${untilFile("go")}; echo last`),
    { text: "Done." },
  ]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  const done = editor.prompt(sessionId, "Go");
  const isCall = ({ params }: any) => params?.update?.toolCallId !== undefined;
  await editor.until((message) => isCall(message) && textsOf([message.params.update]).join("").includes("first"));
  const during = editor.updates(sessionId).filter(({ toolCallId }) => toolCallId !== undefined);
  expect(statesOf(during).map(([, status]) => status)).toEqual(["pending", "in_progress"]);
  // The fence outside is longer than the one that was printed.
  expect(textsOf(during).at(-1)).toBe("````\nfirst\n```\nfence\n````");
  writeFileSync(join(home.project, "go"), "");
  await done;
  const all = editor.updates(sessionId).filter(({ toolCallId }) => toolCallId !== undefined);
  expect(statesOf(all).map(([, status]) => status)).toEqual(["pending", "in_progress", "completed"]);
  expect(textsOf([all.at(-1)])).toEqual(["````\nfirst\n```\nfence\nlast\n````"]);
});

test("a call that waits for permission is pending until the answer, and one that is refused never runs", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("touch yes"), bash("touch no"), { text: "Done." }]);
  const before: unknown[] = [];
  let asked = 0;
  await using editor = await startEditor({
    home,
    url: model.url,
    answer: (request, own) => {
      const { toolCallId } = request.params.toolCall;
      const known = own.updates(request.params.sessionId).filter((update) => update.toolCallId === toolCallId);
      before.push(statesOf(known));
      return selected(optionOf(request, asked++ === 0 ? "allow_once" : "reject_once"));
    },
  });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "Go");
  expect(before).toEqual([[["tool_call", "pending"]], [["tool_call", "pending"]]]);
  const [yes, no] = [...new Set(editor.updates(sessionId, "tool_call").map(({ toolCallId }) => toolCallId))].map((id) =>
    editor.updates(sessionId).filter(({ toolCallId, status }) => toolCallId === id && status !== undefined),
  );
  expect(yes!.map(({ status }) => status)).toEqual(["pending", "in_progress", "completed"]);
  expect(no!.map(({ status }) => status)).toEqual(["pending", "failed"]);
  expect(existsSync(join(home.project, "no"))).toBe(false);
});

test("an endless output is shown by its end, and costs no more than that", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["Bash"] } });
  await using model = await startMockModel([
    bash(`head -c 30000000 /dev/zero | tr '\\0' 'ä'; echo; echo end; ${untilFile("go")}`),
    { text: "Done." },
  ]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  const done = editor.prompt(sessionId, "Go");
  const { params } = await editor.until(
    (message) => message.params?.update?.content?.[0]?.content?.text?.includes("\nend\n") === true,
  );
  const [text] = textsOf([params.update]);
  expect(text!.startsWith("```\n…\n")).toBe(true);
  expect(text!.length).toBeLessThan(10_000);
  writeFileSync(join(home.project, "go"), "");
  await done;
  const shown = editor.updates(sessionId).map((update) => JSON.stringify(update).length);
  expect(Math.max(...shown)).toBeLessThan(300_000);
});

test("only clients that ask for it hear that a call runs", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["Bash"] } });
  await using model = await startMockModel([bash(`echo one; ${untilFile("go")}`), { text: "Done." }]);
  const session = await openHere({ home, url: model.url });
  const plain = new TestClient(session, { view: { partial: true, toolMeta: true } });
  const asking = new TestClient(session, { view: { liveCalls: true } });
  plain.prompt("go");
  await asking.first(({ type, output }: any) => type === "tool_running" && output !== undefined);
  writeFileSync(join(home.project, "go"), "");
  await Promise.all([plain.result(), asking.result()]);
  expect(plain.got.some(({ type }) => type === ("tool_running" as string))).toBe(false);
  const heard = asking.got.filter(({ type }) => type === "tool_running");
  const id = expect.any(String);
  expect(heard).toEqual([
    { type: "tool_running", tool_use_id: id, uuid: id, session_id: id },
    { type: "tool_running", tool_use_id: id, output: "one\n", output_lines: 1, uuid: id, session_id: id },
  ]);
  await session.close("end_of_input");
});
