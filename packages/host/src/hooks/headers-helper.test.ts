import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { headersHelper } from "./headers-helper.ts";
import { createHookProcesses } from "./processes.ts";

const never = new AbortController().signal;

test("a helper gets its variables and is stopped when it takes too long", async () => {
  const processes = createHookProcesses();
  try {
    const env = { PATH: process.env["PATH"] ?? "" };
    const run = headersHelper(processes, { cwd: tmpdir(), env });
    expect(await run(`printf '{"x-name": "%s"}' "$NAME"`, { NAME: "calc" }, never)).toMatchObject({
      outcome: "success",
      stdout: '{"x-name": "calc"}',
    });
    expect(await run("exit 3", {}, never)).toMatchObject({ outcome: "error", exitCode: 3 });
    const hasty = headersHelper(processes, { cwd: tmpdir(), env, timeoutMs: 50 });
    expect(await hasty("sleep 60", {}, never)).toMatchObject({ outcome: "cancelled", stdout: "" });
  } finally {
    await processes.close();
  }
});
