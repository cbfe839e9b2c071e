// Explanations, and that they never differ from decisions. The commands here are only judged; nothing runs them.

import { expect, test } from "bun:test";
import { NOTHING_SAID, PERMISSION_MODES, type RuleBehavior } from "@keelson/protocol";
import { analyseCommand } from "../command/analysis/command.ts";
import { commandChecks } from "../command/decide-command.ts";
import { decide, type GateQuestion } from "../decide.ts";
import { explain } from "./explain.ts";
import type { PartExplanation } from "./explain-command.ts";
import { noteOn } from "./explain-rule.ts";
import { parseRule, type Rule } from "../rules/rule.ts";
import { MUST_ASK, MUST_DENY, MUST_RUN } from "../verdicts/tables/verdicts-data.ts";

type Rules = Partial<Record<RuleBehavior, readonly string[]>>;

function rulesOf(rules: Rules): Rule[] {
  return (["deny", "ask", "allow"] as const).flatMap((behavior) =>
    (rules[behavior] ?? []).map((text, at) => ({
      behavior,
      ...parseRule(text)!,
      source: "userSettings",
      base: "/repo",
      file: "/home/me/.claude/settings.json",
      line: at + 1,
      text,
    })),
  );
}

const facts = {
  commandChecks,
  input: {},
  hook: NOTHING_SAID,
  mode: "default",
  directories: ["/repo"],
  cwd: "/repo",
  home: "/home/me",
  readable: [],
} as const;

function command(text: string, rules: Rules = {}, more: Partial<GateQuestion> = {}): GateQuestion {
  const access = { kind: "command", command: text, cwd: "/repo" } as const;
  return { ...facts, tool: "Bash", access, rules: rulesOf(rules), analysis: analyseCommand(text), ...more };
}

function file(kind: "read" | "edit", path: string, rules: Rules = {}, more: Partial<GateQuestion> = {}): GateQuestion {
  return { ...facts, tool: kind === "read" ? "Read" : "Edit", access: { kind, path }, rules: rulesOf(rules), ...more };
}

/** A part in one line: verdict, text, and the rule or what blocks it. */
function line({ verdict, text, rule, obstacles, blockedPath }: PartExplanation): string {
  const why = rule?.text ?? (obstacles.join("; ") || blockedPath);
  return [verdict, text, ...(why === undefined ? [] : [why])].join(" | ");
}

const lines = (question: GateQuestion) => explain(question).command!.parts.map(line);
const ways = (question: GateQuestion) =>
  explain(question).remedies.map(({ updates }) =>
    updates.flatMap((update) => {
      if (update.type === "addRules") return update.rules.map((rule) => `${rule.toolName}(${rule.ruleContent})`);
      return update.type === "setMode" ? [update.mode] : "directories" in update ? update.directories : [];
    }),
  );

const RULES: Rules = {
  deny: ["Bash(rm *)", "Read(.env)"],
  ask: ["Bash(git push *)"],
  allow: ["Bash(git *)", "Bash(npm run *)", "Edit(out/**)"],
};

const COMMANDS = [
  "git status && npm run build",
  "git push && rm x",
  "cat .env",
  "cat < .env > copy",
  "cd /etc && cat passwd",
  "cd sub && git log",
  "echo $(npm run x)",
  "FOO=1 npm run x",
  "npm run x > out/log",
  "sudo npm run x",
  "timeout 5 npm run x",
  "bash -c 'rm -rf y'",
  "find . -name '*.ts' -exec npm run x {} ;",
  "rm -rf /",
  "echo x > .git/hooks/pre-commit",
  "if then",
  "npm run $X",
  "for f in *.ts; do git add $f; done",
  "",
];

test.each(PERMISSION_MODES)("an explanation matches the gate's decision in %s mode", (mode) => {
  for (const text of COMMANDS) {
    for (const rules of [RULES, {}, { allow: ["Bash"] }]) {
      const question = command(text, rules, { mode });
      const { verdict, by } = explain(question);
      const decision = decide(question);
      expect({ text, verdict, by }).toEqual({ text, verdict: decision.behavior, by: decision.by });
    }
  }
});

test("the parts account for the whole, for all verdict tables", () => {
  const strictness = ["allow", "ask", "deny"] as const;
  const unexplained: string[] = [];
  for (const [, setup, texts] of [...MUST_RUN, ...MUST_ASK, ...MUST_DENY]) {
    for (const text of texts) {
      const { links = {}, cwd = "/repo", directories = ["/repo"], mode = "default" } = setup;
      const realPaths = new Map(Object.entries(links));
      const access = { kind: "command", command: text, cwd } as const;
      const question = command(text, setup, { realPaths, cwd, access, directories, mode });
      const { verdict, unasked, command: parts } = explain(question);
      expect({ text, verdict }).toEqual({ text, verdict: decide(question).behavior });
      if (unasked || parts!.problem || parts!.lost || parts!.together || parts!.parts.length === 0) continue;
      const strictest = Math.max(...parts!.parts.map((part) => strictness.indexOf(part.verdict)));
      if (parts!.left === 0 && strictness[strictest] !== verdict) unexplained.push(text);
    }
  }
  expect(unexplained).toEqual([]);
});

