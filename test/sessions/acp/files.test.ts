// Files that the editor has open: what is not saved is seen and kept, under the rules for any file.

import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@keelson/protocol";
import { startKeelson, startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { startEditor, type Editor, type EditorOptions } from "./editor.ts";

const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } });
const optionOf = ({ params }: any, kind: string) => params.options.find((option: any) => option.kind === kind).optionId;

const call = (name: string, input: JsonObject): ScriptedReply => ({ calls: [{ name, input }] });
const BOTH = { fs: { readTextFile: true, writeTextFile: true } };

/** An editor with these buffers, which says yes to every question. */
function buffers(texts: Map<string, string>, answer?: EditorOptions["answer"]) {
  const asked: string[] = [];
  const reply: EditorOptions["answer"] = (request, editor) => {
    const { method, params } = request;
    if (method === "session/request_permission") {
      asked.push("permission");
      return selected(optionOf(request, "allow_once"));
    }
    asked.push(`${method === "fs/read_text_file" ? "read" : "write"} ${params.path}`);
    const own = answer?.(request, editor);
    if (own !== undefined) return own;
    if (method === "fs/write_text_file") {
      texts.set(params.path, params.content);
      return {};
    }
    const text = texts.get(params.path);
    return text === undefined ? new Error("No such buffer") : { content: text };
  };
  return { asked, reply };
}

/** What the model was told about each call. */
const results = (model: { readonly requests: readonly any[] }): string[] =>
  model.requests
    .at(-1)!
    .body.messages.flatMap(({ content }: any) => (Array.isArray(content) ? content : []))
    .filter(({ type }: any) => type === "tool_result")
    .map(({ content }: any) => (typeof content === "string" ? content : JSON.stringify(content)));

const diffsIn = (editor: Editor, sessionId: string) =>
  editor
    .updates(sessionId)
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter(({ type }) => type === "diff");

test("unsaved text is read, edited in the editor, and kept; the disk is left to the editor", async () => {
  using home = temporaryHome();
  const file = join(home.project, "a.ts");
  writeFileSync(file, "one\r\ntwo\r\n");
  const texts = new Map([[file, "one\ntyped by hand\ntwo\n"]]);
  const { asked, reply } = buffers(texts);
  await using model = await startMockModel([
    call("Read", { file_path: file }),
    call("Edit", { file_path: file, old_string: "two", new_string: "three" }),
    call("Read", { file_path: file }),
    { text: "Done." },
  ]);
  await using editor = await startEditor({ home, url: model.url, capabilities: BOTH, answer: reply });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "Go");
  expect(texts.get(file)).toBe("one\ntyped by hand\nthree\n");
  expect(readFileSync(file, "utf8")).toBe("one\r\ntwo\r\n");
  const [read, edited, again] = results(model);
  expect(read).toContain("typed by hand");
  expect(edited).toEndWith(": now line 3.");
  expect(again).toContain("three");
  expect(diffsIn(editor, sessionId).at(-1)).toMatchObject({
    path: file,
    oldText: expect.stringContaining("typed by hand\ntwo"),
    newText: expect.stringContaining("typed by hand\nthree"),
  });
  expect(new Set(asked)).toEqual(new Set([`read ${file}`, "permission", `write ${file}`]));
});

test("a file that has nothing unsaved is ours to write, whatever the editor makes of line ends", async () => {
  using home = temporaryHome();
  const file = join(home.project, "a.ts");
  writeFileSync(file, "\ufeffone\r\ntwo\r\n");
  const { asked, reply } = buffers(new Map([[file, "one\ntwo"]]));
  await using model = await startMockModel([
    call("Read", { file_path: file }),
    call("Edit", { file_path: file, old_string: "two", new_string: "three" }),
    { text: "Done." },
  ]);
  await using editor = await startEditor({ home, url: model.url, capabilities: BOTH, answer: reply });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "Go");
  expect(readFileSync(file, "utf8")).toBe("\ufeffone\r\nthree\r\n");
  expect(asked.filter((each) => each.startsWith("write"))).toEqual([]);
});

test("a mention sees unsaved text, also of a file that was never saved", async () => {
  using home = temporaryHome();
  const [file, fresh] = [join(home.project, "a.ts"), join(home.project, "new.ts")];
  writeFileSync(file, "saved\n");
  const { reply } = buffers(
    new Map([
      [file, "unsaved-text\n"],
      [fresh, "never-saved\n"],
    ]),
  );
  await using model = await startMockModel([{ text: "Seen." }]);
  await using editor = await startEditor({ home, url: model.url, capabilities: BOTH, answer: reply });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "Look at @a.ts and @new.ts please");
  const said = JSON.stringify(model.requests[0]!.body);
  expect(said).toContain("unsaved-text");
  expect(said).toContain("never-saved");
});

