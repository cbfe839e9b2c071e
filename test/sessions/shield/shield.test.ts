// The shield: what a command cannot see and cannot change, whatever it is allowed to run. The real program, real
// commands, all of them harmless.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  type ScriptedCall,
  type TemporaryHome,
} from "@keelson/testkit";
import { answer, CHAT, messagesOf, prompt, STREAM, told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { gone, until } from "../processes.ts";

const missing = confinementMissing();
const shielded = testUnless(missing, test);
const SECRET = "open-sesame-4711";
const bash = (command: string, more: object = {}): ScriptedCall => ({ name: "Bash", input: { command, ...more } });

/** Ways to read `.env`, whose name is in `$e`: if it were named, the rules would stop most of them first. */
const WAYS = [
  "cat $e",
  "head -c 100 $e",
  "tail -n 5 $e",
  "less -f $e | cat",
  "more $e",
  "awk '{print}' $e",
  "sed -n p $e",
  "perl -pe 1 $e",
  `python3 -c "print(open('$e').read())"`,
  `node -e "console.log(require('fs').readFileSync('$e', 'utf8'))"`,
  "dd if=$e status=none",
  "cp $e copy; cat copy",
  "tar cf - $e | tar xOf -",
  "gzip -c $e | gunzip",
  "base64 $e | base64 -d",
  "xxd $e | xxd -r",
  "od -c $e",
  "grep -r esame .",
  "grep . $e",
  'while read -r line; do echo "$line"; done < $e',
  'mapfile -t lines < $e; echo "${lines[@]}"',
  'set -a; . ./$e; echo "$KEY"',
  "ln -s $e link; cat link",
  "ln $e hard; cat hard",
  "cat /proc/self/cwd/$e",
  'cat "$PWD/$e"',
  'echo "$(<$e)"',
  "find . -name '.e*' -exec cat {} +",
  'printf "$e" | xargs cat',
  "git diff --no-index /dev/null $e",
  "diff /dev/null $e",
  "strings $e",
  "sort $e",
  "rev $e | rev",
  "tac $e",
  "nl $e",
  "paste $e",
  "openssl enc -base64 -in $e | openssl enc -base64 -d",
  "n=en; cat .${n}v",
  "cat .e*",
  "cat ./sub/../$e",
  "mv $e other; cat other",
  "cat sub/$e",
  "cat sub/../sub/.en[v]",
  "tar czf all.tgz --ignore-failed-read . 2>/dev/null; tar xzOf all.tgz",
  "zip -q - $e | cat",
  "install -m 644 $e mine; cat mine",
  "cat < $e",
  "exec 9< $e; cat <&9",
  "(cd sub && cat ../$e)",
  'bash -c "cat $e"',
  "cat hard-before",
  "cat link-before",
  "cat .git/../$e",
  "mv sub sub2; cat sub2/$e; mv sub2 sub",
];

shielded("with Read(./.env) denied, no command can read it", async () => {
  using home = temporaryHome({ git: true });
  home.settings({ permissions: { allow: ["Bash"], deny: ["Read(./.env)"] } });
  home.write(".env", `KEY=${SECRET}\n`);
  home.write("sub/.env", `KEY=${SECRET}\n`);
  home.write("open.txt", "readable");
  const inProject = { cwd: home.project, env: home.env };
  Bun.spawnSync(["ln", ".env", "hard-before"], inProject);
  Bun.spawnSync(["ln", "-s", ".env", "link-before"], inProject);

  // One at a time: some of them move files.
  const results = await tell(home, [...WAYS.map((way) => [bash(`e=.en; e+=v; ${way}`)]), [bash("cat open.txt")]]);

  const leaks = results.flat().filter((text) => text.includes(SECRET) || text.includes("esame-4711"));
  expect(leaks).toEqual([]);
  const ran = results.flat().filter((text) => !text.startsWith("Permission to use"));
  expect(ran.length).toBeGreaterThan(40);
  expect(results.at(-1)).toEqual(["readable"]);
  expect(readFileSync(join(home.project, ".env"), "utf8")).toBe(`KEY=${SECRET}\n`);
});

shielded("a denied folder is empty to commands, and one that appears later is hidden too", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["Bash"], deny: ["Read(secrets/**)", "Read(**/*.pem)"] } });
  home.write("secrets/key", SECRET);
  const results = await tell(home, [
    [bash("find . -type f | xargs cat; find . -mindepth 2 | wc -l")],
    [bash("mkdir -p deep/er && touch deep/er/a.txt")],
    () => {
      home.write("deep/er/late.pem", SECRET);
      return [bash("n=late; cat deep/er/$n.* deep/er/*.pem; true")];
    },
  ]);
  expect(results.flat().join("\n")).not.toContain(SECRET);
  expect(results[0]).toEqual(["0"]);
});

