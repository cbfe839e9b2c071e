// Notes that the user adds to instruction files (`add_memory`).

import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { CHAT, control, messagesOf, prompt } from "../front-door.ts";

const add = (id: string, text: string, scope?: string) =>
  control(id, { subtype: "add_memory", text, ...(scope === undefined ? {} : { scope }) });

test("a note is appended to the file of its scope, and the model reads it with the next prompt", async () => {
  using home = temporaryHome();
  home.write("CLAUDE.md", "Be brief.");
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  program.send(prompt("first"));
  await program.waitForLine(({ result }: any) => result === "one");
  program.send(add("a", "Use tabs"));
  program.send(add("b", "Mine alone", "local"));
  program.send(add("c", "Two\nlines", "user"));
  program.send(add("d", "x", "world"));
  program.send(add("e", " \n"));
  program.send(prompt("second"));
  await program.waitForLine(({ result }: any) => result === "two");
  program.closeStdin();
  const ended = await program.done;
  const [a, b, c, d, e] = messagesOf(ended, "control_response").map(({ response }) => response);
  expect(readFileSync(join(home.project, "CLAUDE.md"), "utf8")).toBe("Be brief.\n- Use tabs\n");
  expect(readFileSync(join(home.project, "CLAUDE.local.md"), "utf8")).toBe("- Mine alone\n");
  expect(readFileSync(c.response.path, "utf8")).toBe("- Two\n  lines\n");
  expect(statSync(c.response.path).mode & 0o777).toBe(0o600);
  expect([a.response.path, b.response.path]).toEqual([
    join(home.project, "CLAUDE.md"),
    join(home.project, "CLAUDE.local.md"),
  ]);
  expect(d.error).toBe('add_memory: "scope" must be one of project, local, user');
  expect(e.error).toBe("The note is empty");
  const said = JSON.stringify(model.requests[1]!.body.messages.at(-1));
  for (const note of ["Use tabs", "Mine alone", "Two\\n  lines"]) expect(said).toContain(note);
});

test("a link is not followed", async () => {
  using home = temporaryHome();
  const outside = home.write("~/outside.md", "not mine");
  symlinkSync(outside, join(home.project, "CLAUDE.md"));
  symlinkSync(join(home.home, "nothing"), join(home.project, "CLAUDE.local.md"));
  await using model = await startMockModel([]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  program.send(add("a", "note"));
  program.send(add("b", "note", "local"));
  await program.waitForLine(({ response }: any) => response?.request_id === "b");
  program.closeStdin();
  const ended = await program.done;
  const errors = messagesOf(ended, "control_response").map(({ response }) => response.error);
  expect(errors).toEqual([
    `Cannot write ${join(home.project, "CLAUDE.md")}: it is a link`,
    `Cannot write ${join(home.project, "CLAUDE.local.md")}: it is a link`,
  ]);
  expect([readFileSync(outside, "utf8"), existsSync(join(home.home, "nothing"))]).toEqual(["not mine", false]);
});
