// Commands judged by where git would run, and by a shell that is not bash. The commands are text to be judged; none of
// them is ever run.

import type { CommandRow } from "./verdicts-data.ts";
import type { TableSetup } from "../judge.test-support.ts";

const RUNS = "git may run a program set by core.fsmonitor";
const HOOK = "git runs the hook pre-commit";
const NESTED = { looking: RUNS, acting: RUNS };
/** A project with a nested repository that runs programs, one with only hooks, and a harmless one. */
const AROUND = { "/repo/nested": NESTED, "/repo/nested/src": NESTED, "/repo/hooked": { acting: HOOK } };
const PLACES: TableSetup = { git: AROUND };
const IN_NESTED: TableSetup = { ...PLACES, cwd: "/repo/nested" };
const IN_HOOKED: TableSetup = { ...PLACES, cwd: "/repo/hooked" };
const GIT: TableSetup = {
  ...PLACES,
  allow: ["Bash(git:*)", "Bash(cd:*)", "Bash(env:*)", "Bash(timeout:*)", "Bash(find:*)"],
};
const GIT_IN_NESTED: TableSetup = { ...GIT, cwd: "/repo/nested" };
const UNPACK: TableSetup = {
  ...GIT,
  allow: ["Bash(git:*)", "Bash(tar:*)", "Bash(unzip:*)", "Bash(mv:*)", "Bash(npm:*)"],
};
/** The project's own settings run a program, and the folder is not trusted. */
const UNTRUSTED: TableSetup = { git: { "/repo": { looking: RUNS } } };
const OTHER: TableSetup = { shell: "other", git: {} };
const OLD: TableSetup = { shell: "old bash", git: {} };
/** Bash 3.2 runs the `touch` in these, which newer versions take for text. */
const MISREAD = [
  'echo "$(case x in x) echo "; touch m; echo ";; esac)"',
  'echo "$(cat <<\'E\'\n)"; touch m; echo "\nE\n)"',
  "echo \"$(cat <<'E'\n)$(touch m)\nE\n)\"",
  'echo "$(echo a # )"; touch m; echo "\n)"',
];

/** Read-only commands, in every form people type them. */
const LOOKS = [
  "git status",
  "git status --short",
  "git log --oneline -5",
  "git diff",
  "git diff --stat HEAD",
  "git show HEAD",
  "git branch -a",
  "git blame a.ts",
  "git --no-pager log",
  "git ls-files | wc -l",
  "ls && git status",
];

export const MUST_RUN: readonly CommandRow[] = [
  ["text that only bash 3.2 would run", { git: {} }, MISREAD],
  [
    "commands that bash 3.2 reads the same way",
    { ...OLD, allow: ["Bash(git commit:*)"] },
    [
      "ls -la",
      'echo "$(date +%s) $(basename "$(pwd)")"',
      'echo "$(echo "a (b" \')\')"',
      "git commit -m \"$(cat <<'EOF'\nfix (a): b\n\nText.\nEOF\n)\"",
      "cat <<'E'\nit's )\nE",
      "git commit -F - <<'EOF'\ndon't\nEOF",
      "ls # it's )",
    ],
  ],
  ["git here", PLACES, LOOKS],
  ["git in a folder of the project", { ...PLACES, cwd: "/repo/src" }, LOOKS],
  ["git in a repository with hooks only", IN_HOOKED, LOOKS],
  [
    "git after cd",
    PLACES,
    [
      "cd src && git status",
      "cd src && git diff | head",
      "cd /repo && git log",
      "cd src; cd deep; git status",
      "cd hooked && git log",
    ],
  ],
  [
    "allowed git",
    GIT,
    [
      "git commit -m x",
      "git -C src status",
      "git -C /repo add .",
      "cd src && git add .",
      "git --git-dir=.git log",
      "timeout 5 git fetch",
      "git init x",
    ],
  ],
  [
    "allowed git next to other commands",
    { ...UNPACK, files: [] },
    [
      "tar xf a.tar && git status",
      "mv a b && git add b",
      "npm test && git add -A",
      "cd src && npm test && git commit -am x",
    ],
  ],
  [
    "allowed git in an untrusted folder",
    { ...UNTRUSTED, allow: ["Bash(git:*)"] },
    ["git commit -m x", "git status", "git push"],
  ],
  [
    "everything else in a nested repository",
    IN_NESTED,
    ["ls -la", "cat README.md", "grep -rn git .", "echo git status", "cat .gitignore"],
  ],
  ["all of Bash is allowed", { ...OTHER, allow: ["Bash"] }, ["ls", "path=./d; ls", "npm test"]],
  ["bypass, another shell", { ...OTHER, mode: "bypassPermissions" }, ["ls", "npm test", "=ls"]],
];

