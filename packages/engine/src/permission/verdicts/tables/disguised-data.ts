// Words that are not what they look like: an option that is the value of the option before it, an operand that looks
// like an option, a script that looks like a file, a program with another name. Each row under MUST_ASK and MUST_DENY once ran without approval. They are text to
// be judged; none of them is ever run.

import type { CommandRow } from "./verdicts-data.ts";
import type { TableSetup } from "../judge.test-support.ts";

const files = ["/repo/a.txt", "/repo/x.jq"];
const VENV = "/repo/.venv/bin";
const OWN: TableSetup = {
  files,
  mode: "acceptEdits",
  programs: {
    ls: `${VENV}/ls`,
    cp: `${VENV}/cp`,
    timeout: `${VENV}/timeout`,
    git: "/usr/bin/git",
    cat: "/usr/bin/cat",
  },
};
const EDITS: TableSetup = { mode: "acceptEdits", files };
const SED: TableSetup = { allow: ["Bash(sed:*)"], files };

export const MUST_ASK: readonly CommandRow[] = [
  [
    "a list option that is a value, so that git creates a branch or tag",
    { files },
    [
      "git branch --sort --list made",
      "git branch --format --list made",
      "git branch --format --merged made",
      "git branch --format --contains made",
      "git branch --contains HEAD --format --sort -D made",
      "git tag --format --list v1",
      "git tag --sort -l v1",
      "git tag --format --points-at v1",
    ],
  ],
  [
    "an end of options that git does not pass on",
    { files },
    [
      "git stash list -- --output=Makefile",
      "git stash list -p HEAD -- --output=Makefile",
      "git stash show -- --ext-diff",
      "git reflog show -- --output=Makefile",
      "man -k x -- -C evil.conf",
    ],
  ],
  [
    "the same under a rule, and files and logs that git would read",
    { allow: ["Bash(git:*)"], files },
    [
      "git stash list -- --output=Makefile",
      "git reflog show -- --output=Makefile",
      "git archive --add-file=/etc/passwd HEAD",
      "git archive --add-file /etc/passwd HEAD",
      "git bisect replay a.txt",
    ],
  ],
  [
    "options that read elsewhere, write elsewhere, or print keys",
    {
      allow: "babel brew cmake curl glab gpg mysqldump pandoc".split(" ").map((name) => `Bash(${name}:*)`),
      files,
    },
    [
      "babel --config-file /x a.js",
      "brew bundle --file=/x",
      "cmake -S /x -B build",
      "cmake --build /x",
      "cmake -B/x",
      "curl -b /home/me/cookies.txt http://a",
      "curl --cookie ~/x http://a",
      "glab alias set x '!y' --shell",
      "gpg --export-secret-keys",
      "mysqldump --result-file=/x db",
      "mysqldump -T /x db",
      "pandoc /etc/passwd",
      "pandoc -t /x.lua a.md",
      "pandoc -H /etc/passwd a.md",
    ],
  ],
  [
    "an end of options that is a value",
    { files },
    ["jq -n --arg a -- -f x.jq", "jq -n --argjson a -- -L .", "jq --indent -- --rawfile a a.txt '$a'"],
  ],
  ["an end of options before a word that is checked by its place", { files }, ["tput -- init", "TERM=x tput -- reset"]],
  [
    "an output file that looks like an option",
    { files },
    ["xxd a.txt -a", "xxd a.txt -ps", "xxd -c 8 a.txt -b", "xxd -cols -a a.txt", "xxd -- a.txt -a"],
  ],
  [
    "classes of characters that contain what separates",
    { files },
    ["sed 's:[[:space:]]:w x:' a.txt", "sed 's/[[:space:]/]/w x/' a.txt", "sed -n '/[[:a;w x:]/p' a.txt"],
  ],
  [
    "critical removals by another name, by constant input, or by a substitution",
    { mode: "bypassPermissions", files },
    [
      "grm -rf /",
      "sudo grm -rf ~",
      "gtimeout 5 rm -rf /usr",
      "gfind / -delete",
      "linux64 rm -rf /",
      "rimraf /",
      "echo / | xargs rm -rf",
      "xargs rm -rf <<< /usr",
      "printf '%s\\n' /usr x | xargs -n1 rm -r",
      'rm -rf "$(pwd)"',
      "rm -rf `pwd`/*",
      "rm -rf $(git rev-parse --show-toplevel)",
      "rm -rf ${HOME:?}",
      'rm -rf "${HOME%/}/"',
    ],
  ],
  [
    "programs that the PATH finds in a working directory",
    OWN,
    ["ls", "ls -la src", "cat a.txt | ls", "cp a.txt b.txt", "timeout 5 git log", "find . -name x; ls"],
  ],
  ...[EDITS, SED].map((setup): CommandRow => [
    "a script where macOS expects it",
    setup,
    [
      "sed -i '' 's/a/b/w x' a.txt",
      "sed -i '' 'w /etc/x' a.txt",
      "sed -i p w/Users/me/x a.txt",
      "sed -i p '1w/etc/x' a.txt",
      "sed -i p 'r /etc/passwd' a.txt",
      "sed -i p 's/a/b/w x' a.txt",
      "sed -i p 'p;w x' a.txt",
    ],
  ]),
];

