// What any client may ask about the sessions on this machine and about what was typed before.

import { expect, test } from "bun:test";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome, transcriptFiles } from "@keelson/testkit";
import { CHAT, control, prompt } from "../front-door.ts";

const [FIRST, SECOND] = ["11111111-2222-4333-8444-555555555555", "22222222-2222-4333-8444-555555555555"] as const;

test("a client lists, searches, reads and names other sessions, and those of other folders when it asks for all", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "A zebra." }, { text: "Done." }, { text: "Here." }]);
  const { url } = model;
  await runKeelson(["-p", "what is striped?", "--session-id", FIRST], { home, url });
  home.write("elsewhere/a.txt", "");
  await runKeelson(["-p", "count to two", "--session-id", SECOND], { home, url, cwd: `${home.project}/elsewhere` });

  await using program = startKeelson([...CHAT], { home, url, stdin: "open" });
  const ask = async (request: object) => {
    const id = crypto.randomUUID();
    program.send(control(id, request));
    const { json } = await program.waitForLine((line) => line.response?.request_id === id);
    const { response, error } = (json as any).response;
    return response ?? error;
  };
  const listed = {
    lastModified: expect.any(Number),
    fileSize: expect.any(Number),
    messageCount: expect.any(Number),
    cwd: home.project,
  };
  const first = { ...listed, sessionId: FIRST, firstPrompt: "what is striped?" };
  const second = { ...listed, sessionId: SECOND, firstPrompt: "count to two", cwd: `${home.project}/elsewhere` };
  expect(await ask({ subtype: "list_sessions" })).toEqual({
    sessions: [{ ...first, summary: "what is striped?" }],
    total: 1,
  });
  const all = { subtype: "list_sessions", all_projects: true };
  expect(await ask(all)).toEqual({
    sessions: [
      { ...second, summary: "count to two" },
      { ...first, summary: "what is striped?" },
    ],
    total: 2,
  });
  expect(await ask({ ...all, limit: 1, offset: 1 })).toMatchObject({ sessions: [{ sessionId: FIRST }], total: 2 });
  expect(await ask({ ...all, limit: -1 })).toBe('list_sessions: "limit" must be a whole number');

  expect(await ask({ subtype: "search_sessions", query: "ZEBRA" })).toEqual({ session_ids: [FIRST] });
  const among = { subtype: "search_sessions", query: "count", session_ids: [FIRST, SECOND] };
  expect(await ask(among)).toEqual({ session_ids: [SECOND] });
  expect(await ask({ ...among, session_ids: "all" })).toContain('"session_ids" must be a list of strings');

  expect(await ask({ subtype: "preview_session", session_id: FIRST })).toEqual({
    markdown: "> what is striped?\n\nA zebra.",
  });
  expect(await ask({ subtype: "preview_session", session_id: "other" })).toContain("there is no session other");

  expect(await ask({ subtype: "rename_session", session_id: SECOND, title: " To  two " })).toBeUndefined();
  expect(await ask(all)).toMatchObject({ sessions: [{ sessionId: SECOND, summary: "To two" }, { sessionId: FIRST }] });
  expect(await ask({ subtype: "rename_session", session_id: "other", title: "x" })).toContain("no session other");

  // The session that is asked is one of them, once it has a transcript.
  program.send(prompt("and me?"));
  await program.waitForLine(({ type }) => type === "result");
  expect(await ask({ subtype: "list_sessions" })).toMatchObject({ total: 2 });
  expect(transcriptFiles(home)).toHaveLength(3);
});

test("what was typed is kept for all clients, by folder, unless the user keeps none", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const open = (env = {}) => startKeelson([...CHAT], { home, url: model.url, stdin: "open", env });
  const asker = (program: ReturnType<typeof open>) => async (request: object) => {
    const id = crypto.randomUUID();
    program.send(control(id, request));
    const { json } = await program.waitForLine((line) => line.response?.request_id === id);
    return (json as any).response.response ?? (json as any).response.error;
  };
  const pasted = { 1: { id: 1, type: "text", content: "long" } };
  {
    await using program = open();
    const ask = asker(program);
    await ask({ subtype: "add_prompt_history", display: "first" });
    await ask({ subtype: "add_prompt_history", display: "see [Pasted text #1]", pastedContents: pasted });
    expect(await ask({ subtype: "add_prompt_history" })).toBe('add_prompt_history: "display" must be a string');
    // The session may end in the same moment.
    program.send(control("last", { subtype: "add_prompt_history", display: "/exit" }));
    program.send(control("end", { subtype: "end_session" }));
    await program.done;
  }
  await using silent = open({ CLAUDE_CODE_SKIP_PROMPT_HISTORY: "1" });
  const ask = asker(silent);
  await ask({ subtype: "add_prompt_history", display: "secret" });
  const kept = { timestamp: expect.any(Number), project: home.project, sessionId: expect.any(String) };
  expect(await ask({ subtype: "get_prompt_history" })).toEqual({
    prompts: [
      { ...kept, display: "/exit", pastedContents: {} },
      { ...kept, display: "see [Pasted text #1]", pastedContents: pasted },
      { ...kept, display: "first", pastedContents: {} },
    ],
  });
  expect(await ask({ subtype: "get_prompt_history", limit: 1, all_projects: true })).toMatchObject({
    prompts: [{ display: "/exit" }],
  });
});

test("no id and no link leads to a file that is not a session of the user's", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "A zebra." }]);
  const { url } = model;
  await runKeelson(["-p", "what is striped?", "--session-id", FIRST], { home, url });
  const transcript = transcriptFiles(home)[0]!;
  const outside = join(home.root, "outside.jsonl");
  writeFileSync(outside, readFileSync(transcript, "utf8").replaceAll("zebra", "secret"));
  symlinkSync(outside, join(dirname(transcript), `${SECOND}.jsonl`));
  symlinkSync(outside, join(home.configDir, "history.jsonl"));
  const untouched = readFileSync(outside, "utf8");

  await using program = startKeelson([...CHAT], { home, url, stdin: "open" });
  const ask = async (request: object) => {
    const id = crypto.randomUUID();
    program.send(control(id, request));
    const { json } = await program.waitForLine((line) => line.response?.request_id === id);
    const { response, error } = (json as any).response;
    return response ?? error;
  };
  const hostile = [SECOND, "../../../../outside", outside, `${FIRST}/../${SECOND}`, "..", "", "__proto__", "\0", "*"];
  for (const id of hostile) {
    expect(await ask({ subtype: "preview_session", session_id: id })).toContain("there is no session");
    if (id !== "")
      expect(await ask({ subtype: "rename_session", session_id: id, title: "x" })).toContain("there is no session");
  }
  const many = Array.from({ length: 20_000 }, (_, at) => `none-${at}`);
  const search = { subtype: "search_sessions", session_ids: [...hostile, ...many, FIRST, FIRST] };
  expect(await ask({ ...search, query: "zebra" })).toEqual({ session_ids: [FIRST] });
  expect(await ask({ ...search, query: "secret" })).toEqual({ session_ids: [] });

  expect(await ask({ subtype: "add_prompt_history", display: "typed" })).toContain("link");
  expect(await ask({ subtype: "get_prompt_history", all_projects: true })).toEqual({ prompts: [] });
  expect(readFileSync(outside, "utf8")).toBe(untouched);
});