shielded("a denied file stays denied if the folder above it is moved, whatever moves it", async () => {
  using home = temporaryHome({ git: true });
  home.settings({ permissions: { allow: ["Bash"], deny: ["Read(./conf/deep/key)"] } });
  home.write("conf/deep/key", SECRET);
  const results = await tell(home, [
    [bash("mv conf other")],
    [bash("cat other/deep/key; true")],
    [bash(`python3 -c "import os; os.rename('conf/deep', 'd')"`)],
    [bash("cat d/key; true")],
    [bash("mkdir -p a && mv conf a/ && cat a/conf/deep/key; true")],
    [bash("cat a/conf/deep/key; true")],
    [bash("mv conf/deep/key conf/deep/k2; cat conf/deep/k2; true")],
    [bash("(sleep 0.05; mv conf later) > /dev/null 2>&1 & sleep 0.2; cat later/deep/key; true")],
    [bash("cat later/deep/key; true")],
  ]);
  expect(results.flat().join("\n")).not.toContain(SECRET);
  expect(results[0]).toEqual([expect.stringContaining("a deny rule depends on its name, so it was moved back")]);
  expect(readFileSync(join(home.project, "conf/deep/key"), "utf8")).toBe(SECRET);
});

shielded("paths that run code cannot be changed or created; git and everyday writes work", async () => {
  using home = temporaryHome({ git: true });
  home.settings({ permissions: { allow: ["Bash"] } });
  home.write("~/.bashrc", "# mine\n");
  home.write("here/x.txt", "x");
  const hidden = "p=.; e=echo; ";
  const before = readdirSync(home.project).toSorted();

  const results = await tell(home, [
    [bash(`${hidden} $e evil > .g$''it/hooks/pre-commit; true`)],
    [bash("h=hooks; cp here/x.txt .git/$h/post-checkout; cd .git && cp ../here/x.txt config; true")],
    [bash("cd /; n=.claude; mkdir -p $OLDPWD/$n; cp $OLDPWD/here/x.txt $OLDPWD/$n/settings.json; true")],
    [bash("n=mcp; cp here/x.txt .$n.json")],
    [bash("n=bash; cp here/x.txt ~/.${n}rc; cp here/x.txt ~/.z$''shrc; true")],
    [bash("g=.git; mv $g moved && cp -r moved $g; true")],
    [bash("echo hello > new.txt && mkdir -p a/b && touch a/b/c && echo '{}' > package.json && rm here/x.txt")],
    [bash("git add -A && git commit -qm 'a commit' && git log --format=%s && git stash list && git switch -qc other")],
  ]);

  expect(existsSync(join(home.project, ".git/hooks"))).toBe(false);
  expect(readFileSync(join(home.project, ".git/config"), "utf8")).toContain("[core]");
  expect(existsSync(join(home.project, ".claude"))).toBe(false);
  expect(existsSync(join(home.project, ".mcp.json"))).toBe(false);
  expect(readFileSync(join(home.home, ".bashrc"), "utf8")).toBe("# mine\n");
  expect(existsSync(join(home.home, ".zshrc"))).toBe(false);
  expect(results[3]!.join()).toContain("which is protected: it was moved to");
  expect(results.at(-1)!.join()).toContain("a commit");
  const left = readdirSync(home.project).filter((name) => !name.includes(".set-aside-"));
  expect(left.toSorted()).toEqual([...before, "a", "new.txt", "package.json"].toSorted());
});

shielded("a command stopped at a protected path gets a hint how to proceed, and approval opens it", async () => {
  using home = temporaryHome({ git: true });
  home.settings({ permissions: { allow: ["Bash"] } });
  await using model = await startMockModel([
    { calls: [bash("n=hooks; touch .git/$n/x")] },
    { calls: [bash("mkdir -p .git/hooks && touch .git/hooks/x")] },
    { text: "done" },
  ]);
  const flags = [...CHAT, "--permission-prompt-tool", "stdio"];
  await using program = startKeelson(flags, { home, url: model.url, stdin: "open" });
  program.send(prompt("go"));
  const { json } = await program.waitForLine(({ request }) => request?.subtype === "can_use_tool");
  expect(json.request).toMatchObject({ tool_name: "Bash", decision_reason_type: "safetyCheck" });
  program.send(answer(json.request_id, { behavior: "allow", updatedInput: json.request.input }));
  await program.waitForLine(({ type }) => type === "result");
  program.closeStdin();
  await program.done;
  expect(JSON.stringify(told(model.requests[1]!))).toContain("dangerouslyDisableSandbox: true");
  expect(existsSync(join(home.project, ".git/hooks/x"))).toBe(true);
});

shielded("a process that starts its own session and clears its environment is ended with the rest", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["Bash"] } });
  const [[text]] = (await tell(home, [[bash("env -i setsid sleep 300 & echo $!")]])) as [[string]];
  const pid = Number(text.trim());
  expect(pid).toBeGreaterThan(1);
  await gone(pid);
});

