// How commands are analyzed. They are read, never run.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { analyseCommand, type SimpleCommand } from "./command.ts";
import { isReadOnlyCommand } from "./recent-analyses.ts";
import { everyCommand } from "../files/command-files.ts";

/** Every simple command found, as its unquoted words. */
function found(command: string): string[] {
  const { commands, problem } = analyseCommand(command);
  if (problem !== undefined) return [`? ${problem}`];
  return everyCommand(commands).flatMap(({ words }) =>
    words.length > 0 ? [words.map((word) => word.value).join(" ")] : [],
  );
}

test.each<[string, string[]]>([
  ["rm -rf x", ["rm -rf x"]],
  ["r''m -rf x", ["rm -rf x"]],
  ["$'\\x72\\x6d' -rf x", ["rm -rf x"]],
  ["\\rm x", ["rm x"]],
  ['"rm" x', ["rm x"]],
  ["r\\\nm x", ["rm x"]],
  ["{rm,-rf,x}", ["rm -rf x"]],
  ["a; b && c || d | e", ["a", "b", "c", "d", "e"]],
  ["a &", ["a"]],
  ["(a; (b))", ["a", "b"]],
  ["{ a; }", ["a"]],
  ["f() { a; }", ["a"]],
  ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
  ["for x in $(a); do b; done", ["a", "b"]],
  ["while a; do b; done", ["a", "b"]],
  ["case $(a) in x) b;; esac", ["a", "b"]],
  ["select x in y; do a; done", ["a"]],
  ["coproc a", ["a"]],
  ["time a", ["a"]],
  ["! a", ["a"]],
  ["echo $(a $(b))", ["echo $(a $(b))", "a $(b)", "b"]],
  ["echo `a`", ["echo `a`", "a"]],
  ['echo "$(a)"', ['echo "$(a)"', "a"]],
  ["echo ${x:-$(a)}", ["echo ${x:-$(a)}", "a"]],
  ["echo $((1 + $(a)))", ["echo $((1 + $(a)))", "a"]],
  ["echo {x,$(a)}", ["echo {x,$(a)}", "a"]],
  ["x=$(a)", ["a"]],
  ["x=(1 $(a))", ["a"]],
  ["x[$(a)]=1", ["a"]],
  ["cat <(a) >(b)", ["cat <(a) >(b)", "a", "b"]],
  ["cat <<E\n$(a)\nE", ["cat", "a"]],
  ["cat <<'E'\n$(a)\nE", ["cat"]],
  ["cat <<< $(a)", ["cat", "a"]],
  ["ls > $(a)", ["ls", "a"]],
  ["[[ $(a) == b ]]", ["[[ $(a) == b", "a"]],
  ["if a; then b; fi > $(c)", ["a", "b", "c"]],
  ["sudo -u root rm x", ["sudo -u root rm x", "rm x"]],
  ["env A=1 B=2 rm x", ["env A=1 B=2 rm x", "rm x"]],
  ["env -S 'rm x'", ["env -S rm x", "rm x", "rm x"]],
  ["timeout -s KILL 5 rm x", ["timeout -s KILL 5 rm x", "rm x"]],
  ["nice -n 5 nohup rm x", ["nice -n 5 nohup rm x", "nohup rm x", "rm x"]],
  ["xargs -n1 rm", ["xargs -n1 rm", "rm"]],
  ["command rm x", ["command rm x", "rm x"]],
  ["command -v rm", ["command -v rm"]],
  ["command rm -v x", ["command rm -v x", "rm -v x"]],
  ["busybox rm x", ["busybox rm x", "rm x"]],
  ["bash -c 'rm x; a'", ["bash -c rm x; a", "rm x", "a"]],
  ["bash -lc 'rm x'", ["bash -lc rm x", "rm x"]],
  ["sh -c \"bash -c 'rm x'\"", ["sh -c bash -c 'rm x'", "bash -c rm x", "rm x"]],
  ["sudo sh -c 'rm x'", ["sudo sh -c rm x", "sh -c rm x", "rm x"]],
  ["bash <<< 'rm x'", ["bash", "rm x"]],
  ["bash <<'E'\nrm x\nE", ["bash", "rm x"]],
  ["eval rm x", ["eval rm x", "rm x"]],
  ["trap 'rm x' EXIT", ["trap rm x EXIT", "rm x"]],
  ["watch 'rm x'", ["watch rm x", "rm x", "rm x"]],
  ["find a -exec rm {} +", ["find a -exec rm {} +", "rm a"]],
  ["find a -name x -exec rm {} \\;", ["find a -name x -exec rm {} ;", "rm a/found"]],
  ["find a -delete", ["find a -delete", "rm -r a"]],
])("finds every command in %j", (command, expected) => {
  // `env -S` and `watch` are read twice, once as words and once as text; both readings count.
  const flat = found(command).flatMap((text) => text);
  expect(flat.toSorted()).toEqual(expected.toSorted());
});

