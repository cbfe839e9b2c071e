// Taking back what an earlier process did to files. The rest of rewinding is in the table of the protocol.

import { expect, test } from "bun:test";
import { startKeelson, startMockModel, temporaryHome, type Running, type TemporaryHome } from "@keelson/testkit";
import { CHAT, control, prompt } from "../front-door.ts";

const [FIRST, SECOND] = ["11111111-2222-4333-8444-555555555555", "22222222-2222-4333-8444-555555555555"] as const;
const ON = { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true" };
const write = (file_path: string, content: string) => ({ name: "Write", input: { file_path, content } });
const read = (file_path: string) => ({ name: "Read", input: { file_path } });

function start(home: TemporaryHome, url: string, more: readonly string[]): Running {
  return startKeelson([...CHAT, "--permission-mode", "acceptEdits", ...more], { home, url, stdin: "open", env: ON });
}

async function ask(program: Running, request: object): Promise<any> {
  const id = crypto.randomUUID();
  program.send(control(id, request));
  const { json } = await program.waitForLine((line) => line.response?.request_id === id);
  const { request_id: _, ...reply } = (json as any).response;
  return reply;
}

async function say(program: Running, text: string, uuid: string): Promise<void> {
  const after = program.lines.at(-1);
  program.send(prompt(text, { uuid }));
  await program.waitForLine(({ type }) => type === "result", after ? { after } : {});
}

test("a later process rewinds what an earlier one did, and tells of changes by someone else", async () => {
  using home = temporaryHome();
  const w = home.write("w.txt", "alpha\n");
  const id = "33333333-2222-4333-8444-555555555555";
  await using model = await startMockModel([
    { calls: [read(w)] },
    { calls: [write(w, "beta\n")] },
    { text: "one" },
    { text: "two" },
  ]);
  {
    await using program = start(home, model.url, ["--session-id", id]);
    await say(program, "first", FIRST);
    program.closeStdin();
    await program.done;
  }
  home.write("w.txt", "by hand\n");
  await using program = start(home, model.url, ["--resume", id]);
  await say(program, "second", SECOND);
  const { response } = await ask(program, { subtype: "rewind_files", user_message_id: FIRST });
  expect(response).toEqual({
    canRewind: true,
    skippedLinks: 0,
    externallyChanged: [{ path: w, copy: expect.any(String) }],
  });
  expect(home.read("w.txt")).toBe("alpha\n");
  expect(await Bun.file(response.externallyChanged[0].copy).text()).toBe("by hand\n");
});
