import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseRule, type Rule } from "@keelson/engine";
import { decide } from "@keelson/engine/gate";
import { NOTHING_SAID } from "@keelson/protocol";
import { openWorkFolders } from "../machine/work-folders.ts";
import { RuleBook } from "./rule-book.ts";
import { rulesAt, rulesInReach, type FolderCopy } from "./rule-reach.ts";

const copy: FolderCopy = { from: ["/h/repo"], to: "/h/repo/.claude/worktrees/x" };
const rule = (behavior: Rule["behavior"], content?: string, base = "/h/repo", tool = "Edit"): Rule => ({
  behavior,
  tool,
  ...(content === undefined ? {} : { content }),
  source: "userSettings",
  base,
  text: tool,
});
const shown = (rules: readonly Rule[]) => rules.map(({ content, base }) => `${base} ${content}`);
const inside = (rules: readonly Rule[], at = copy, former: readonly string[] = []) =>
  shown(rulesInReach(rules, { home: "/h", directories: [at.to], former, copies: [at], inside: at }));

test.each([
  ["/src/**", ["/h/repo/.claude/worktrees/x /src/**"]],
  ["//h/repo/src/**", ["/h/repo/.claude/worktrees/x /src/**"]],
  ["~/repo/src/**", ["/h/repo/.claude/worktrees/x /src/**"]],
  ["~/repo/src/", ["/h/repo/.claude/worktrees/x /src/"]],
  ["//h/repository/**", ["/h/repo //h/repository/**"]],
  ["//h/*/src/**", ["/h/repo //h/*/src/**"]],
  ["//h/**", ["/h/repo //h/**"]],
  ["~/other/**", ["/h/repo ~/other/**"]],
  ["src/**", ["/h/repo src/**"]],
])("rulesInReach() moves the allow rule %p into the worktree", (content, expected) => {
  expect(inside([rule("allow", content)])).toEqual(expected);
});

test("rulesInReach() leaves rules for commands alone, and what may be read in the checkout still may", () => {
  expect(inside([rule("allow", "/h/repo/x", "/h/repo", "Bash")])).toEqual(["/h/repo /h/repo/x"]);
  expect(inside([rule("allow", "/docs/**", "/h/repo", "Read")])).toEqual([
    "/h/repo /docs/**",
    "/h/repo/.claude/worktrees/x /docs/**",
  ]);
});

test("rulesInReach() keeps deny and ask rules where they were, and adds the worktree", () => {
  const rules = [rule("deny", "/.env"), rule("ask", "//h/repo/x"), rule("deny"), rule("deny", "/x", "/elsewhere")];
  expect(inside(rules)).toEqual([
    "/h/repo /.env",
    "/h/repo //h/repo/x",
    "/h/repo undefined",
    "/elsewhere /x",
    "/h/repo/.claude/worktrees/x /.env",
    "/h/repo/.claude/worktrees/x /x",
  ]);
});

test.each([
  ["//h/*/secret", ["/secret"]],
  ["//h/**/repo/secret", ["/**/repo/secret", "/repo/secret", "/secret"]],
  ["//H/Repo/secret", ["/secret"]],
  ["//h", ["/**"]],
  ["~", ["/**"]],
  ["//h/other/secret", []],
  // About the worktree itself.
  ["//h/repo/.claude/worktrees/x/secret", []],
])("rulesInReach() copies the deny rule %p to worktrees", (content, expected) => {
  const [, ...added] = rulesInReach([rule("deny", content)], {
    home: "/h",
    directories: ["/h/repo"],
    former: [],
    copies: [copy],
  });
  expect(added.map((each) => each.content)).toEqual(expected);
});

test("a copy of several checkouts has the rules of each; one inside another counts in both readings, but allows in one", () => {
  const both = { from: ["/h/repo", "/h/other", "/h/repo/wt"], to: "/h/repo/.claude/worktrees/x" };
  expect(inside([rule("deny", "/.env", "/h/other"), rule("allow", "/src", "/h/other")], both)).toEqual([
    "/h/other /.env",
    "/h/repo/.claude/worktrees/x /src",
    "/h/repo/.claude/worktrees/x /.env",
    "/h/repo /.env",
    "/h/repo/wt /.env",
  ]);
  expect(inside([rule("deny", "//h/repo/wt/.env"), rule("allow", "//h/repo/wt/src")], both)).toEqual([
    "/h/repo //h/repo/wt/.env",
    "/h/repo/.claude/worktrees/x /src",
    "/h/repo/.claude/worktrees/x /.env",
    "/h/repo/.claude/worktrees/x /wt/.env",
  ]);
});

test("a relative rule of a folder below the checkout holds in the same folder of the worktree", () => {
  expect(inside([rule("deny", "config/key")], copy, ["/h/repo/pkg"])).toEqual([
    "/h/repo config/key",
    "/h/repo/pkg /config/key",
    "/h/repo /config/key",
    "/h/repo/.claude/worktrees/x/pkg /config/key",
    "/h/repo/.claude/worktrees/x /config/key",
  ]);
});

