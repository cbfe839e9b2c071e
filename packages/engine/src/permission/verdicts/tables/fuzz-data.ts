// Commands that test/fuzz found by running them: each was once allowed and did something that was not judged. They are
// text to be judged. None of them is ever run here.

import type { CommandRow } from "./verdicts-data.ts";

export const MUST_ASK: readonly CommandRow[] = [
  [
    "a process substitution after a descriptor",
    {},
    [
      "cat 3<(evil)",
      "ls {fd}<(evil)",
      "[ -f 3<(ls) ]",
      "printf {x}<(rm a)",
      "command -v {PS4}<(>x)",
      "git grep {d}<(rm a)",
    ],
  ],
  [
    "a line continuation inside an operator",
    {},
    [
      "echo $\\\nx",
      "cat $\\\n{x}",
      "echo $\\\n!",
      'cp a $\\\n"b"',
      "tail 2\\\n>&- a",
      "sort a 2\\\n>x",
      "cat <\\\n(evil)",
    ],
  ],
  ["a word that bash expands twice", { mode: "acceptEdits" }, ["ls >&'x$(evil)'", 'ls >&"x\\$(evil)"']],
  [
    "a word right after a closed descriptor",
    { mode: "acceptEdits", allow: ["Bash(git:*)"] },
    ["cat <&-/etc/passwd", "cat <& -/etc/passwd", "git ls-files>&-i", "git <&-push", 'ls 2>&-"x"', "cat 0<&-''/etc/x"],
  ],
  ["a lone dash that is the pattern", {}, ["grep - /etc/passwd", "rg - ../secret", "grep -n - ~/.ssh/id_rsa"]],
  [
    "words that braces leave empty",
    { allow: ["Bash(echo:*)", "Bash(sed:*)"] },
    ["git grep {,}", "echo {,}", "sed -n {,} a", "find {,} -maxdepth 1", "[ -f {,} ]", "date {,}{,}", "cat {,b}"],
  ],
  [
    "outside names that a pattern lists behind a wrapper",
    { allow: ["Bash(printf:*)", "Bash(echo:*)"], links: { "/repo/ln": "/outside" }, files: ["/outside/a", "/etc/x"] },
    ["xargs printf '%s' ln/*", "timeout 5 echo /etc/*", "nice echo ~/*", "echo ln/*"],
  ],
  [
    "a pattern of file names as the value of an option",
    { links: { "/repo/ln": "/outside/a" }, files: ["/repo/b"] },
    ["grep -E -e [a-z]* b", "grep -m 1 -e * b", "rg -e l* b", "sed -n -e l* b", "grep --regexp l* b"],
  ],
  ["a tilde that quotes protect", {}, ["cat ~''/a", 'ls ~"/a"', "cat ~\\/a"]],
  ["a tilde after an equals sign", {}, ["du BASH_ENV=~/x", "git log --oneline PS4=~/x", "cat a=~", "ps IFS=~+"]],
  [
    "a rule for git diff, and files that are not the repository's",
    { allow: ["Bash(git diff:*)", "Bash(git grep:*)"] },
    [
      "git diff --no-index a /etc/passwd",
      "git diff --ws-error-highlight=all a ../secret",
      "git diff --no-index /dev/null ~/.ssh/id_rsa",
      "git grep --no-index x ../secret",
    ],
  ],
  [
    "code for a builtin under a rule for it",
    { allow: ["Bash(printf:*)", "Bash(echo:*)"] },
    ["printf -v 'a[$(rm b)]' 1", "printf -v PATH ./d; echo a", "printf 'a%n' PATH; echo b", "printf * PATH; echo b"],
  ],
];

export const MUST_RUN: readonly CommandRow[] = [
  [
    "a rule for git diff",
    { allow: ["Bash(git diff:*)"] },
    ["git diff --no-index a b", "git diff --ws-error-highlight=all HEAD~3 -- src", "git diff --dirstat main..x"],
  ],
  ["descriptors that are closed", { allow: ["Bash(npm test:*)"] }, ["npm test <&-", "ls 2>&- a", "cat a 3<&- 2>&1"]],
  ["braces that leave nothing empty", { mode: "acceptEdits" }, ["cp a{,.bak}", "ls {a,b}", "cat sub/{x,y}.txt"]],
];