shielded("killed during a command, the program leaves nothing behind", async () => {
  using home = temporaryHome({ git: true });
  home.settings({ permissions: { allow: ["Bash"], deny: ["Read(.env)"] } });
  home.write(".env", SECRET);
  const before = readdirSync(home.project).toSorted();
  await using model = await startMockModel([{ calls: [bash("touch running; sleep 60")] }]);
  await using program = startKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  const project = () => readdirSync(home.project).toSorted();
  await until(() => project().includes("running"));
  expect(project()).toContain(".claude");

  program.kill("SIGKILL");
  const hooks = join(home.project, ".git/hooks");
  await until(() => !project().includes(".claude") && !existsSync(hooks));

  expect(project()).toEqual([...before, "running"].toSorted());
  await until(() => readdirSync(home.env["TMPDIR"]!).every((name) => !name.startsWith("keelson-mask-")));
});

shielded("programs that run commands in one folder at the same time do not disturb each other", async () => {
  using home = temporaryHome({ git: true });
  home.settings({ permissions: { allow: ["Bash"] } });
  const before = readdirSync(home.project).toSorted();
  // The guarded folder exists the whole time, and nothing can be put into it.
  const attempt = "n=.claude; ls -d $n && ! mkdir $n/x 2>&1 && ls -d $n";
  const counted = (messages: any[]) => JSON.stringify(messages).split('"tool_result"').length - 1;
  const step = ({ messages }: any) =>
    counted(messages) < 10 ? { calls: Array(5).fill(bash(attempt)) } : { text: "done" };
  await using model = await startMockModel(Array.from({ length: 24 }, () => step));

  const programs = await Promise.all(
    Array.from({ length: 8 }, () => runKeelson(["-p", "go", ...STREAM], { home, url: model.url })),
  );

  const results = programs.flatMap((ended) =>
    messagesOf(ended, "user").flatMap(({ message }) => message.content.map(({ content }: any) => content)),
  );
  const refused = ".claude\nmkdir: cannot create directory '.claude/x': Read-only file system\n.claude";
  expect(results.map((text) => text.replaceAll(/[‘’]/g, "'"))).toEqual(Array(80).fill(refused));
  expect(readdirSync(home.project).toSorted()).toEqual(before);
  expect(existsSync(join(home.project, ".git/hooks"))).toBe(false);
});

shielded("a program killed beside another takes nothing from it, and the last one leaves nothing behind", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["Bash"] } });
  const step = ({ messages }: any) => {
    const name = JSON.stringify(messages).match(/I am (\w+)/)![1];
    const wait = "until [ -e go ]; do sleep 0.01; done";
    return JSON.stringify(messages).includes("tool_result")
      ? { text: "done" }
      : { calls: [bash(`touch ${name}; ${wait}; n=.claude; mkdir $n/x 2>&1; true`)] };
  };
  await using model = await startMockModel(step);
  const start = (name: string) => startKeelson(["-p", `I am ${name}`, ...STREAM], { home, url: model.url });
  const there = (name: string) => existsSync(join(home.project, name));
  await using first = start("first");
  await until(() => there("first"));
  await using second = start("second");
  await until(() => there("second"));

  first.kill("SIGKILL");
  const killed = await first.done;
  expect([killed.signal, there(".claude")]).toEqual(["SIGKILL", true]);
  // Its reaper cleans up, our own temporary folder last.
  await until(() => readdirSync(home.env["TMPDIR"]!).filter((name) => name.startsWith("keelson-")).length === 1);
  expect(there(".claude")).toBe(true);
  home.write("go", "");
  const ended = await second.done;
  expect(JSON.stringify(messagesOf(ended, "user"))).toContain("Read-only file system");
  expect(there(".claude")).toBe(false);
});

test("where the shield is not available, one warning says so, and only the rules restrict commands", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["Bash"] } });
  const bin = join(home.root, "bin");
  mkdirSync(bin);
  for (const name of ["bash", "sh", "cat", "env", "true"]) {
    Bun.spawnSync(["ln", "-s", Bun.which(name)!, join(bin, name)]);
  }
  await using model = await startMockModel([{ calls: [bash("echo one"), bash("echo two")] }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url, env: { PATH: bin } });
  expect(told(model.requests[1]!).map(({ content }) => content)).toEqual(["one", "two"]);
  if (process.platform === "linux") {
    expect(ended.stderr.match(/without the shield/g)).toHaveLength(1);
    expect(ended.stderr).toContain("bubblewrap");
  }
});

/** Has the model make these calls, one per reply; returns their results. */
async function tell(
  home: TemporaryHome,
  steps: readonly (readonly ScriptedCall[] | (() => readonly ScriptedCall[]))[],
): Promise<string[][]> {
  const script = steps.map((step) => (typeof step === "function" ? () => ({ calls: step() }) : { calls: step }));
  await using model = await startMockModel([...script, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect(messagesOf(ended, "result")).toHaveLength(1);
  return model.requests
    .slice(1)
    .map((request) => told(request).flatMap(({ type, content }) => (type === "tool_result" ? [content] : [])));
}
