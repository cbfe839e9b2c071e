import { expect, test } from "bun:test";
import { defineTool, object, string, ToolError } from "@keelson/engine";
import { NO_USAGE, type NewEntry, type ToolUseBlock } from "@keelson/protocol";
import { scriptedModel } from "../model/scripted-model.ts";
import { testEngine, WORLD_START } from "./test-engine.ts";

const call: ToolUseBlock = { type: "tool_use", id: "call_1_1", name: "Peek", input: { path: "/p/a.txt" } };
const prompt: NewEntry = { type: "user", uuid: "id-9", message: { role: "user", content: "more" } };

const peek = defineTool({
  name: "Peek",
  description: "Reads.",
  input: object({ path: string() }),
  access: ({ path }) => ({ kind: "read", path }),
  run: async ({ path }, { files }) => new TextDecoder().decode(await files.read(path)),
  show: (text) => text,
});

test("what the engine does through its ports can be read afterwards", async () => {
  const made = testEngine(scriptedModel(), { tools: [peek], spent: (charges) => charges.length });
  const { ports } = made;
  const request = {
    call,
    tool: peek,
    input: call.input,
    access: { kind: "none" },
    hook: { reasons: [], context: [] },
  } as const;

  await ports.record([prompt]);
  await ports.show({ type: "system", subtype: "status", status: null });
  expect(await ports.fire("Stop", { a: 1 })).toEqual({ reasons: [], context: [] });
  expect(await ports.permit(request, new AbortController().signal)).toEqual({
    behavior: "allow",
    input: call.input,
    by: "mode",
    source: "config",
  });
  expect(await ports.spill("x", "long")).toBe("/spill/x.txt");
  ports.charge(NO_USAGE, "m", 5);

  expect<unknown>({ ...made, ports: undefined, files: undefined, steer: undefined, abort: undefined }).toEqual({
    ports: undefined,
    files: undefined,
    steer: undefined,
    abort: undefined,
    entries: [prompt],
    signals: [{ type: "system", subtype: "status", status: null }],
    fired: [{ event: "Stop", input: { a: 1 } }],
    asked: [request],
    charges: [{ usage: NO_USAGE, model: "m", durationMs: 5 }],
    spilled: new Map([["/spill/x.txt", "long"]]),
  });
  expect(ports.spent()).toBe(1);
});

test("ids and times are the same in every test engine", () => {
  const take = () => {
    const { ports } = testEngine(scriptedModel());
    return [ports.newId(), ports.newId(), ports.now(), ports.now()];
  };
  expect(take()).toEqual(["id-1", "id-2", WORLD_START, WORLD_START + 1]);
  expect(take()).toEqual(take());
});

test("tools work on files in memory", async () => {
  const { ports, files } = testEngine(scriptedModel(), { files: { "/p/a.txt": "héllo", "/p/sub/b.txt": "b" } });
  const context = ports.context(call);

  expect(await peek.run({ path: "/p/a.txt" }, context)).toBe("héllo");
  expect(peek.run({ path: "/p/none" }, context)).rejects.toBeInstanceOf(ToolError);
  await context.files.write("/p/new.txt", new TextEncoder().encode("n"));

  expect(await context.files.names("/p")).toEqual(["a.txt", "new.txt", "sub"]);
  expect(await Promise.all(["/p/a.txt", "/p/sub", "/q"].map((path) => context.files.stat(path)))).toEqual([
    { kind: "file", size: 6, mtimeMs: WORLD_START, realPath: "/p/a.txt" },
    { kind: "directory", size: 0, mtimeMs: 0, realPath: "/p/sub" },
    null,
  ]);
  expect(files.texts).toEqual({ "/p/a.txt": "héllo", "/p/sub/b.txt": "b", "/p/new.txt": "n" });
});

test("the workspace moves only inside its root, and there is no shell unless one is given", () => {
  const { workspace, shell } = testEngine(scriptedModel()).ports.context(call);
  expect([workspace.move("/p/sub"), workspace.move("/project"), workspace.cwd]).toEqual([true, false, "/p/sub"]);
  const options = { cwd: "/p", timeoutMs: 1, signal: new AbortController().signal, maxOutput: 1, id: "x" };
  expect(() => shell.run("true", options)).toThrow("pass `shell` to testEngine()");
});

test("steering is returned once, and abort() reaches the ports", () => {
  const { ports, steer, abort } = testEngine(scriptedModel());
  steer(prompt);
  expect([ports.steering(), ports.steering()]).toEqual([[prompt], []]);
  abort("enough");
  expect([ports.signal.aborted, ports.signal.reason]).toEqual([true, "enough"]);
});