test("an editor is asked nothing about what rules deny, links that lead there, other kinds, and what no one approved", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { deny: ["Read(secret.txt)"] } });
  const secret = join(home.project, "secret.txt");
  writeFileSync(secret, "on disk\n");
  symlinkSync("secret.txt", join(home.project, "innocent.txt"));
  mkdirSync(join(home.root, "outside"));
  const outside = join(home.root, "outside", "b.txt");
  writeFileSync(outside, "elsewhere\n");
  writeFileSync(join(home.project, "a.png"), "no image");
  const texts = new Map([secret, outside, join(home.project, "innocent.txt")].map((path) => [path, "from the editor"]));
  const asked: string[] = [];
  await using model = await startMockModel([
    call("Read", { file_path: secret }),
    call("Read", { file_path: join(home.project, "innocent.txt") }),
    call("Edit", { file_path: secret, old_string: "editor", new_string: "x" }),
    call("Read", { file_path: join(home.project, "a.png") }),
    call("Read", { file_path: home.project }),
    call("Read", { file_path: outside }),
    { text: "Done." },
  ]);
  await using editor = await startEditor({
    home,
    url: model.url,
    capabilities: BOTH,
    answer: (request) => {
      asked.push(request.method);
      if (request.method === "session/request_permission") return selected(optionOf(request, "reject_once"));
      return { content: texts.get(request.params.path) ?? "from the editor" };
    },
  });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "Go");
  expect(asked).toEqual(["session/request_permission"]);
  expect(JSON.stringify(model.requests.at(-1)!.body)).not.toContain("from the editor");
});

test("unsaved text that the editor does not let us change is left alone, and so is what it refuses or only claims", async () => {
  const outcomes: [string, object, EditorOptions["answer"]][] = [
    ["takes no changes from here", { fs: { readTextFile: true } }, undefined],
    [
      "The buffer is read-only",
      BOTH,
      ({ method }) => (method === "fs/write_text_file" ? new Error("The buffer is read-only") : undefined),
    ],
    ["did not make it", BOTH, ({ method }) => (method === "fs/write_text_file" ? {} : undefined)],
  ];
  for (const [said, capabilities, answer] of outcomes) {
    using home = temporaryHome();
    const file = join(home.project, "a.ts");
    writeFileSync(file, "one\n");
    const texts = new Map([[file, "one\nunsaved\n"]]);
    const { reply } = buffers(texts, answer);
    await using model = await startMockModel([
      call("Read", { file_path: file }),
      call("Edit", { file_path: file, old_string: "one", new_string: "two" }),
      { text: "Done." },
    ]);
    await using editor = await startEditor({ home, url: model.url, capabilities, answer: reply });
    const { sessionId } = await editor.open();
    expect((await editor.prompt(sessionId, "Go")).result).toEqual({ stopReason: "end_turn" });
    expect(results(model)[1]).toContain(said);
    expect(texts.get(file)).toBe("one\nunsaved\n");
    expect(readFileSync(file, "utf8")).toBe("one\n");
  }
});

test("what someone types between reading and writing is not overwritten", async () => {
  using home = temporaryHome();
  const file = join(home.project, "a.ts");
  writeFileSync(file, "one\n");
  const texts = new Map([[file, "one\n"]]);
  const { reply } = buffers(texts);
  await using model = await startMockModel([
    call("Read", { file_path: file }),
    call("Edit", { file_path: file, old_string: "one", new_string: "two" }),
    { text: "Done." },
  ]);
  await using editor = await startEditor({
    home,
    url: model.url,
    capabilities: BOTH,
    answer: (request, own) => {
      if (request.method === "session/request_permission") texts.set(file, "one\ntyped meanwhile\n");
      return reply(request, own);
    },
  });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "Go");
  expect(results(model)[1]).toContain("modified since read");
  expect(readFileSync(file, "utf8")).toBe("one\n");
});