export const MUST_ASK: readonly CommandRow[] = [
  ["text that bash 3.2 would run", OLD, MISREAD],
  [
    "other names than bash 3.2 reads",
    { ...OLD, allow: ["Bash(git commit:*)"] },
    ["cat $'\\u0061'", "cat $'\\\"'", "git commit -m \"$(cat <<'EOF'\ndon't\nEOF\n)\""],
  ],
  ["a nested repository, entered before", IN_NESTED, LOOKS],
  ["a nested repository, a folder of it", { ...PLACES, cwd: "/repo/nested/src" }, LOOKS],
  [
    "a nested repository, entered now",
    PLACES,
    [
      "cd nested && git status",
      "cd nested; git log",
      "cd src; cd ../nested; git diff",
      "cd src && cd .. && cd nested && git show",
      "cd ./nested/ && git status",
      "cd nested/src && git status",
      "cd 'nested' && git status",
      "cd nes\\ted && git status",
      "cd /repo/nested && git log | head -5",
      "if cd nested; then git status; fi",
      "git status; cd nested; git status",
      "cd nested/src/../. && git status",
    ],
  ],
  [
    "a nested repository, with rules that allow git",
    GIT,
    [
      "git -C nested status",
      "git -C ./nested log",
      "git -C src -C ../nested status",
      "git --git-dir=nested status",
      "git --git-dir nested status",
      "git --work-tree=nested status",
      "cd nested && git commit -m x",
      "cd hooked && git commit -m x",
      "timeout 5 git -C nested status",
      "/usr/bin/git -C nested status",
      "cd nested && timeout 5 git status",
    ],
  ],
  [
    "a nested repository, with rules, entered before",
    GIT_IN_NESTED,
    ["git status", "git commit -m x", "git fetch", "timeout 5 git status", "git init sub", "git gc"],
  ],
  [
    "a repository with hooks, with rules",
    { ...GIT, cwd: "/repo/hooked" },
    ["git commit -m x", "git push", "git merge x"],
  ],
  [
    "a folder that the text does not show",
    GIT,
    [
      'cd "$D" && git status',
      "cd */ && git status",
      "cd - && git status",
      "cd -P link && git status",
      'git -C "$D" status',
      'for d in a b; do git -C "$d" pull; done',
      "git -C link/.. status",
      "git --git-dir=link/../x status",
      "env --chdir=nested git status",
      "env -Cnested git status",
      "find . -maxdepth 1 -execdir git status ';'",
    ],
  ],
  [
    "a repository the command may create",
    UNPACK,
    [
      "tar xf a.tar && cd a && git status",
      "unzip a.zip && cd a && git log",
      "mv evil src && cd src && git status",
      "tar xf a.tar -C src && git -C src commit -m x",
      "cd src && tar xf ../a.tar && git status",
    ],
  ],
  [
    "the same for a session in another folder",
    { ...UNPACK, cwd: "/repo/src" },
    ["tar xf a.tar && git status", "unzip -o a.zip; git diff"],
  ],
  [
    "home, where a bare cd leads",
    { git: { "/home/me": NESTED } },
    ["cd && git status", "cd; git log", "cd ~ && git status"],
  ],
  ["the project's own settings, untrusted", UNTRUSTED, LOOKS],
  [
    "a shell other than bash",
    OTHER,
    [
      "ls",
      "pwd",
      "cat a.txt",
      "git status",
      "echo hello",
      "true",
      "path=./d; ls",
      "functions=(ls 'touch x')",
      "[ -t x ]",
      "echo a >! b",
      "=ls",
      "ls *(e:'touch x':)",
      "cd src",
    ],
  ],
  [
    "another shell, with rules by text",
    { ...OTHER, allow: ["Bash(npm:*)", "Bash(ls:*)", "Bash(git status)"] },
    ["npm test", "ls -la", "git status"],
  ],
  ["another shell, edits accepted", { ...OTHER, mode: "acceptEdits" }, ["mkdir x", "touch a", "rm a"]],
  [
    "another shell, a deny rule",
    { ...OTHER, mode: "bypassPermissions", deny: ["Bash(rm:*)"] },
    ["=rm x", "ls", "echo x"],
  ],
  ["another shell, a denied file", { ...OTHER, allow: ["Bash"], deny: ["Read(.env)"] }, ["cat =(<.env)", "ls"]],
];

export const MUST_DENY: readonly CommandRow[] = [
  ["text that bash 3.2 would run", { ...OLD, mode: "bypassPermissions", deny: ["Bash(touch:*)"] }, MISREAD],
  [
    "another shell, a deny rule",
    { ...OTHER, mode: "bypassPermissions", deny: ["Bash(rm:*)"] },
    ["rm x", "ls; rm -rf x"],
  ],
  ["another shell, no questions", { ...OTHER, mode: "dontAsk" }, ["ls", "git status"]],
];
