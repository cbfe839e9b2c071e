// keelson instructions with fake I/O: what it prints and writes, and its errors.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { main } from "../../main.ts";
import { withFakeIO, put, removed, scratch } from "../command-io.test-support.ts";

let root: string;

beforeEach(() => {
  root = scratch("instructions-command");
});
afterEach(() => removed(root));

async function keelson(...argv: string[]) {
  const seen = await withFakeIO(root, (io) => main(argv, io), { uid: process.getuid!() });
  return { ...seen, lines: seen.out.replaceAll(root, "").split("\n") };
}

const memory = () => `~/.claude/projects/${join(root, "project").replace(/[^a-zA-Z0-9]/g, "-")}/memory`;

function project() {
  put(root, "managed/CLAUDE.md", "Be kind.");
  put(root, "home/.claude/CLAUDE.md", "Use tabs.");
  put(root, "project/CLAUDE.md", "See @docs/style.md and @/nowhere/x.md and @../other/plan.md\n");
  put(root, "project/docs/style.md", "x".repeat(2_345));
  put(root, "other/plan.md", "Plan.");
  put(root, "project/.claude/rules/api.md", "---\npaths: [src/api/**]\n---\nNo SQL.");
  put(root, "project/src/CLAUDE.md", "Source.");
}

test("list shows every file in order, with tier, size and reason, and the files that are not read", async () => {
  project();
  const { code, lines, err } = await keelson("instructions", "list");
  expect({ code, err }).toEqual({ code: 0, err: [] });
  expect(lines.map((line) => line.replaceAll(/ {2,}/g, "  "))).toEqual([
    "  file  tier  size  tokens  why",
    "1  /managed/CLAUDE.md  managed  8 B  ~2  always",
    "2  ~/.claude/CLAUDE.md  user  9 B  ~3  always",
    "3  CLAUDE.md  project  60 B  ~15  always",
    "4  docs/style.md  project  2.3 KB  ~587  included by CLAUDE.md",
    "",
    "Read when the model opens a matching file:",
    "  .claude/rules/api.md  src/api/**",
    "",
    "Not read:",
    "  /nowhere/x.md  it does not exist (included by CLAUDE.md)",
    "  /other/plan.md  it is outside this project, and external files are not approved here (included by CLAUDE.md)",
    "",
    "4 files, 2.4 KB, about 606 tokens",
    `Memory folder: ${memory().replaceAll(root, "")}`,
    "To include files from outside this folder: keelson instructions approve",
    "",
  ]);
});

test("list --for includes the files read along with a file", async () => {
  project();
  const { lines } = await keelson("instructions", "list", "--for", "src/api/a.ts");
  expect(lines.slice(5, 8).map((line) => line.replaceAll(/ {2,}/g, "  "))).toEqual([
    "5  .claude/rules/api.md  project  7 B  ~2  src/api/** matches src/api/a.ts",
    "6  src/CLAUDE.md  project  7 B  ~2  in a parent folder of src/api/a.ts",
    "",
  ]);
});

test("list --json prints the same as JSON", async () => {
  put(root, "project/CLAUDE.md", "Hello @b.png");
  put(root, "project/b.png", "");
  const { out } = await keelson("instructions", "list", "--json");
  expect(JSON.parse(out)).toEqual({
    cwd: join(root, "project"),
    files: [
      {
        path: join(root, "project/CLAUDE.md"),
        kind: "Project",
        reason: "session_start",
        bytes: 12,
        tokens: 3,
      },
    ],
    waiting: [],
    leftOut: [
      {
        path: join(root, "project/b.png"),
        why: "it is not a kind of text file that can be included",
        notable: false,
        parent: join(root, "project/CLAUDE.md"),
      },
    ],
    memory: memory().replace("~", join(root, "home")),
    bytes: 12,
    tokens: 3,
  });
});

test("list shows files left out by flags, and obeys deny rules for reading", async () => {
  put(root, "home/.claude/CLAUDE.md", "mine");
  put(root, "home/.claude/settings.json", { permissions: { deny: ["Read(./secrets/**)"] } });
  put(root, "project/CLAUDE.md", "@secrets/a.md @open.md");
  put(root, "project/secrets/a.md", "secret");
  put(root, "project/open.md", "open");
  symlinkSync("secrets/a.md", join(root, "project/CLAUDE.local.md"));
  const bare = await keelson("instructions", "list", "--bare");
  expect(bare.lines.map((line) => line.replaceAll(/ {2,}/g, "  "))).toEqual([
    "No instruction files",
    "",
    "Not read:",
    "  ~/.claude/CLAUDE.md  --bare skips it",
    "  CLAUDE.md  --bare skips it",
    "  CLAUDE.local.md  --bare skips it",
    "",
    "0 files, 0 B, about 0 tokens",
    "Memory is off",
    "",
  ]);
  const { out } = await keelson("instructions", "list", "--json");
  const { files, leftOut } = JSON.parse(out) as { files: { path: string }[]; leftOut: { path: string; why: string }[] };
  expect(files.map(({ path }) => path.slice(root.length))).toEqual([
    "/home/.claude/CLAUDE.md",
    "/project/CLAUDE.md",
    "/project/open.md",
  ]);
  expect(leftOut.map(({ path, why }) => [path.slice(root.length), why])).toEqual([
    ["/project/secrets/a.md", "a rule denies reading it"],
    ["/project/CLAUDE.local.md", "a rule denies reading it"],
  ]);
});

test("approve adds the flag to the file, and --revoke removes it", async () => {
  project();
  const file = put(root, "home/.claude.json", '{\n  // keep me\n  "theme": "dark"\n}\n');
  const given = await keelson("instructions", "approve");
  expect(given).toMatchObject({
    code: 0,
    err: [],
    lines: [
      "Instruction files in /project can now include these files from outside it",
      "  /other/plan.md",
      "Saved in ~/.claude.json",
      "",
    ],
  });
  expect(readFileSync(file, "utf8")).toBe(`{
  // keep me
  "theme": "dark",
  "projects": {
    ${JSON.stringify(join(root, "project"))}: {
      "hasClaudeMdExternalIncludesApproved": true,
      "hasClaudeMdExternalIncludesWarningShown": true,
      "keelsonExternalIncludes": {
        "approved": [
          ${JSON.stringify(join(root, "other/plan.md"))}
        ],
        "refused": []
      }
    }
  }
}
`);
  expect((await keelson("instructions", "list")).out).toContain("/other/plan.md");
  expect((await keelson("instructions", "approve")).lines[0]).toBe(
    "Instruction files in /project can already include these files from outside it",
  );
  expect((await keelson("instructions", "approve", "--revoke")).lines).toEqual([
    "Instruction files in /project can no longer include these files from outside it",
    "  /other/plan.md",
    "Saved in ~/.claude.json",
    "",
  ]);
  writeFileSync(file, "{ broken");
  const refused = await keelson("instructions", "approve");
  expect(refused.code).toBe(1);
  expect(refused.err[0]).toContain("fix it first");
});

test("an unknown subcommand is an error that names the known ones", async () => {
  expect(await keelson("instructions", "show")).toMatchObject({
    code: 1,
    err: [
      "error: unknown command \"instructions show\"; use list or approve\nTo send it as a prompt: keelson -p 'instructions show'",
    ],
  });
  expect((await keelson("instructions")).out).toContain("keelson instructions list --for");
  expect((await keelson("--help")).out).toContain(
    "  instructions  Show which instruction files (CLAUDE.md) the model reads",
  );
});
