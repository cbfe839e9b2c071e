// One session at a terminal and in an editor, whichever opened it.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { startMockModel, temporaryHome, transcriptFiles } from "@keelson/testkit";
import { startTerminal } from "@keelson/testkit/terminal";
import { isIdle, openAtTerminal, writeState } from "../terminal/at-terminal.ts";
import { saidIn, startEditor } from "./editor.ts";

const write = (file_path: string) => ({ calls: [{ name: "Write", input: { file_path, content: "a line of it\n" } }] });
const isQuestion = ({ method }: any) => method === "session/request_permission";

test("an editor loads what is open at a terminal: both see both, and either answers", async () => {
  await using at = await openAtTerminal([
    { text: "first answer" },
    { text: "second answer" },
    write("new.txt"),
    { text: "third answer" },
    { text: "fourth answer" },
  ]);
  const { terminal, home, model } = at;
  terminal.type("from the terminal\r");
  await terminal.until("first answer");
  await terminal.until(isIdle);
  await using editor = await startEditor({ home, url: model.url });
  const [{ sessionId }] = (await editor.request("session/list", { cwd: home.project })).result.sessions;
  const loaded = await editor.request("session/load", { sessionId, cwd: home.project, mcpServers: [] });
  expect(loaded.error).toBeUndefined();
  expect(saidIn(editor.updates(sessionId))).toContain("first answer");

  expect((await editor.prompt(sessionId, "from the editor")).result).toEqual({ stopReason: "end_turn" });
  await terminal.until("from the editor");
  await terminal.until("second answer");
  await terminal.until(isIdle);

  terminal.type("write it\r");
  await terminal.until("Create new.txt?");
  const question = await editor.until(isQuestion);
  const { optionId } = question.params.options.find(({ kind }: any) => kind === "allow_once");
  editor.program.send({ jsonrpc: "2.0", id: question.id, result: { outcome: { outcome: "selected", optionId } } });
  await terminal.until("third answer");
  await editor.until(({ params }) => params?.update?.content?.text?.includes("third answer"));
  expect(existsSync(join(home.project, "new.txt"))).toBe(true);
  expect(saidIn(editor.updates(sessionId)).split("third answer")).toHaveLength(2);

  // Its end is not the session's.
  await editor.end();
  await terminal.until(isIdle);
  terminal.type("and on\r");
  await terminal.until("fourth answer");
  expect(transcriptFiles(home)).toHaveLength(1);
});

test("a terminal joins what is open in an editor; a stop in the editor ends its own prompt", async () => {
  using home = temporaryHome();
  writeState(home);
  await using model = await startMockModel([{ text: "first answer" }, write("new.txt"), { text: "after that" }]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "from the editor");
  await using terminal = startTerminal({ home, url: model.url, args: ["--resume", sessionId] });
  await terminal.until("first answer");
  await terminal.until(/^[❯$]/m);

  const prompt = editor.prompt(sessionId, "write it");
  await editor.until(isQuestion);
  await terminal.until("Create new.txt?");
  editor.notify("session/cancel", { sessionId });
  expect((await prompt).result).toEqual({ stopReason: "cancelled" });
  expect(existsSync(join(home.project, "new.txt"))).toBe(false);
  // The editor may hear of it before the dialog at the terminal is gone, which would take the keys.
  await terminal.until("Interrupted. Say what to do instead");
  await terminal.until(isIdle);
  terminal.type("go on\r");
  await terminal.until("after that");
  await editor.until(({ params }) => params?.update?.content?.text?.includes("after that"));
  expect(editor.updates(sessionId, "user_message_chunk").map(({ content }) => content.text)).toEqual(["go on"]);
});

test("an error of a prompt that was typed at the terminal is shown in the editor, and one of the editor is its reply", async () => {
  await using at = await openAtTerminal([
    { text: "first answer" },
    { status: 400, message: "not at the terminal" },
    { status: 400, message: "not in the editor" },
  ]);
  const { terminal, home, model } = at;
  terminal.type("from the terminal\r");
  await terminal.until("first answer");
  await terminal.until(isIdle);
  await using editor = await startEditor({ home, url: model.url });
  const [{ sessionId }] = (await editor.request("session/list", { cwd: home.project })).result.sessions;
  await editor.request("session/load", { sessionId, cwd: home.project, mcpServers: [] });
  terminal.type("fail\r");
  await editor.until(({ params }) => params?.update?.content?.text?.includes("not at the terminal"));
  await terminal.until(isIdle);
  expect((await editor.prompt(sessionId, "fail")).error.message).toContain("not in the editor");
  expect(saidIn(editor.updates(sessionId))).not.toContain("not in the editor");
});
