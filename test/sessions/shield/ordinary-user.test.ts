// What only an ordinary user can be promised: commands and hooks cannot look into our own process. Also checks that
// closing it broke nothing.

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import {
  startKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  type ScriptedCall,
  type TemporaryHome,
} from "@keelson/testkit";
import { ordinaryUserMissing, owned, program, removeCopy, through } from "../as-nobody.ts";
import { CHAT, prompt, told } from "../front-door.ts";
import { until } from "../processes.ts";

const ordinary = testUnless(ordinaryUserMissing(), test);

/** Unique, because the search sees every process of the user, also those of another run of these tests. */
const WORD = `hush${crypto.randomUUID().slice(0, 8)}`;
const KEY = `sk-ant-${WORD}-0123456789`;
const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });
/** Finds every process with a readable start environment that contains the word. */
const LOOK = `{ for p in /proc/[0-9]*; do tr '\\0' '\\n' <$p/environ | grep ${WORD}; done; echo looked; } 2>/dev/null`;

// Proves that the search works.
const control = Bun.spawn([...through, "sleep", "600"], {
  env: { PATH: process.env["PATH"], CONTROL: `${WORD}-control` },
  stdio: ["ignore", "ignore", "ignore"],
});
afterAll(() => {
  control.kill();
  removeCopy();
});

ordinary.each([
  ["behind the shield", true],
  ["without it", false],
])("neither a command, %s, nor a hook can read the key from our process", async (_, shielded) => {
  using home = temporaryHome();
  const command = `(${LOOK}) >"$CLAUDE_PROJECT_DIR/from-hook.txt"`;
  home.settings({ hooks: { SessionStart: [{ hooks: [{ type: "command", command }] }] } });
  const ways = ["environ", "maps", "mem", "root/", "cwd/", "fd/"];
  const tries = (pid: number) => ways.map((way) => `head -c 9 /proc/${pid}/${way} && ls /proc/${pid}/${way}`);
  await using model = await startMockModel((_request, number) =>
    number > 1 ? { text: "done" } : { calls: [bash(LOOK), ...tries(running.pid).map(bash)] },
  );
  await using running = startKeelson([...CHAT, "--allowedTools", "Bash"], {
    home: owned(home),
    url: model.url,
    stdin: "open",
    through,
    program,
    env: { ANTHROPIC_API_KEY: KEY, PATH: shielded ? home.env["PATH"] : withoutBubblewrap(home) },
  });
  running.send(prompt("go"));
  await running.waitForLine(({ type }) => type === "result");
  running.closeStdin();
  expect((await running.done).code).toBe(0);

  expect(model.requests[0]!.headers["x-api-key"]).toBe(KEY);
  const [looked, ...tried] = told(model.requests[1]!).map(({ content }) => content);
  const all = `CONTROL=${WORD}-control\nlooked`;
  // Behind the shield a command has its own namespace and cannot see other processes of the user at all.
  expect(shielded ? ["looked", all] : [all]).toContain(looked);
  expect(home.read("from-hook.txt")).toBe(`${all}\n`);
  expect(tried.filter((text) => !/^Exit code 1\nhead: .*Permission denied/.test(text))).toEqual([]);
});

ordinary("everything else still works: files are written, and nothing outlives a kill", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    {
      calls: [
        bash("setsid sleep 300 >/dev/null 2>&1 & setsid env -i sleep 301 >/dev/null 2>&1 & echo started"),
        { name: "Write", input: { file_path: "a.txt", content: "one\n" } },
        { name: "Edit", input: { file_path: "a.txt", old_string: "one", new_string: "two" } },
        { name: "Grep", input: { pattern: "two", output_mode: "content" } },
      ],
    },
    { text: "done" },
  ]);
  await using running = startKeelson([...CHAT, "--allowedTools", "Bash", "--permission-mode", "acceptEdits"], {
    home: owned(home),
    url: model.url,
    stdin: "open",
    through,
    program,
  });
  running.send(prompt("go"));
  await running.waitForLine(({ type }) => type === "result");
  const answers = told(model.requests[1]!);
  expect(answers.map(({ is_error }) => is_error)).toEqual([false, false, false, false]);
  expect([answers[0].content, answers[3].content, home.read("a.txt")]).toEqual(["started", "a.txt:1:two", "two\n"]);

  // The shell does not wait for what it starts in the background.
  await until(() => sleepers(home).length === 2, "The commands in the background did not start");
  running.kill("SIGKILL");
  await running.done;
  await until(() => sleepers(home).length === 0, "Commands outlived the program");
});

/** A PATH with a few programs and without bubblewrap. */
function withoutBubblewrap({ root }: TemporaryHome): string {
  const bin = join(root, "bin");
  mkdirSync(bin);
  for (const name of ["bash", "sh", "tr", "grep", "head", "ls"]) symlinkSync(Bun.which(name)!, join(bin, name));
  return bin;
}

/** Those of this test, by their working directory. */
function sleepers({ project }: TemporaryHome): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === project && commandOf(pid).startsWith("sleep\0");
    } catch {
      return false; // gone, or not ours to look at
    }
  });
}

const commandOf = (pid: string) => readFileSync(`/proc/${pid}/cmdline`, "utf8");
