// Prefix rules through the real program: options that would run `./evil`, which only leaves a mark, and the everyday
// uses of the same rules. The control at the end shows that the attacks work when everything is allowed.

import { expect, test } from "bun:test";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type ScriptedCall, type TemporaryHome } from "@keelson/testkit";
import { told } from "../front-door.ts";

const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });

const RULES = [
  "git:*",
  "tar:*",
  "sed:*",
  "awk:*",
  "find:*",
  "sort:*",
  "cp:*",
  "xargs tar:*",
  "pip:*",
  "npm:*",
  "openssl:*",
  "sometool:*",
  "* --version",
].map((text) => `Bash(${text})`);

/** Each would run `evil`, or write `mark` itself. */
const ATTACKS = [
  "tar cf a.tar --checkpoint=1 --checkpoint-action=exec=./evil data",
  "tar cf a.tar --checkpoint=1 --checkpoint-a=exec=./evil data",
  "tar cIf ./evil a.tar data",
  "tar cf a.tar data && tar xf a.tar --to-comm=./evil",
  "cp data ./--checkpoint=1; cp data './--checkpoint-action=exec=sh evil'; tar cf a.tar *",
  "sed '1e ./evil' data",
  "sed -n 's/.*/.\\/evil/e' data",
  "sed 'w mark' data",
  "sed -n -e p -e 'w mark' data",
  "awk 'BEGIN { system(\"./evil\") }'",
  "awk 'BEGIN { \"./evil\" | getline }'",
  "awk '{ print > \"mark\" }' data",
  "find data -exec ./evil {} +",
  "find data -fprint mark",
  "sort -o mark data",
  "sort data --outp=mark",
  "sort --compress-prog=./evil -S 1k big",
  "git rebase -x ./evil HEAD~1",
  "git rebase --exe=./evil HEAD~1",
  "git log --output=mark",
  "git diff --output mark HEAD~1",
  "git -c alias.x='!./evil' x",
  "git submodule foreach ./evil; git bisect start HEAD HEAD~1; git bisect run ./evil; git bisect reset",
  "git ls-remote --upload-pack=./evil .",
  "git grep -O./evil line",
  "git grep -n5O./evil line",
  "cp data 5; xxd -s -c 5 mark",
  "git difftool -yx ./evil HEAD~1",
  "rg -e -- --pre=./evil data",
  "sh -c ./evil --version",
  "python3 -c 'import os; os.system(\"./evil\")' --version",
  "./evil --version",
];

/** The same for programs that are not on every machine. */
const ELSEWHERE = [
  "pip install /tmp/evil",
  "npm install ../evil",
  "openssl engine dynamic -pre SO_PATH:./evil",
  "sometool --exec ./evil",
  "sometool --plugin=/tmp/evil x",
  "git apply < /tmp/evil",
];

const EVERYDAY = [
  "tar czf a.tgz data && tar tzf a.tgz",
  "sed -i 's/line/row/' data && sed -i 's/row/line/' data",
  "awk '$2 > 1 {print $1}' data",
  "find . -name data",
  "sort -rk1 data",
  "git add data && git commit -q --allow-empty -m 'Use --exec and --output'",
  "git log --oneline -1 && git diff --stat HEAD~1",
  "git rebase HEAD~1",
];

function world(): TemporaryHome {
  const home = temporaryHome({ git: true });
  home.write("evil", "#!/bin/sh\ntouch mark\n");
  chmodSync(join(home.project, "evil"), 0o755);
  home.write("data", "line 1\nline 2\n");
  home.write("big", "line\n".repeat(20_000));
  const git = (...words: string[]) =>
    Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", ...words], {
      cwd: home.project,
      env: { PATH: process.env["PATH"] ?? "", HOME: home.home },
    });
  git("config", "user.name", "a");
  git("config", "user.email", "a@b.c");
  git("add", "data");
  git("commit", "-qm", "one");
  home.write("data", "line 1\nline 2\nline 3\n");
  git("commit", "-qam", "two");
  return home;
}

/** What the model was told about each call. */
async function attempt(home: TemporaryHome, commands: readonly string[], allowed: readonly string[]) {
  await using model = await startMockModel([{ calls: commands.map(bash) }, { text: "done" }]);
  await runKeelson(["-p", "go", "--allowedTools", ...allowed], { home, url: model.url });
  return told(model.requests[1]!).slice(0, commands.length) as readonly { content: string; is_error: boolean }[];
}

test("options that run a program or write a file need approval under a rule for the program", async () => {
  using home = world();
  const attacks = [...ATTACKS, ...ELSEWHERE];
  const answers = await attempt(home, attacks, RULES);
  const asked = /requires approval|may only read files in/;
  const ran = attacks.filter((_, at) => !asked.test(answers[at]!.content));
  expect({ ran, marked: existsSync(join(home.project, "mark")) }).toEqual({ ran: [], marked: false });
});

test("the refusal names the word and the rule that does not cover it", async () => {
  using home = world();
  const commands = ["git rebase -x ./evil HEAD~1", "tar cf a.tar -*", "tar xf a.tar -C /"];
  const answers = await attempt(home, commands, RULES);
  const reasons = [
    "Bash(git:*) does not cover '-x', which can make git run another program, load code or write elsewhere",
    "'-*' may match a file name that tar reads as an option; write './-*' instead",
    "Bash(tar:*) does not cover '/', which is protected or outside the working directories",
  ];
  expect(reasons.filter((reason, at) => !answers[at]!.content.includes(reason))).toEqual([]);
});

/** The commands above that run `evil` where the text shows it, and others that do. */
const RUN_EVIL = [
  ...ATTACKS.filter((command) => command.includes("./evil")),
  "perl -e 'system(\"./evil\")'",
  "python3 -c 'import os; os.system(\"./evil\")'",
  "vim -c '!./evil' -c q data",
  "npx ./evil",
  "GIT_PAGER=./evil git -p log",
  "git <&-x ./evil; sh -c ./evil",
];

test("a rule that denies a program also denies the ways to run it through others", async () => {
  using home = world();
  home.settings({ permissions: { allow: ["Bash"], deny: ["Bash(evil:*)"] } });
  const answers = await attempt(home, RUN_EVIL, ["Read"]);
  const ran = RUN_EVIL.filter((_, at) => !answers[at]!.content.includes("has been denied"));
  expect({ ran, marked: existsSync(join(home.project, "mark")) }).toEqual({ ran: [], marked: false });
});

test("everyday uses of the same rules run", async () => {
  using home = world();
  const answers = await attempt(home, EVERYDAY, RULES);
  expect(EVERYDAY.filter((_, at) => answers[at]!.is_error)).toEqual([]);
});

test("with all of Bash allowed, the same commands leave the mark", async () => {
  using home = world();
  const check = "[ -e mark ] && echo marked; rm -f mark; true";
  const answers = await attempt(
    home,
    ATTACKS.flatMap((command) => [command, check]),
    ["Bash"],
  );
  const failed = ATTACKS.filter((_, at) => !answers[at * 2 + 1]!.content.includes("marked"));
  expect(failed.filter((command) => Bun.which(command.split(" ")[0]!) !== null)).toEqual([]);
});