test("an editor that lies, says nothing, or says too much is waited for once, and the disk is read", async () => {
  using home = temporaryHome();
  const names = ["odd.ts", "null.ts", "huge.ts", "silent.ts"];
  for (const name of names) writeFileSync(join(home.project, name), `disk ${name}\n`);
  const { reply } = buffers(new Map(), ({ method, params, id }, editor: Editor) => {
    if (method !== "fs/read_text_file") return undefined;
    if (params.path.endsWith("odd.ts")) return { content: 5 };
    if (params.path.endsWith("null.ts")) return { content: null };
    if (params.path.endsWith("huge.ts")) {
      // Above the longest line, so that it never arrives.
      editor.program.send(`{"jsonrpc":"2.0","id":${id},"result":{"content":"`);
      for (let sent = 0; sent < 100; sent++) editor.program.send("x".repeat(1024 * 1024));
      editor.program.send('"}}\n');
    }
    return new Promise<undefined>(() => undefined);
  });
  await using model = await startMockModel([
    { calls: names.map((name) => ({ name: "Read", input: { file_path: join(home.project, name) } })) },
    call("Edit", { file_path: join(home.project, "silent.ts"), old_string: "disk", new_string: "x" }),
    { text: "Done." },
  ]);
  await using editor = await startEditor({ home, url: model.url, capabilities: BOTH, answer: reply });
  const { sessionId } = await editor.open();
  expect((await editor.prompt(sessionId, "Go")).result).toEqual({ stopReason: "end_turn" });
  const told = results(model);
  for (const [index, name] of names.entries()) expect(told[index]).toContain(`disk ${name}`);
  expect(told[4]).toContain("did not say whether it has unsaved changes");
  expect(readFileSync(join(home.project, "silent.ts"), "utf8")).toBe("disk silent.ts\n");
});

test("an editor knows a project by the name that it gave it, also if that is a link", async () => {
  using home = temporaryHome();
  const link = join(home.root, "linked");
  symlinkSync(home.project, link);
  writeFileSync(join(home.project, "a.ts"), "saved\n");
  const { asked, reply } = buffers(new Map([[join(link, "a.ts"), "unsaved-text\n"]]));
  await using model = await startMockModel([call("Read", { file_path: "a.ts" }), { text: "Done." }]);
  await using editor = await startEditor({ home, url: model.url, capabilities: BOTH, answer: reply });
  const { sessionId } = await editor.open({ cwd: link });
  await editor.prompt(sessionId, "Go");
  expect(results(model)[0]).toContain("unsaved-text");
  expect(asked).toEqual([`read ${join(link, "a.ts")}`]);
});

test("edits that follow each other work before the editor has noticed the first one", async () => {
  using home = temporaryHome();
  const file = join(home.project, "a.ts");
  writeFileSync(file, "one\n");
  // Its buffer is never read again.
  const { asked, reply } = buffers(new Map([[file, "one\n"]]));
  await using model = await startMockModel([
    call("Read", { file_path: file }),
    call("Edit", { file_path: file, old_string: "one", new_string: "two" }),
    call("Edit", { file_path: file, old_string: "two", new_string: "three" }),
    call("Write", { file_path: file, content: "four\n" }),
    { text: "Done." },
  ]);
  await using editor = await startEditor({ home, url: model.url, capabilities: BOTH, answer: reply });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "Go");
  expect(readFileSync(file, "utf8")).toBe("four\n");
  expect(asked.filter((each) => each.startsWith("write"))).toEqual([]);
});

test("an editor that joins the session of another program brings its files, and takes them with it", async () => {
  using home = temporaryHome();
  const file = join(home.project, "a.ts");
  writeFileSync(file, "saved\n");
  const { reply } = buffers(new Map([[file, "unsaved-text\n"]]));
  const read = call("Read", { file_path: file });
  await using model = await startMockModel([read, { text: "One." }, read, { text: "Two." }, read, { text: "Three." }]);
  const id = "11111111-2222-4333-8444-555555555555";
  const flags = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json", "--session-id", id];
  await using owner = startKeelson(["-p", ...flags], { home, url: model.url, stdin: "open" });
  const ask = async (content: string, answer: string) => {
    owner.send({ type: "user", message: { role: "user", content } });
    await owner.waitForLine(({ type, result }) => type === "result" && result === answer);
  };
  await ask("First", "One.");
  const editor = await startEditor({ home, url: model.url, capabilities: BOTH, answer: reply });
  await editor.request("session/load", { sessionId: id, cwd: home.project, mcpServers: [] });
  await ask("Second", "Two.");
  await editor[Symbol.asyncDispose]();
  await ask("Third", "Three.");
  expect(results(model)).toEqual([
    expect.stringContaining("saved"),
    expect.stringContaining("unsaved-text"),
    expect.not.stringContaining("unsaved-text"),
  ]);
  // Others hear nothing of it.
  expect(owner.lines.filter(({ text }) => /"(?:read_open_file|tool_running)"/.test(text))).toEqual([]);
  owner.closeStdin();
  expect((await owner.done).code).toBe(0);
});
