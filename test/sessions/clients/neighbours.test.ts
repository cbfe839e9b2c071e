// Two sessions in one process: nothing of one reaches the other, and the end of one is not the other's.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SessionDirectory } from "@keelson/runtime";
import { startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { told } from "../front-door.ts";
import { until } from "../processes.ts";
import { openHere, TestClient } from "./live-session.ts";

const bash = (command: string): ScriptedReply => ({ calls: [{ name: "Bash", input: { command } }] });
const NO_ANSWERS = { permissions: false, requests: false };

test("variables, folders, rules and modes are those of one session; a command goes on when the other session ends", async () => {
  using home = temporaryHome();
  for (const folder of ["one", "two"]) mkdirSync(join(home.project, folder, "below"), { recursive: true });
  const wait = "touch begun; until [ -e go ]; do sleep 0.05; done; echo went";
  await using first = await startMockModel([
    bash("cd below && echo in $PWD with $ONLY_HERE"),
    { text: "one" },
    bash("pwd"),
    { text: "one" },
  ]);
  await using second = await startMockModel([
    bash("echo in $PWD with $ONLY_HERE"),
    bash("touch refused"),
    { text: "two" },
    bash(wait),
    { text: "two" },
  ]);
  const directory = new SessionDirectory();
  const open = (url: string, folder: string, disallowedTools: string[]) =>
    openHere({ home, url, folder, directory, flags: { allowedTools: ["Bash"], disallowedTools } });
  const one = await open(first.url, "one", []);
  const two = await open(second.url, "two", ["Bash(touch refused)"]);
  const [a, b] = [new TestClient(one, { answers: NO_ANSWERS }), new TestClient(two, { answers: NO_ANSWERS })];
  a.send({ type: "update_environment_variables", variables: { ONLY_HERE: "this" } });
  a.request("m", "set_permission_mode", { mode: "acceptEdits" });
  await a.reply("m");
  a.prompt("go");
  b.prompt("go");
  await Promise.all([a.result(), b.result()]);
  expect(told(first.requests[1]!)[0]!.content).toBe(`in ${join(home.project, "one/below")} with this`);
  expect(told(second.requests[1]!)[0]!.content).toBe(`in ${join(home.project, "two")} with`);
  expect([existsSync(join(home.project, "two/refused")), process.env["ONLY_HERE"], process.cwd()]).toEqual([
    false,
    undefined,
    expect.not.stringContaining(home.root),
  ]);

  b.request("m", "set_permission_mode", { mode: "acceptEdits" });
  await b.reply("m");
  b.prompt("wait");
  await until(() => existsSync(join(home.project, "two/begun")));
  await one.close("terminate");
  writeFileSync(join(home.project, "two/go"), "");
  expect((await b.result(2)).result).toBe("two");
  expect(told(second.requests.at(-1)!)[0]!.content).toBe("went");
  await two.close("interrupt");
});
