// Patterns, links and copied folders of a repository someone else filled, through the front door: what they lead to
// is asked about, with the reason, and what stays inside runs. No one answers, so that asking is refusing.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { resultOf, STREAM, told } from "../front-door.ts";

const SECRET = "open-sesame-4711";

/** Links that lead out, folders that hold what steers us, and files named like options and scripts. */
function hostileHome(): TemporaryHome {
  const home = temporaryHome();
  const outside = join(home.root, "outside");
  mkdirSync(join(outside, "sub"), { recursive: true });
  writeFileSync(join(outside, "secret"), SECRET);
  writeFileSync(join(outside, "sub/secret"), SECRET);
  home.write("src/a.ts", "inside\n");
  home.write("docs/b.md", "inside\n");
  home.write("kit/.claude/settings.json", "{}");
  home.write("kit/.vscode/tasks.json", "{}");
  home.write("kit/a.txt", "kit");
  home.write("plain/a.txt", "plain");
  home.write(".vscode/tasks.json", "{}");
  home.write("scripts/1w pwned", "x");
  home.write("scripts/a", "x");
  home.write("options/-R", "x");
  home.write("options/a", "inside");
  home.write("env.sh", `touch pwned`);
  home.write("two/a", "inside");
  home.write("two/pwned", "kept");
  for (const link of ["ln-dir", "pkg/deep", "options/d"]) {
    mkdirSync(join(home.project, link, ".."), { recursive: true });
    symlinkSync(outside, join(home.project, link));
  }
  symlinkSync(join(outside, "secret"), join(home.project, "n.md"));
  symlinkSync(home.project, join(home.project, "self"));
  symlinkSync(join(home.project, "docs"), join(home.project, "documents"));
  return home;
}

const FILE_RULES = ["cp", "mv", "touch", "mkdir", "tee", "source", "."].map((name) => `Bash(${name}:*)`);

/** What the model was told about each of these commands, run one after the other. */
async function tell(home: TemporaryHome, commands: readonly string[]): Promise<string[]> {
  const calls = commands.map((command) => ({ calls: [{ name: "Bash", input: { command } }] }));
  await using model = await startMockModel([...calls, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect(resultOf(ended).subtype).toBe("success");
  return model.requests.slice(1).map((request) =>
    told(request)
      .map(({ content }) => String(content))
      .join("\n"),
  );
}

const LOOKING = [
  "cat ln-dir/*",
  "cat l*/secret",
  "cat */secret",
  "cat pkg/*/sub/secret",
  "cat ?.md",
  "cat *.md",
  "head -c 99 */*/secret",
  "cat self/ln-dir/*",
  "cd self && cat ../outside/secret",
  "cd ln-dir && cat *",
  "cd pkg/* && cat secret",
  "grep -r sesame ln-dir/",
  "grep -R sesame pkg",
  "grep -Rh sesame .",
  "rg -L sesame",
  "rg --follow sesame pkg",
  "diff -r pkg/deep docs",
  "cd options && grep sesame *",
  "strings @env.sh",
  "cat {n.md,src/a.ts}",
  "cd scripts && sed -n *",
  "cd scripts && sed -n 1* a",
  "cd two && uniq a*",
  "cd two && uniq *",
] as const;

test("what a pattern, a link or a followed folder leads out to is not shown unasked", async () => {
  using home = hostileHome();
  const results = await tell(home, LOOKING);
  expect(LOOKING.filter((_, at) => !/requires approval|was blocked/.test(results[at]!))).toEqual([]);
  expect(results.join("\n")).not.toContain("sesame-4711");
  expect(existsSync(join(home.project, "scripts/pwned"))).toBe(false);
});

const WRITING = [
  "cp src/a.ts ln-dir/new",
  "cp src/a.ts l*/",
  "cp src/a.ts ../outside/new",
  "touch ../outside/new",
  "mkdir ../outside/new",
  "mv src/a.ts ../outside/new",
  "cp ../outside/secret src/new",
  "cd self && touch ../outside/new",
  "timeout 5 touch ../outside/new",
  "cp -r kit/. .",
  "cp -r kit/. docs",
  "cp -a kit new",
  "cp -r k* new",
  "touch .vsc*/new.json",
  "touch .[v]scode/new.json",
  "tee .vsc*/new.json",
  "cp src/a.ts .v*/",
  "cd .vs* && touch new.json",
  "source env.sh",
  ". ./env.sh",
  "touch env.sh && source ./env.sh",
] as const;

test("rules with a star stop at the working directories, at protected names and at scripts", async () => {
  using home = hostileHome();
  home.settings({ permissions: { allow: FILE_RULES } });
  const results = await tell(home, WRITING);
  expect(WRITING.filter((_, at) => !/requires approval|was blocked|was not granted/.test(results[at]!))).toEqual([]);
  const made = [
    "../outside/new",
    "src/new",
    "new",
    ".claude",
    "docs/.claude",
    ".vscode/new.json",
    ".vscode/a.ts",
    "pwned",
  ];
  expect(made.filter((path) => existsSync(join(home.project, path)))).toEqual([]);
  expect(existsSync(join(home.root, "outside/new"))).toBe(false);
});

test("each refusal says why", async () => {
  using home = hostileHome();
  home.settings({ permissions: { allow: FILE_RULES } });
  const why = {
    "cat ln-dir/*": "cat in '",
    "cd options && cat ?R": "is named like an option or a command",
    "touch ../outside/new": "may only create or modify files in the allowed working directories",
    "cp -r kit/. .": "Permission to write to",
    "source env.sh": "no rule names the script 'env.sh'",
    "touch .vsc*/new.json": "was not granted",
  };
  const results = await tell(home, Object.keys(why));
  expect(Object.values(why).filter((text, at) => !results[at]!.includes(text))).toEqual([]);
});

test("what stays inside runs as before", async () => {
  using home = hostileHome();
  home.settings({ permissions: { allow: FILE_RULES } });
  const commands = [
    "cat src/*",
    "cat docs/*.md",
    "cat documents/*",
    "grep -R inside src docs",
    "cat {src/a.ts,docs/b.md}",
    "cp -r plain copy && cat copy/a.txt",
    "cp plain/* copied.txt && cat copied.txt",
    "mkdir -p x/y && touch x/y/z && ls x/*",
    "printf '%s\\n' src/*",
    "cd documents && cat b*",
  ];
  const results = await tell(home, commands);
  expect(results.map((text) => text.trim())).toEqual([
    "inside",
    "inside",
    "inside",
    "src/a.ts:inside\ndocs/b.md:inside",
    "inside\ninside",
    "plain",
    "plain",
    "z",
    "src/a.ts",
    "inside",
  ]);
});
