import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { temporaryHome } from "../program/home.ts";
import { startKeelson } from "../program/run-program.ts";

const main = fileURLToPath(new URL("mock-server-main.ts", import.meta.url));

test("the mock model runs as a program, and ends with its stdin", async () => {
  using home = temporaryHome();
  home.write("script.json", { script: [{ text: "from a file" }], options: { pings: true } });
  await using program = startKeelson(["script.json", "--requests"], {
    home,
    program: [process.execPath, main],
    stdin: "open",
  });

  const { url } = (await program.waitForLine((json) => json.url)).json;
  const response = await fetch(`${url}/v1/messages`, { method: "POST", body: JSON.stringify({ stream: true }) });
  const text = await response.text();
  expect(text).toContain('{"type":"text_delta","text":"from a file"}');
  expect(text).toContain('data: {"type":"ping"}');
  const { request } = (await program.waitForLine((json) => json.request)).json;
  expect({ ...request, headers: undefined }).toEqual({
    number: 1,
    method: "POST",
    path: "/v1/messages",
    headers: undefined,
    body: { stream: true },
  });

  program.closeStdin();
  expect((await program.done).code).toBe(0);
});

test("without a script it prints its usage", async () => {
  using home = temporaryHome();
  await using program = startKeelson([], { home, program: [process.execPath, main] });
  const { code, stderr } = await program.done;
  expect({ code, stderr }).toEqual({ code: 2, stderr: "Usage: bun mock-server-main.ts script.json [--requests]\n" });
});
