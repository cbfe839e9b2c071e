// A search that fails is an error, never "nothing found"; one that could not read everything says what is missing.

import { afterAll, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  type ScriptedCall,
  type TemporaryHome,
} from "@keelson/testkit";
import { ordinaryUserMissing, owned, program, removeCopy, through } from "../as-nobody.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { STREAM, told } from "../front-door.ts";

afterAll(removeCopy);

const grep: ScriptedCall = { name: "Grep", input: { pattern: "needle" } };
const lines: ScriptedCall = { name: "Grep", input: { pattern: "needle", output_mode: "content" } };
const counts: ScriptedCall = { name: "Grep", input: { pattern: "needle", output_mode: "count" } };
const glob: ScriptedCall = { name: "Glob", input: { pattern: "**/*.txt" } };

interface Search {
  readonly home: TemporaryHome;
  readonly env?: Record<string, string>;
  readonly asNobody?: boolean;
}

/** What the model reads about each call. */
async function search(calls: readonly ScriptedCall[], { home, env = {}, asNobody = false }: Search) {
  await using model = await startMockModel([{ calls: [...calls] }, { text: "done" }]);
  const how = asNobody ? { through, program } : {};
  const ended = await runKeelson(["-p", ...STREAM, "go"], { home, url: model.url, env, ...how });
  expect(ended.code).toBe(0);
  return told(model.requests.at(-1)!).map(({ content, is_error = false }) => ({ content: String(content), is_error }));
}

function projectWith(files: Readonly<Record<string, string>>): TemporaryHome {
  const home = temporaryHome();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(home.project, name, ".."), { recursive: true });
    writeFileSync(join(home.project, name), text);
  }
  return home;
}

