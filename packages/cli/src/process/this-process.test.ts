// The real streams and signals of a process, with a scripted session.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";

let root: string;
let program: string;

// Answers a prompt, a number, with that many lines of a thousand characters; "hang" waits to be stopped.
const PROGRAM = `
import { main } from ${JSON.stringify(join(import.meta.dir, "../main.ts"))};
import { thisProcess } from ${JSON.stringify(join(import.meta.dir, "this-process.ts"))};
const open = async () => {
  const prompt = Promise.withResolvers();
  const stopped = Promise.withResolvers();
  async function* messages() {
    const text = await Promise.race([prompt.promise, stopped.promise]);
    if (text === "hang") {
      yield { type: "system", subtype: "status" };
      return await stopped.promise;
    }
    for (let line = 0; line < Number(text); line++) yield { type: "line", line, filler: "x".repeat(1000) };
    yield { type: "result", subtype: "success", is_error: false, result: "done" };
  }
  const send = (input) => prompt.resolve(input.message.content);
  return {
    id: "s",
    attach: () => ({ id: "client", cursor: "e.0", messages: messages(), send, detach: () => {} }),
    close: async (reason) => { if (reason !== "end_of_input") stopped.resolve("0"); },
  };
};
process.exit(await main(process.argv.slice(2), thisProcess(open)));
`;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-process-")));
  program = join(root, "program.ts");
  writeFileSync(program, PROGRAM);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const STREAM = ["-p", "--output-format", "stream-json", "--verbose"];

function start(argv: readonly string[], options: { through?: string } = {}) {
  const command = [process.execPath, program, ...argv];
  return Bun.spawn(options.through === undefined ? command : ["sh", "-c", options.through, "sh", ...command], {
    cwd: root,
    env: { HOME: root, PATH: process.env["PATH"] },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

test("a slow reader gets everything before the program ends", async () => {
  const child = start([...STREAM, "3000"]);
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true });
    await new Promise((next) => setImmediate(next));
  }
  expect(await child.exited).toBe(0);
  const lines = text.trimEnd().split("\n");
  expect(lines.length).toBe(3001);
  expect(JSON.parse(lines[2999]!)).toMatchObject({ line: 2999 });
});

test("the program ends without an error when the reader closes the pipe", async () => {
  const child = start([...STREAM, "3000"], { through: '{ "$@"; echo "code $?" >&2; } | head -c 10' });
  expect(await child.exited).toBe(0);
  expect(await new Response(child.stderr).text()).toBe("code 0\n");
});

// Only Linux has a device that is always full.
testUnless(process.platform === "linux" ? null : "needs Linux", test)("a disk that is full is reported", async () => {
  const child = start([...STREAM, "30"], { through: '"$@" > /dev/full' });
  expect(await child.exited).toBe(1);
  expect(await new Response(child.stderr).text()).toContain("ENOSPC");
});

const SIGNALS: readonly [argv: string[], signal: NodeJS.Signals, code: number][] = [
  [STREAM, "SIGINT", 0],
  [STREAM, "SIGTERM", 143],
  [STREAM, "SIGHUP", 129],
];

test.each(SIGNALS)("%j ends on %s with code %d", async (argv, signal, code) => {
  const child = start([...argv, "hang"]);
  const first = await child.stdout.getReader().read();
  expect(new TextDecoder().decode(first.value)).toContain("status");
  child.kill(signal);
  expect(await child.exited).toBe(code);
});

test("a stream client that leaves its input open can still be interrupted", async () => {
  const child = Bun.spawn([process.execPath, program, ...STREAM, "--input-format", "stream-json"], {
    cwd: root,
    env: { HOME: root },
    stdin: "pipe",
    stdout: "pipe",
  });
  child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content: "hang" } })}\n`);
  await child.stdin.flush();
  await child.stdout.getReader().read();
  child.kill("SIGINT");
  expect(await child.exited).toBe(0);
});