test.each([
  ["echo 'x"],
  ["echo $(ls"],
  ["ls )"],
  ["if ls"],
  ["bash -c 'echo \"x'"],
  [`${"(".repeat(400)}ls${")".repeat(400)}`],
  [`echo ${"{".repeat(10_000)}`],
  ["$(".repeat(20_000)],
  [`echo ${"a".repeat(100_001)}`],
  ["ls;".repeat(30_000)],
  [`echo ${"a ".repeat(3_000)}`],
  ["eval ".repeat(12) + "rm x"],
  ["echo a\0b"],
  ["echo a("],
  ["a(b"],
  ["a \\$(b"],
  ["< 2>&1"],
  ["! || ls"],
  ["ls \\"],
  ["cat <<E"],
  ["cat <<'E\nx\nE"],
  ["cat <(ls)#;rm x"],
  ["x=<(ls)"],
  [`watch ${"a ".repeat(500)} rm x`],
  [`${"watch ".repeat(50)} rm x`],
])("reports a command that cannot be read completely: %#", (command) => {
  expect(analyseCommand(command).problem).toBeString();
});

test("analyseCommand() separates words, assignments and redirections", () => {
  const { commands } = analyseCommand(`A=1 echo "a b" $x ~/c *.ts > "o u t" 2>&1 < in`);
  const expected: SimpleCommand = {
    words: [
      { kind: "literal", value: "echo", text: "echo" },
      { kind: "literal", value: "a b", text: '"a b"' },
      { kind: "unknown", value: "$x", text: "$x" },
      { kind: "home", value: "~/c", text: "~/c" },
      { kind: "glob", value: "*.ts", text: "*.ts" },
    ],
    text: 'echo "a b" $x ~/c *.ts',
    assignments: [{ name: "A", value: { kind: "literal", value: "1", text: "1" } }],
    redirections: [
      { kind: "write", target: { kind: "literal", value: "o u t", text: '"o u t"' } },
      { kind: "copy", target: { kind: "literal", value: "1", text: "1" } },
      { kind: "read", target: { kind: "literal", value: "in", text: "in" } },
    ],
    within: [],
    runs: [],
    transparent: false,
    opaque: false,
  };
  expect(commands).toEqual([expected]);
});

test.each([
  ["(a)", "subshell"],
  ["{ a; }", "group"],
  ["f() ( a )", "function"],
  ["a &", "background"],
  ["coproc a", "coproc"],
  ["time a", "time"],
  ["x=$(a)", "substitution"],
] as const)("tells where %s stands", (command, enclosure) => {
  const part = analyseCommand(command).commands.find(({ words }) => words[0]?.value === "a");
  expect(part?.within).toContain(enclosure);
});

test("a here-document printed by a substitution is constant text; any other substitution is unknown", () => {
  const message = (command: string) => analyseCommand(command).commands[0]!.words.at(-1)!;
  expect(message("git commit -m \"$(cat <<'E'\nfix: `a` $(b)\n\nbody\nE\n)\"")).toMatchObject({
    kind: "literal",
    value: "fix: `a` $(b)\n\nbody",
  });
  const others = [
    "$(cat <<E\n$(b)\nE\n)",
    "$(cat <<'E' | sh\nx\nE\n)",
    "$(cat <<'E' y\nx\nE\n)",
    "$(cat <<'E'\nx\nE\nb)",
  ];
  expect(others.map((text) => message(`git commit -m "${text}"`).kind)).toEqual(others.map(() => "unknown"));
});

test("a shell that runs unknown text is marked", () => {
  expect(analyseCommand('bash -c "$X"').commands.map((part) => part.opaque)).toEqual([true]);
  expect(analyseCommand("bash -c 'ls'").commands.map((part) => part.opaque)).toEqual([false]);
});

test("analyseCommand() answers for any text, and never takes a hidden rm for a read-only command", () => {
  const pieces = [
    "ls",
    "rm x",
    " ",
    ";",
    "&&",
    "|",
    "\n",
    "(",
    ")",
    "{",
    "}",
    "$(",
    "`",
    "'",
    '"',
    "\\",
    "<(",
    "<<E",
    "E",
    "$x",
    "${",
    ":=",
    "[[",
    "]]",
    "((",
    "))",
    "if",
    "then",
    "fi",
    "do",
    "done",
    "for",
    "in",
    "case",
    "esac",
    "#",
    "&",
    ">",
    "<",
    "bash -c",
    "eval",
    "=",
    "*",
    "~",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 14 }), (parts) => {
      const command = parts.join(" ");
      const { commands, problem } = analyseCommand(command);
      const programs = everyCommand(commands).map(({ words }) => words[0]?.value);
      if (problem === undefined && programs.includes("rm")) expect(isReadOnlyCommand(command)).toBe(false);
    }),
    { numRuns: 500, seed: 7 },
  );
});
