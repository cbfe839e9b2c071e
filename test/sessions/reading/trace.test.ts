// keelson trace on real sessions, with and without exact times.

import { expect, test } from "bun:test";
import { appendFileSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";

const SCRIPT = [
  { calls: [{ name: "Agent", input: { description: "look", prompt: "look", subagent_type: "Explore" } }] },
  { calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
  { text: "found" },
  { calls: [{ name: "Bash", input: { command: "echo one-two" } }] },
  { text: "done" },
];

async function traced(home: TemporaryHome, env: Record<string, string> = {}) {
  home.write("a.txt", "alpha\n");
  home.settings({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "true" }] }] } });
  await using model = await startMockModel(SCRIPT);
  const flags = ["-p", "secret-words", "--allowedTools=Bash(echo *),Read"];
  const run = await runKeelson(flags, { home, url: model.url, env });
  expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 0, stdout: "done\n" });
}

async function traceOf(home: TemporaryHome, ...flags: readonly string[]) {
  const { code, stdout, stderr } = await runKeelson(["trace", ...flags], { home });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const trace = JSON.parse(stdout);
  const named = trace.traceEvents.filter(({ name }: any) => name === "process_name");
  const processes = new Map<number, string>(named.map(({ pid, args }: any) => [pid, args.name.split(" ")[0]]));
  const events = trace.traceEvents.filter(({ ph }: any) => ph === "X");
  return { trace, events, kinds: events.map(({ pid, cat, name }: any) => `${processes.get(pid)} ${cat} ${name}`) };
}

/** The names of models differ, and permissions are only shown when someone took a moment to decide. */
const counted = (kinds: readonly string[]) =>
  kinds
    .filter((kind) => !kind.includes("permission"))
    .map((kind) => kind.replace(/(request) .*/, "$1"))
    .toSorted();

const EXPECTED = [
  "Session run Run",
  ...["Session turn Turn 1", "Session turn Turn 2", "Session turn Turn 3"],
  ...["Session request", "Session request", "Session request"],
  ...["Session tool Agent", "Session tool Bash", "Session hook PreToolUse:Bash"],
  ...["Explore request", "Explore request", "Explore tool Read", "Explore turn Turn 1", "Explore turn Turn 2"],
].toSorted();

test("a transcript alone gives runs, turns, requests, tools, hooks and subagents", async () => {
  using home = temporaryHome();
  await traced(home);
  const { trace, kinds, events } = await traceOf(home);
  expect(counted(kinds)).toEqual([...EXPECTED, "Explore run Run"].toSorted());
  expect(trace.otherData.exact).toBe(false);
  expect(events.map(({ ts }: any) => ts)).toEqual(
    events.map(({ ts }: any) => ts).toSorted((a: number, b: number) => a - b),
  );
  expect(JSON.stringify(trace)).not.toContain("secret-words");
});

test("KEELSON_TRACE=1 adds exact times, and a crash in the middle of a line costs that line", async () => {
  using home = temporaryHome();
  await traced(home, { KEELSON_TRACE: "1" });
  const { trace, kinds, events } = await traceOf(home);
  expect(trace.otherData.exact).toBe(true);
  expect(counted(kinds)).toEqual(EXPECTED);
  const requests = events.filter(({ cat }: any) => cat === "request");
  for (const { args, dur } of requests) {
    expect(args.firstMs).toBeGreaterThan(0);
    expect(args.firstMs * 1000).toBeLessThanOrEqual(dur + 1);
  }
  const [log] = new Bun.Glob("projects/*/*/spans.jsonl").scanSync({ cwd: home.configDir });
  const path = join(home.configDir, log!);
  expect(readFileSync(path, "utf8")).not.toMatch(/secret-words|one-two|alpha/);
  const [line] = readFileSync(path, "utf8").split("\n");
  appendFileSync(path, `${JSON.stringify({ ...JSON.parse(line!), startMs: 1e300 })}\n{"session":"half`);
  expect(counted((await traceOf(home)).kinds)).toEqual(EXPECTED);
});

test("KEELSON_TRACE names another file, never through a link; a project cannot set it", async () => {
  using home = temporaryHome();
  const file = join(home.root, "spans.jsonl");
  home.write(".claude/settings.json", { env: { KEELSON_TRACE: join(home.root, "from-project.jsonl") } });
  await traced(home, { KEELSON_TRACE: file });
  expect((await traceOf(home, "--log", file)).trace.otherData.exact).toBe(true);

  symlinkSync(join(home.root, "target"), join(home.root, "link"));
  await using model = await startMockModel([{ text: "done" }, { text: "done" }]);
  const env = { KEELSON_TRACE: join(home.root, "link") };
  const linked = await runKeelson(["-p", "go"], { home, url: model.url, env });
  expect({ code: linked.code, stdout: linked.stdout }).toEqual({ code: 0, stdout: "done\n" });
  expect(linked.stderr).toContain("trace cannot be written");
  await runKeelson(["trust"], { home });
  await runKeelson(["-p", "go"], { home, url: model.url });
  expect(["target", "from-project.jsonl"].filter((name) => existsSync(join(home.root, name)))).toEqual([]);
});