function stub({ root }: TemporaryHome, content: string, mode = 0o755): string {
  const path = join(root, "rg-stub");
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

test.each([
  ["exits with 126", "#!/bin/sh\nexit 126\n", "exited with code 126"],
  [
    "exits with 127 and a reason",
    "#!/bin/sh\necho 'libc.so.6: not found' >&2; exit 127\n",
    "code 127: libc.so.6: not found",
  ],
  ["exits with 2 and no reason", "#!/bin/sh\nexit 2\n", "exited with code 2"],
  ["exits with 101", "#!/bin/sh\necho \"thread 'main' panicked\" >&2; exit 101\n", "code 101: thread 'main' panicked"],
  ["is killed", "#!/bin/sh\nkill -KILL $$\n", "was killed (SIGKILL), perhaps because memory ran out"],
  ["crashes halfway", "#!/bin/sh\nprintf 'a.txt\\000'; kill -SEGV $$\n", "was ended by SIGSEGV"],
  ["claims a match", "#!/bin/sh\nexit 0\n", "reported a match and printed none"],
  ["is not a program", "garbage", "cannot be started"],
])("where ripgrep %s, Grep and Glob are errors that say so", async (_, content, why) => {
  using home = projectWith({ "a.txt": "needle\n" });
  const answers = await search([grep, lines, counts, glob], { home, env: { KEELSON_RG: stub(home, content) } });
  for (const { content: text, is_error } of answers) {
    expect({ is_error, text }).toEqual({ is_error: true, text: expect.stringContaining(why) });
    expect(text).toContain("it is not known what matches");
    expect(text).not.toMatch(/No (?:files|matches) found/);
  }
});

test("an executable without the right to run is an error, too", async () => {
  using home = projectWith({ "a.txt": "needle\n" });
  const [answer] = await search([grep], { home, env: { KEELSON_RG: stub(home, "#!/bin/sh\n", 0o600) } });
  expect(answer).toEqual({ is_error: true, content: expect.stringContaining("cannot be started") });
});

test("nothing found is still no error, and neither is a mistake in a pattern a failure of the machine", async () => {
  using home = projectWith({ "a.txt": "hay\n" });
  const [none, mistake] = await search([grep, { name: "Grep", input: { pattern: "(" } }], { home });
  expect(none).toEqual({ is_error: false, content: "No files found" });
  expect(mistake).toEqual({ is_error: true, content: expect.stringContaining("unclosed group") });
});

testUnless(ordinaryUserMissing(), test)("what could not be read is named beside what was found", async () => {
  using home = projectWith({ "a.txt": "needle\n", "locked/b.txt": "needle\n", "closed.txt": "needle\n" });
  owned(home);
  chmodSync(join(home.project, "locked"), 0);
  chmodSync(join(home.project, "closed.txt"), 0);
  const absent: ScriptedCall = { name: "Grep", input: { pattern: "absent" } };
  const one: ScriptedCall = { name: "Grep", input: { pattern: "needle", path: "closed.txt" } };
  const answers = await search([grep, lines, counts, absent, glob, one], { home, asNobody: true });
  chmodSync(join(home.project, "locked"), 0o700);
  const [files, content, count, nothing, names, single] = answers.map(({ content }) => content);
  for (const text of [files, content, count, nothing]) {
    expect(text).toContain("(Not searched: ");
    expect(text).toContain("locked (Permission denied)");
    expect(text).toContain("closed.txt (Permission denied)");
  }
  expect(files).toStartWith("Found 1 file\na.txt");
  expect(content).toStartWith("a.txt:1:needle");
  expect(count).toStartWith("a.txt:1");
  expect(nothing).toStartWith("No files found");
  expect(names).toBe("a.txt\nclosed.txt\n(Not searched: locked (Permission denied).)");
  expect([single, answers.map(({ is_error }) => is_error)]).toEqual([
    "Cannot search 'closed.txt': Permission denied",
    [false, false, false, false, false, true],
  ]);
});

const built = testUnless(process.env["KEELSON_BIN"] ? null : "needs the built program", test);

built("a damaged copy of ripgrep in the cache is replaced, and the search succeeds", async () => {
  using home = projectWith({ "a.txt": "needle\n" });
  const found = { is_error: false, content: "Found 1 file\na.txt" };
  expect(await search([grep], { home })).toEqual([found]);
  const cache = join(home.env["XDG_CACHE_HOME"] ?? join(home.env["HOME"]!, ".cache"), "keelson");
  const [name] = readdirSync(cache).filter((each) => each.startsWith("rg"));
  const copy = join(cache, name!);
  const whole = readFileSync(copy);
  const damages: readonly (() => void)[] = [
    () => writeFileSync(copy, "garbage"),
    () => writeFileSync(copy, whole.subarray(0, whole.length / 2)),
    () => writeFileSync(copy, Buffer.concat([whole.subarray(0, 5_000), Buffer.alloc(whole.length - 5_000)])),
    () => rmSync(copy),
    () => chmodSync(copy, 0o600),
  ];
  for (const damage of damages) {
    damage();
    expect(await search([grep, glob], { home })).toEqual([found, { is_error: false, content: "a.txt" }]);
    expect(readFileSync(copy).equals(whole)).toBe(true);
  }
});

test("doctor runs ripgrep and reports what is wrong with it", async () => {
  using home = projectWith({});
  const doctor = async (env: Record<string, string>) => (await runKeelson(["doctor"], { home, env })).stdout;
  expect(await doctor({})).toMatch(/ripgrep +\S+ \(\d+\.\d+\.\d+\)/);
  const rg = stub(home, "#!/bin/sh\necho cannot run here >&2; exit 126\n");
  const broken = await doctor({ KEELSON_RG: rg });
  expect(broken).toContain("Grep and Glob do not work");
  expect(broken).toContain(`${rg} exited with code 126: cannot run here`.slice(0, 30));
  expect(broken).toContain("unset it");
});

testUnless(confinementMissing(), test)("USE_BUILTIN_RIPGREP=0 prefers the ripgrep of the system", async () => {
  using home = projectWith({});
  const rg = stub(home, "#!/bin/sh\necho 'ripgrep 99.9.9'\n");
  // For root, the one in /usr/bin counts if the system has it.
  const installed = existsSync("/usr/bin/rg") ? [] : ["--tmpfs", "/usr/local/bin"];
  const place = installed.length === 0 ? "/usr/bin/rg" : "/usr/local/bin/rg";
  const inside = ["bwrap", "--dev-bind", "/", "/", ...installed, "--ro-bind", rg, place, "--"];
  const doctor = async (value: string) => {
    const env = { USE_BUILTIN_RIPGREP: value, PATH: `/usr/local/bin:/usr/bin:${home.env["PATH"]}` };
    return (await runKeelson(["doctor"], { home, env, through: inside })).stdout;
  };
  expect(existsSync("/usr/local/bin")).toBe(true);
  expect(await doctor("0")).toContain(`${place} (99.9.9)`);
  expect(await doctor("1")).not.toContain("99.9.9");
});
