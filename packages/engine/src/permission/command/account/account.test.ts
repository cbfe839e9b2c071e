// Our own reading of shell text, and its agreement with the parser. Nothing is run.

import { expect, test } from "bun:test";
import { growth } from "@keelson/testkit";
import { analyseCommand } from "../analysis/command.ts";
import { readAccount } from "./read-script.ts";

const facts = (source: string) => readAccount(source).facts.map((fact) => fact.split("\0"));

test("readAccount() lists the constructs of a command", () => {
  expect(facts("A=1 ls -l 'a b' 2>&1 >out | wc &")).toEqual([
    ["command", "A=1", "ls", "-l", "'a b'", "2>&1", ">out"],
    ["command", "wc"],
    ["pipeline", "2"],
    ["background"],
  ]);
  expect(facts('echo "$(a "b")" ${x:-`c`} $((1 + y))')).toEqual([
    ["command", "a", '"b"'],
    ["substitution", '$(a "b")'],
    ["substitution", "`c`"],
    ["command", "c"],
    ["parameter", "${x:-`c`}"],
    ["arithmetic", "$((1 + y))"],
    ["command", "echo", '"$(a "b")"', "${x:-`c`}", "$((1 + y))"],
  ]);
  expect(facts("cat <<E <<'F'\n$(a)\nE\n$(b)\nF\nls")).toEqual([
    ["command", "cat", "<<E", "<<'F'"],
    ["here-document", "$(a)\n"],
    ["command", "a"],
    ["substitution", "$(a)"],
    ["here-document", "$(b)\n"],
    ["command", "ls"],
  ]);
});

test.each([
  "ls <(a)b",
  "x=(a)b",
  "ls (",
  "ls; )",
  "{ ls; ",
  "if ls; fi",
  "for x in a; ls; done",
  "case x in a ls;; esac",
  "[[ a == b",
  "[[ a == (b ]]",
  "((1)",
  "((ls); ls)",
  "echo $((1))) ",
  "echo ${x",
  "echo ${x:-{a}}",
  "echo ${x y}",
  "echo ${ ls; }",
  "echo $'a",
  "echo `a",
  'echo "a',
  "cat <<E\nx",
  "cat <<$x\n$x",
  "cat <<E $(\nls)\nE\n)",
  "ls >",
  "ls > 2>&1",
  "ls &&",
  "ls ;; ls",
  "! ",
  "f()",
  "f() ls",
  "function f ls",
  "a&\\\n&b",
  "$\\\n(a)",
  "i\\\nf a; then b; fi",
  `ls ${"{".repeat(200)}`,
  `${"$(".repeat(60)}ls${")".repeat(60)}`,
])("readAccount() refuses %j", (source) => {
  expect(() => readAccount(source)).toThrow();
});

/** Everything that the parser and our reader must both know, in one text. */
const SCRIPT = `#!/bin/bash
set -euo pipefail
declare -A seen=([a]=1 ["b c"]=2)
list=(one "two three" $(ls) [7]=x)
log() { printf '%s\\n' "$*" >&2; }
function main () {
  local dir=\${1:-.} n=0
  for f in "$dir"/*.{ts,js} ~/x; do
    [[ -f $f && ! ( $f =~ \\.(test|spec)\\.ts$ || $f == *~ ) ]] || continue
    case "\${f##*/}" in
      (a*|b?) n=$((n + 1)) ;;
      *.ts) (( n += \${#f} )) ;;&
      *) : ;;
    esac
  done
  while IFS= read -r line; do echo "\${line//a/b}"; done < <(cat <<EOF | sort
$dir \`date\`
EOF
)
  for ((i=0; i<3; i++)); do log "$i"; done
  if ! diff <(ls a) <(ls b) &>/dev/null; then { echo x; echo y; } 2>&1 | tee log & fi
  until false; do break; done; coproc JOB { cat; }; time -p ls
  exec {fd}>out; echo "\${seen[a]} \${list[@]:1}" >&$fd # done
}
main "$@" || (cd x && ls \\
  -l)
`;

test("a script with almost every construct is read completely", () => {
  const { problem, commands } = analyseCommand(SCRIPT);
  expect(problem).toBeUndefined();
  expect(commands.length).toBeGreaterThan(40);
});

const OPENERS = [
  ...["$[", "$(", "${", "${x:-", "`", "((", "$((", "<(", "{", "{a,", "[[ ", '"', '"$(', "$'", "@(", "x=(", "a["],
  ...[
    "<<a\n",
    "case x in ",
    "if ",
    "f() {",
    "(",
    "{ ",
    "a;",
    "a|",
    "a&&",
    "$x",
    "'",
    "\\",
    "#",
    "*",
    "[",
    "~",
    "=",
    "é",
  ],
];
const CLOSERS: Readonly<Record<string, string>> = {
  "$[": "1]",
  "$(": "a)",
  "${": "a}",
  "${x:-": "a}",
  "`": "a`",
  "((": "1));",
  "$((": "1))",
  "<(": "a) ",
  "[[ ": "a ]];",
  '"': '"',
  '"$(': 'a)"',
  "$'": "a'",
  "@(": "a)",
  "x=(": "a) ",
  "<<a\n": "a\n",
  "case x in ": "a) b;; esac;",
  "if ": "a; then b; fi;",
  "f() {": " a; };",
  "(": "a);",
  "{ ": "a; };",
  "'": "'",
};
const PAIRED = OPENERS.slice(0, 13);
const UNITS = [
  ...OPENERS.flatMap((unit) => ["", "echo ", 'echo "'].map((before) => [before, unit] as const)),
  ...PAIRED.flatMap((one) => PAIRED.map((other) => ["echo ", one + other] as const)),
  ...Object.entries(CLOSERS).map(([open, close]) => ["echo ", open + close] as const),
  ...PAIRED.flatMap((a) => PAIRED.map((b) => ["", `${a}${b}${CLOSERS[b] ?? ""}${CLOSERS[a] ?? ""}`] as const)),
];

test("eight times the text takes about eight times as long, whatever is opened repeatedly", () => {
  const isSlow = ([before, unit]: readonly [string, string]) => {
    const read = (length: number) => analyseCommand(before + unit.repeat(Math.floor(length / unit.length)));
    return growth(read, { from: 1_000, to: 8_000 }) > 30;
  };
  // Garbage collection can fall into one measurement of the several hundred; real growth shows every time.
  const slow = UNITS.filter(isSlow).filter(isSlow).filter(isSlow);
  expect(slow).toEqual([]);
});

test("a long here-document is read, whatever code is in it", () => {
  const code = "const x = `${a}` + $(b) && { [ ( ' \" <<E $[\n".repeat(2_000);
  const { problem, commands } = analyseCommand(`cat > src/a.ts <<'EOF'\n${code}EOF\nls`);
  expect(problem).toBeUndefined();
  expect(commands.map(({ words }) => words.map((word) => word.value))).toEqual([["cat"], ["ls"]]);
});