test.each([
  [".env", "/p /**/.env"],
  ["./.env", "/p /**/.env"],
  ["dist/", "/p /**/dist/"],
  ["dist/**", "/p /**/dist/**"],
  ["src/*.pem", "/p /src/*.pem"],
  ["**/x", "/p /**/x"],
  ["../x", "/ /x"],
])("rulesAt() says where %p holds", (content, expected) => {
  expect(shown(rulesAt("/p", [rule("deny", content)]))).toEqual([expected]);
});

test("rulesAt() needs no place for rules that have one, and none for what is allowed", () => {
  const placed = ["/x", "//x", "~/x", "~", "!x", "#x", undefined].map((content) => rule("deny", content));
  expect(rulesAt("/p", [...placed, rule("allow", "x"), rule("deny", "x", "/p", "Bash")])).toEqual([]);
  expect(rulesAt("/p", [rule("ask", ".env"), rule("ask", "a/b")], "below").map(({ content }) => content)).toEqual([
    "/a/b",
  ]);
});

/** A small generator, so that a failure can be repeated. */
function randomFrom(seed: number) {
  let state = seed;
  return <T>(list: readonly T[]): T => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return list[(state >>> 8) % list.length]!;
  };
}

const home = realpathSync(mkdtempSync(join(tmpdir(), "reach-")));
afterAll(() => rmSync(home, { recursive: true }));
const repo = join(home, "r");
const TEXTS = [
  ".env",
  "./key",
  "config/key",
  "src/**",
  "/config/key",
  "/a/*",
  "~/r/key",
  `/${repo}/config/**`,
  "../key",
];
const FOLDERS = ["r", "r/a", "r/.claude/worktrees/w", "w", "o", "o/b"].map((name) => join(home, name));
const WORKTREES = ["r/.claude/worktrees/w", "w", "o"].map((name) => join(home, name));
const NAMES = [".env", "key", "config/key", "src/x", "a/key"];
const PATHS = [home, ...FOLDERS].flatMap((folder) => NAMES.map((name) => join(folder, name)));
for (const folder of FOLDERS) mkdirSync(folder, { recursive: true });

test.each(Array.from({ length: 40 }, (_, seed) => seed + 1))(
  "what is denied or asked about never shrinks, whatever folders change (%p)",
  (seed) => {
    const pick = randomFrom(seed * 7_919);
    const rules = Array.from({ length: 4 }, (): Rule => {
      const text = `${pick(["Read", "Edit", "Grep"])}(${pick(TEXTS)})`;
      return { behavior: pick(["deny", "ask"]), ...parseRule(text)!, source: "userSettings", base: repo, text };
    });
    const folders = openWorkFolders(repo, []);
    const { workspace } = folders;
    const nothing = () => undefined;
    const options = {
      mode: "bypassPermissions",
      rules,
      home,
      workspace,
      mayApply: () => true,
      refusal: nothing,
      modeChanged: nothing,
    } as const;
    const ruleBook = new RuleBook({ ...options, warn: nothing });
    const isStopped = (path: string, tool: string) => {
      const use = tool === "Edit" ? "edit" : "read";
      const { directories, cwd } = workspace;
      const question = {
        tool,
        input: {},
        access: { kind: use, path },
        hook: NOTHING_SAID,
        rules: ruleBook.rules,
      } as const;
      const where = { mode: "bypassPermissions", directories, cwd, home, readable: [] } as const;
      return decide({ ...question, ...where }).behavior !== "allow";
    };
    const pairs = PATHS.flatMap((path) => ["Read", "Edit", "Grep"].map((tool) => ({ path, tool })));
    const stopped = () =>
      pairs.filter(({ path, tool }) => isStopped(path, tool)).map(({ path, tool }) => `${tool} ${path}`);
    let before = stopped();
    for (let step = 0; step < 12; step++) {
      const change = pick(["add", "remove", "cd", "enter", "leave", "isolate"]);
      const folder = pick(change === "enter" || change === "isolate" ? WORKTREES : FOLDERS);
      if (change === "add") folders.add([folder]);
      if (change === "remove") folders.remove([folder]);
      if (change === "cd") workspace.move(folder);
      if (change === "enter") {
        folders.moveRoot(folder);
        const made = { from: [repo], to: folder };
        ruleBook.addCopy(made);
        ruleBook.allowIn(made);
      }
      if (change === "leave") {
        folders.moveRoot(repo);
        ruleBook.allowIn(undefined);
      }
      if (change === "isolate") ruleBook.addCopy({ from: [repo], to: folder });
      const now = stopped();
      expect({ step, change, folder, lost: before.filter((pair) => !now.includes(pair)) }).toEqual({
        step,
        change,
        folder,
        lost: [],
      });
      before = now;
    }
  },
);