test("a compound command is explained part by part, each with the rule that decided it", () => {
  const { verdict, rule, checks, command: parts } = explain(command("git status && git push && rm x", RULES));
  expect({ verdict, rule: rule?.text, parts: parts!.parts.map(line) }).toEqual({
    verdict: "deny",
    rule: "Bash(rm *)",
    parts: ["allow | git status", "ask | git push | Bash(git push *)", "deny | rm x | Bash(rm *)"],
  });
  expect(checks.slice(0, 3)).toEqual([
    { name: "hook refusal", outcome: "passed" },
    { name: "deny rules", outcome: "decided" },
    { name: "ask rules", outcome: "not reached" },
  ]);
});

test("the rule comes with its file and line", () => {
  const { rule } = explain(command("npm run build", RULES));
  expect(rule).toEqual(rulesOf(RULES).find(({ text }) => text === "Bash(npm run *)")!);
});

test("the context of a part is shown", () => {
  const { parts } = explain(command("(a | b) & echo $(c)")).command!;
  expect(parts.map(({ text, within, piped }) => ({ text, within, piped }))).toEqual([
    { text: "a", within: ["background", "subshell"], piped: true },
    { text: "b", within: ["background", "subshell"], piped: true },
    { text: "echo $(c)", within: [], piped: false },
    { text: "c", within: ["substitution"], piped: false },
  ]);
});

test("words are shown without their quotes", () => {
  const [part] = explain(command(`git commit -m "a && rm x"`, RULES)).command!.parts;
  expect({ verdict: part!.verdict, words: part!.words.map(({ value }) => value) }).toEqual({
    verdict: "allow",
    words: ["git", "commit", "-m", "a && rm x"],
  });
});

test.each([
  ["FOO=1 npm run x", "FOO is set before it, and may change what it does"],
  ["(npm run x)", "allow rules do not apply inside a subshell"],
  ["npm run x &", "allow rules do not apply inside a background job"],
  ["npm run $X", "`$X` could be anything"],
  ["npm run x > log", "it writes to log"],
  ["FOO=1 npm run $X", "FOO is set before it, and may change what it does; `$X` could be anything"],
  ["sudo npm run x", "what sudo starts would be allowed on its own, but not through sudo"],
  ["sort -o x y", "without `-o` it would be allowed"],
])("what keeps `%s` from being allowed: %s", (text, obstacle) => {
  const [part] = explain(command(text, RULES)).command!.parts;
  expect({ verdict: part!.verdict, obstacles: part!.obstacles.join("; ") }).toEqual({
    verdict: "ask",
    obstacles: obstacle,
  });
});

test("a part that no rule matches has no other obstacle", () => {
  expect(lines(command("make all", RULES))).toEqual(["ask | make all"]);
});

test("a part is judged in the folders the command may have changed to", () => {
  expect(lines(command("cd /etc && cat passwd"))).toEqual(["ask | cd /etc | /etc", "ask | cat passwd | /etc/passwd"]);
});

test("parts that may run, but not together", () => {
  const { verdict, command: parts } = explain(command("cd sub && git status"));
  expect({ verdict, together: parts!.together }).toEqual({ verdict: "ask", together: ["cd sub", "git status"] });
});

test("redirections are separate reads and edits", () => {
  const [part] = explain(command("cat < .env > out/copy", RULES)).command!.parts;
  expect(
    part!.redirections.map(({ kind, paths, verdict, rule }) => ({ kind, paths, verdict, rule: rule?.text })),
  ).toEqual([
    { kind: "read", paths: ["/repo/.env"], verdict: "deny", rule: "Read(.env)" },
    { kind: "write", paths: ["/repo/out/copy"], verdict: "allow", rule: "Edit(out/**)" },
  ]);
});

test("what a wrapper or a shell would start is shown below it", () => {
  const [part] = explain(command("timeout 5 bash -c 'rm -rf y'", RULES)).command!.parts;
  expect(part!.starts.flatMap(({ starts }) => starts).map(line)).toEqual(["deny | rm -rf y | Bash(rm *)"]);
});

test("a command that cannot be read has no parts", () => {
  const { verdict, command: parts } = explain(command("if then"));
  expect({ verdict, parts: parts!.parts, problem: typeof parts!.problem }).toEqual({
    verdict: "ask",
    parts: [],
    problem: "string",
  });
});

test("a path is shown with both its names and the directory that contains it", () => {
  expect(explain(file("read", "link", {}, { realPath: "/etc/passwd" })).path).toEqual({
    use: "read",
    given: "/repo/link",
    real: "/etc/passwd",
    protected: false,
  });
  expect(explain(file("edit", ".git/config")).path).toEqual({
    use: "edit",
    given: "/repo/.git/config",
    real: "/repo/.git/config",
    inside: "/repo",
    protected: true,
  });
});