export const MUST_DENY: readonly CommandRow[] = [
  [
    "programs under another name, and programs that start others",
    { mode: "bypassPermissions", deny: ["Bash(rm:*)"], files },
    [
      "grm -rf x",
      "rm.exe x",
      "gfind . -delete",
      "gtimeout 5 rm x",
      "genv A=1 rm x",
      "gxargs rm",
      "gstdbuf -o0 grm x",
      "sudo grm x",
      "coreutils rm x",
      "linux64 rm x",
      "x86_64 rm x",
      "tsp rm x",
      "sem rm x",
      "shx rm x",
      "env-cmd rm x",
      "dtach -n s rm x",
      "devbox run -- rm x",
      "pixi run rm x",
      "mamba run -n e rm x",
      "nvm exec 20 rm x",
      "pm2 start rm -- x",
    ],
  ],
  [
    "files that an address names",
    { mode: "bypassPermissions", deny: ["Read(.env)", "Read(//repo/conf/key)"], files },
    [
      "curl file:///repo/.e%6ev",
      "curl file://localhost/repo/.e%6Ev",
      "curl -s FILE:/repo/%2eenv",
      "curl file://localhost/repo/conf/key",
    ],
  ],
  [
    "files that such programs write",
    { mode: "bypassPermissions", deny: ["Edit(a.txt)"], files },
    ["gcp b a.txt", "gtee a.txt", "gsed -i s/a/b/ a.txt"],
  ],
];

export const MUST_RUN: readonly CommandRow[] = [
  [
    "removals that are not critical, and other programs",
    { mode: "bypassPermissions", deny: ["Bash(rmdir:*)"], files },
    [
      "grm -rf dist",
      "echo dist | xargs rm -r",
      "rm -rf $(mktemp -d)",
      "rm -rf ${PWD}/dist",
      "gls",
      "gh pr list",
      "gem x",
    ],
  ],
  [
    "options with their values",
    { files },
    [
      "git branch --sort -committerdate",
      "git branch --list 'feat/*' --format '%(refname)'",
      "git tag --sort -v:refname",
      "git tag -l 'v*' --sort=-v:refname",
      "git stash show --stat -- src",
      "git reflog show -n 5 main",
      "jq --arg x 1 .a a.txt",
      "jq --indent 4 . a.txt",
      "man -k printf",
      "tput cols",
      "xxd -l 64 -c8 a.txt",
      "xxd -ps a.txt",
      "xxd -g1 -s 0x10 a.txt",
      "head -c 20 a.txt | xxd",
    ],
  ],
  [
    "git under a rule",
    { allow: ["Bash(git:*)"], files },
    ["git stash push -m x -- a.txt", "git stash list -p", "git archive --add-file=a.txt HEAD", "git bisect start"],
  ],
  [
    "options that stay here",
    {
      allow: "babel brew cmake curl glab gpg mysqldump pandoc".split(" ").map((name) => `Bash(${name}:*)`),
      files,
    },
    [
      "cmake -S . -B build -DCMAKE_BUILD_TYPE=Debug",
      "cmake --build build -j",
      "curl -b 'sid=1; path=/x' http://a",
      "curl -b cookies.txt -c cookies.txt http://a",
      "glab mr list",
      "gpg --export a",
      "mysqldump db",
      "pandoc -f markdown -t html -s -c style.css a.md -o b.html",
    ],
  ],
  [
    "classes of characters in sed",
    { files },
    ["sed 's/^[[:space:]]*//' a.txt", "sed -n '/^[[:alpha:]_]/p' a.txt", "sed -E 's/[^[:alnum:]]+/-/g;/^$/d' a.txt"],
  ],
  ["programs elsewhere, and builtins", OWN, ["git log", "cat a.txt", "echo x", "mkdir x", "test -f a.txt"]],
  ...["/", "/usr", "/home/me"].map((cwd): CommandRow => [
    "programs of the system and the user in a folder that has all of them",
    { files, cwd, directories: [cwd], programs: { ls: "/usr/bin/ls", rg: "/home/me/.cargo/bin/rg" } },
    ["ls", "rg x"],
  ]),
  ["programs in a working directory that a rule allows", { ...OWN, allow: ["Bash(ls:*)"] }, ["ls -la"]],
  ...[EDITS, SED].map((setup): CommandRow => [
    "files that could be read as a script",
    setup,
    ["sed -i s/a/b/ wiki.md", "sed -i s/a/b/g web/index.ts src/view/w/x.ts", "sed -E -i '' s/a/b/ a.txt"],
  ]),
];