test("rules that match the call are listed, even if they do not decide", () => {
  const rules = { deny: ["Read(.env)"], ask: ["Read(*.md)"], allow: ["Read(.env)", "Edit(src/**)"] };
  expect(explain(file("read", ".env", rules)).speaking.map(({ behavior, text }) => `${behavior} ${text}`)).toEqual([
    "deny Read(.env)",
    "allow Read(.env)",
  ]);
});

test.each([
  [command("npm test"), [["Bash(npm test)"], ["Bash(npm test *)"]]],
  [
    command("npm test && make"),
    [
      ["Bash(npm test)", "Bash(make)"],
      ["Bash(npm test *)", "Bash(make)"],
    ],
  ],
  [command("echo x > log"), [["Edit(log)"], ["acceptEdits"]]],
  [command("mkdir data"), [["Bash(mkdir data)"], ["acceptEdits"]]],
  [command("npm run $X"), []],
  [command("git push", RULES), []],
  [file("read", "/etc/hosts"), [["Read(//etc/hosts)"], ["Read(//etc/**)"]]],
  [file("edit", "src/a.ts"), [["Edit(src/a.ts)"], ["acceptEdits"]]],
  [file("edit", ".git/config"), []],
  [file("edit", "a[1].ts"), [["acceptEdits"]]],
])("remedies are as narrow as possible, and work (%#)", (question, expected) => {
  expect(ways(question)).toEqual(expected);
});

test("in a mode that asks no one, the question behind the denial is explained, with what would help", () => {
  const question = command("npm test", {}, { mode: "dontAsk" });
  const { verdict, by, unasked } = explain(question);
  expect({ verdict, by, unasked, ways: ways(question)[0] }).toEqual({
    verdict: "deny",
    by: "mode",
    unasked: true,
    ways: ["Bash(npm test)"],
  });
});

test("explaining a long command stays bounded", () => {
  const text = Array.from({ length: 500 }, (_, at) => `make target${at}`).join("; ");
  const { command: parts } = explain(command(text));
  expect({ shown: parts!.parts.length, left: parts!.left }).toEqual({ shown: 100, left: 400 });
});

const TOOLS = ["Agent", "Bash", "Edit", "Grep", "Read", "Skill", "WebFetch", "Write"];

test.each([
  [{ allow: ["Baash(x)"] }, "unknown tool"],
  [{ allow: ["Bash(npm test)", "Bash(npm test)"] }, "repeated"],
  [{ deny: ["Bash(npm *)"], allow: ["Bash(npm run *)"] }, "shadowed"],
  [{ ask: ["Edit(src/**)"], allow: ["Edit(src/lib/**)"] }, "shadowed"],
  [{ deny: ["Bash(npm publish *)"], allow: ["Bash(npm *)"] }, undefined],
  [{ allow: ["Write(src/**)"] }, "never"],
  [{ allow: ["Bash(cd x && npm test)"] }, "never"],
  [{ allow: ["Grep(glob:*.pem)"] }, "never"],
  [{ deny: ["Grep(glob:*.pem)"] }, undefined],
  [{ allow: ["mcp__*"] }, "never"],
  [{ deny: ["mcp__*"] }, undefined],
  [{ allow: ["mcp__server__*"] }, undefined],
  [{ allow: ["Edit(.git/**)"] }, "always asked"],
  [{ allow: ["Bash(ls)"] }, "needless"],
  [{ allow: ["Bash(FOO=1 npm test)"] }, "never"],
  [{ allow: ["Bash(npm test > log)"] }, "never"],
  [{ allow: ["Bash(make $X)"] }, "never"],
  [{ allow: ["Bash(if true)"] }, "never"],
  [{ allow: ["Bash(find * -exec *)"] }, "never"],
  [{ allow: ["Bash(rm -rf /)"] }, "always asked"],
  [{ deny: ["Read(!keep)"] }, "never"],
  [{ allow: ["WebFetch(domain:*.example.com)", "Skill(deploy:*)", "Skill(check)", "Agent(Explore)"] }, undefined],
  [{ allow: ["Bash(ls *)", "Edit(src/**)", "Read(~/notes/**)", "Read(//etc/*)", "Bash", "Edit(/x.ts)"] }, undefined],
  [{ deny: ["Bash(rm -rf *)", "Read(.env)", "Edit(package.json)", "Read(./secrets/**)"] }, undefined],
] as const)("what is odd about rules (%#)", (rules, kind) => {
  const all = rulesOf(rules);
  const ground = { ...facts, rules: all, tools: TOOLS, analyse: analyseCommand };
  const notes = all.flatMap((rule) => noteOn(rule, ground) ?? []);
  expect(notes.map((note) => note.kind)).toEqual(kind === undefined ? [] : [kind]);
});
