// Our own state is read-only for commands: the whole configuration folder and our temporary files, wherever they are. What
// steers a session, or a later one, cannot be changed, created, moved, or reached by another name. The real program.

import { afterAll, expect, test } from "bun:test";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import {
  programCommand,
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  type ScriptedCall,
  type TemporaryHome,
} from "@keelson/testkit";
import { ordinaryUserMissing, owned, program, removeCopy, through } from "../as-nobody.ts";
import { answer, CHAT, messagesOf, prompt, resultOf, STREAM, told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";

const shielded = testUnless(confinementMissing(), test);
const sandboxed = testUnless(confinementMissing(["bwrap", "socat"]), test);
const ordinary = testUnless(confinementMissing() ?? ordinaryUserMissing(), test);
const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });
afterAll(removeCopy);

const MARK = "planted-by-a-command";
const ID = "11111111-2222-4333-8444-555555555555";

/** Some of what Keelson reads there, present or not. */
const PRESENT = [
  "keybindings.json",
  "settings.json",
  "CLAUDE.md",
  "history.jsonl",
  `projects/-other/${ID}.jsonl`,
  `projects/-other/memory/MEMORY.md`,
  `file-history/${ID}/0123456789abcdef@v1`,
  `session-env/${ID}/sessionstart-hook-0.sh`,
  "shell-snapshots/snapshot-bash-1-x.sh",
  `tasks/${ID}/1.json`,
  "teams/crew/config.json",
  "teams/crew/inboxes/lead.json",
  "todos/one.json",
  "plans/a-plan.md",
  "plugins/installed_plugins.json",
  "skills/one/SKILL.md",
  "cache/skills/x.json",
  "whatever-comes-next",
];
const ABSENT = [
  "settings.local.json",
  "scheduled_tasks.json",
  "agents/evil.md",
  "commands/evil.md",
  "rules/evil.md",
  "themes/evil.json",
  `projects/-new/${ID}.jsonl`,
  "debug/latest",
];

/** Each gets the path in `$f`, and leaves the mark there if it can. */
const WAYS = {
  append: `echo ${MARK} >> "$f"`,
  create: `mkdir -p "$(dirname "$f")"; echo ${MARK} > "$f"`,
  replace: `echo ${MARK} > mine; mv -f mine "$f"; cp --remove-destination mine "$f"`,
  "replace by a link": `echo ${MARK} > mine; ln -sf "$PWD/mine" "$f"; rm -f "$f" && ln -s "$PWD/mine" "$f"`,
  "hard link": `ln "$f" second && echo ${MARK} >> second; rm -f second`,
  "rename the folder": `d=$(dirname "$f"); mv "$d" "$d.away" && mkdir "$d" && echo ${MARK} > "$f"`,
  "another road": `cd "$(dirname "$f")" && echo ${MARK} >> "/proc/self/root$f"; echo ${MARK} >> "/proc/self/cwd/$(basename "$f")"`,
  "change its mode": `chmod 777 "$f"; touch "$f"; truncate -s 0 "$f"; : > "$f"`,
};

function attack(home: TemporaryHome, folder: string): ScriptedCall {
  const ways = Object.values(WAYS).map((way) => `for f; do (${way}); done 2>/dev/null\n`);
  home.write("attack.sh", [`cd "$(mktemp -d)"\n`, ...ways].join(""));
  const files = [...PRESENT, ...ABSENT].map((name) => `'${join(folder, name)}'`).join(" ");
  return bash(`bash ${join(home.project, "attack.sh")} ${files}; echo attacked`);
}

/** The files that Keelson itself does not write in these sessions. */
const contentOf = (folder: string) =>
  PRESENT.map((name) => {
    const path = join(folder, name);
    return `${name}: ${lstatSync(path).mode.toString(8)} ${readFileSync(path, "utf8")}`;
  });

/** Files with the mark, and links. The transcript of the attack itself has it too. */
const plantedIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(folder, name);
    if (!lstatSync(path).isFile()) return lstatSync(path).isSymbolicLink();
    return !/^projects\/.*project.*\.jsonl$/.test(name) && readFileSync(path, "utf8").includes(MARK);
  });

function fill(home: TemporaryHome, folder: string): void {
  for (const name of PRESENT) home.write(join(folder, name), name.endsWith(".json") ? "{}\n" : `${name}\n`);
  home.write(join(folder, "settings.json"), { permissions: { allow: ["Bash"] } });
}

const PLACES: Readonly<Record<string, (home: TemporaryHome) => { folder: string; cwd?: string }>> = {
  "in the home": (home) => ({ folder: home.configDir }),
  "in the working directory": ({ project }) => ({ folder: join(project, "cfg") }),
  "around the working directory": ({ home }) => ({ folder: join(home, "cfg"), cwd: join(home, "cfg/project") }),
  "behind a link": (home) => {
    mkdirSync(join(home.home, "dotfiles/claude"), { recursive: true });
    symlinkSync("dotfiles/claude", home.configDir);
    return { folder: home.configDir };
  },
};

const USERS = [
  ["the one who runs this", shielded, {}],
  ["an ordinary user", ordinary, { through, program }],
] as const;

for (const [user, it, how] of USERS) {
  it.each(Object.entries(PLACES))(
    `as ${user}: nothing in a configuration folder %s can be changed`,
    async (_, place) => {
      using home = temporaryHome({ git: true });
      const { folder, cwd = home.project } = place(home);
      fill(home, folder);
      mkdirSync(cwd, { recursive: true });
      const call = attack(home, folder);
      const before = contentOf(folder);
      await using model = await startMockModel([{ calls: [call] }, { text: "done" }]);
      const env = folder === home.configDir ? {} : { CLAUDE_CONFIG_DIR: folder };
      const options = { url: model.url, env, cwd, ...how };
      const ended = await runKeelson(["-p", "go", ...STREAM], {
        home: "through" in how ? owned(home) : home,
        ...options,
      });
      expect(resultOf(ended).subtype).toBe("success");
      expect(told(model.requests[1]!)[0].content).toContain("attacked");
      expect(contentOf(folder)).toEqual(before);
      expect(plantedIn(realpathSync(folder))).toEqual([]);
      expect(ABSENT.filter((name) => existsSync(join(folder, name)))).toEqual([]);
    },
  );
}

ordinary(
  "no other process leads an ordinary user out of the shield, not even the one that waits for the command",
  async () => {
    using home = temporaryHome();
    home.settings({ permissions: { allow: ["Bash"] } });
    const out = join(home.configDir, "keybindings.json");
    home.write(
      "look.sh",
      `for p in /proc/[0-9]*; do echo ${MARK} > $p/root${out}; ls $p/fd $p/cwd/; done 2>/dev/null; echo looked`,
    );
    await using model = await startMockModel([
      { calls: [bash("bash look.sh >/dev/null && echo looked")] },
      { text: "done" },
    ]);
    await runKeelson(["-p", "go"], { home: owned(home), url: model.url, through, program });
    expect(told(model.requests[1]!)[0].content).toBe("looked");
    expect(existsSync(out)).toBe(false);
  },
);

sandboxed("nor in the sandbox, also if the folder is in the working directory", async () => {
  using home = temporaryHome({ git: true });
  const folder = join(home.project, "cfg");
  fill(home, folder);
  home.write("cfg/settings.json", { permissions: { allow: ["Bash"] }, sandbox: { enabled: true } });
  const call = attack(home, folder);
  const before = contentOf(folder);
  await using model = await startMockModel([{ calls: [call] }, { text: "done" }]);
  await runKeelson(["-p", "go"], { home, url: model.url, env: { CLAUDE_CONFIG_DIR: folder } });
  expect(told(model.requests[1]!)[0].content).toContain("attacked");
  expect(contentOf(folder)).toEqual(before);
  expect(plantedIn(folder)).toEqual([]);
});

shielded("what links in the configuration folder lead to cannot be changed either, nor created", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["Bash"] } });
  home.write("~/dotfiles/keys.json", "{}\n");
  symlinkSync("../dotfiles/keys.json", join(home.configDir, "keybindings.json"));
  symlinkSync("../dotfiles/later.md", join(home.configDir, "CLAUDE.md"));
  const command = "cd ~; d=dotfiles; echo x >> $d/keys.json; echo x > $d/later.md; mv $d away; true";
  await using model = await startMockModel([{ calls: [bash(command)] }, { text: "done" }]);
  await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect(home.read("~/dotfiles/keys.json")).toBe("{}\n");
  expect(existsSync(join(home.configDir, "CLAUDE.md"))).toBe(false);
  expect(told(model.requests[1]!)[0].content).toContain("later.md', which is protected: it was moved to");
});

shielded("the refusal says why, and an approved command may change it", async () => {
  using home = temporaryHome();
  home.write("build.sh", "echo mine > ~/.claude/keybindings.json\n");
  await using model = await startMockModel([
    { calls: [bash("sh build.sh")] },
    { calls: [{ name: "Bash", input: { command: "sh build.sh now", dangerouslyDisableSandbox: true } }] },
    { text: "done" },
  ]);
  const flags = [...CHAT, "--permission-prompt-tool", "stdio", "--allowedTools", "Bash(sh build.sh)"];
  await using running = startKeelson(flags, { home, url: model.url, stdin: "open" });
  running.send(prompt("go"));
  const { json } = await running.waitForLine(({ request }) => request?.subtype === "can_use_tool");
  const refused = told(model.requests[1]!)[0].content;
  expect(refused).toContain("Read-only file system");
  expect(refused).toContain("Commands cannot change protected paths (the configuration folder");
  running.send(answer(json.request_id, { behavior: "allow" }));
  await running.waitForLine(({ type }) => type === "result");
  running.closeStdin();
  await running.done;
  expect(home.read("~/.claude/keybindings.json")).toBe("mine\n");
});

shielded(
  "a rule for all commands does not lift the protection: a person is asked, and without one the answer is no",
  async () => {
    for (const allows of [true, false]) {
      using home = temporaryHome();
      home.settings({ permissions: { allow: ["Bash"] } });
      home.write("build.sh", "echo mine > ~/.claude/keybindings.json\n");
      const unprotected = { name: "Bash", input: { command: "sh build.sh", dangerouslyDisableSandbox: true } };
      await using model = await startMockModel([{ calls: [unprotected] }, { text: "done" }]);
      const flags = [...CHAT, "--permission-prompt-tool", "stdio"];
      await using running = startKeelson(flags, { home, url: model.url, stdin: "open" });
      running.send(prompt("go"));
      const { json } = await running.waitForLine(({ request }) => request?.subtype === "can_use_tool");
      expect(json.request.decision_reason).toContain("asks to run without the protection");
      running.send(answer(json.request_id, allows ? { behavior: "allow" } : { behavior: "deny", message: "no" }));
      await running.waitForLine(({ type }) => type === "result");
      running.closeStdin();
      await running.done;
      expect(existsSync(join(home.configDir, "keybindings.json"))).toBe(allows);
    }
    using home = temporaryHome();
    home.settings({ permissions: { allow: ["Bash"] } });
    const unprotected = { name: "Bash", input: { command: "touch a", dangerouslyDisableSandbox: true } };
    await using model = await startMockModel([
      { calls: [unprotected] },
      { calls: [bash("touch a")] },
      { text: "done" },
    ]);
    await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
    expect(told(model.requests[1]!)[0].content).toContain("Without that, it runs protected");
    expect(existsSync(join(home.project, "a"))).toBe(true);
  },
);

shielded("our temporary files are read-only too: outputs of tasks, and copies for a crash", async () => {
  using home = temporaryHome({ git: true });
  home.settings({ permissions: { allow: ["Bash"] } });
  const background = { name: "Bash", input: { command: "echo the real output", run_in_background: true } };
  const attack = `cd "$TMPDIR"; for f in claude-*/*/*/tasks/* keelson-*/*; do rm -f $f; ln -sf /etc/passwd $f; echo ${MARK} > $f; mv \${f%/*} away; done; find . -type f | grep -v /away; for d in keelson-*; do echo ${MARK} > $d/new && echo open; done; true`;
  await using model = await startMockModel([{ calls: [background] }, { calls: [bash(attack)] }, { text: "done" }]);
  await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  const said = told(model.requests[2]!)
    .map(({ content }) => content)
    .join("\n");
  expect(said).toContain("Read-only file system");
  expect(said).toMatch(/tasks\/\S+\.output/);
  expect(said).not.toMatch(/^open$/m);
  expect(plantedIn(home.env["TMPDIR"]!)).toEqual([]);
  // Nothing of the session itself is left.
  expect(readdirSync(home.env["TMPDIR"]!).filter((name) => name.startsWith("keelson-"))).toEqual([]);
});

/** A command that runs this program again. Commands do not inherit the key. */
function nested(home: TemporaryHome, words: string, where?: string): string {
  const program = programCommand({ home, program: where }).map((word) => `'${word}'`);
  return `ANTHROPIC_API_KEY=test-key ${program.join(" ")} ${words}`;
}

for (const [user, it, how] of USERS) {
  it(`as ${user}: a Keelson in a command works, continues its own session, and writes nothing into the real state`, async () => {
    using home = temporaryHome({ git: true });
    home.settings({ permissions: { allow: ["Bash"], deny: ["Read(~/.claude/hidden)"] } });
    home.write("~/.claude/hidden", "from commands");
    home.write("~/.claude/CLAUDE.md", "Always whistle.\n");
    home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
    home.write(".claude/settings.json", { permissions: { allow: ["WebSearch"] } });
    const place = { ...(program === undefined || user !== "an ordinary user" ? {} : { where: program }) };
    const inner = (words: string) => nested(home, words, place.where);
    const twice = inner(`-p 'third: go deeper' --allowedTools Bash`);
    await using model = await startMockModel(({ messages }: any) => {
      const text = JSON.stringify(messages.at(-1));
      const all = JSON.stringify(messages);
      if (text.includes("outer prompt"))
        return { calls: [bash(`${inner("-p 'inner prompt'")}; ls ~/.claude/projects | wc -l`)] };
      if (text.includes("inner prompt"))
        return { text: all.includes("Always whistle") ? "first answer" : "no instructions" };
      if (text.includes("second:")) return { text: all.includes("first answer") ? "it remembers" : "it forgot" };
      if (text.includes("third:")) return { calls: [bash(`echo hi > made; ${inner("-p 'fourth: deepest'")}`)] };
      if (text.includes("fourth:")) return { text: "from the bottom" };
      if (text.includes("from the bottom") && !all.includes("outer prompt")) return { text: "from the middle" };
      if (text.includes("first answer")) return { calls: [bash(inner("-p --continue 'second: and now?'"))] };
      if (text.includes("it remembers")) return { calls: [bash(twice)] };
      return { text: "done" };
    });
    const ended = await runKeelson(["-p", "outer prompt", ...STREAM], {
      home: "through" in how ? owned(home) : home,
      url: model.url,
      ...how,
    });
    const said = messagesOf(ended, "user").flatMap(({ message }) => message.content.map(({ content }: any) => content));
    // As root, the second one has no right to a shield of its own, and says so.
    expect(said.map((text) => text.replace(/^warning: commands run without the shield.*\n/, ""))).toEqual([
      "first answer\n1",
      "it remembers",
      "from the middle",
    ]);
    expect(home.read("made")).toBe("hi\n");
    const sessions = readdirSync(home.configDir, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".jsonl"),
    );
    expect(sessions).toHaveLength(1);
    expect(readdirSync(home.env["TMPDIR"]!).filter((name) => name.startsWith("keelson-"))).toEqual([]);
  });
}

shielded("a Keelson in a command has the settings of a trusted folder", async () => {
  using home = temporaryHome({ git: true });
  home.settings({ permissions: { allow: ["Bash"] } });
  home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
  home.write(".claude/settings.json", {
    permissions: { allow: ["Write"] },
    hooks: { SessionStart: [{ hooks: [{ type: "command", command: "echo hooked >> hooks" }] }] },
  });
  const write = { name: "Write", input: { file_path: join(home.project, "made"), content: "by the inner one" } };
  await using model = await startMockModel(({ messages }: any) => {
    const text = JSON.stringify(messages.at(-1));
    if (text.includes("outer prompt")) return { calls: [bash(nested(home, "-p 'inner prompt'"))] };
    return text.includes("inner prompt") ? { calls: [write] } : { text: "done" };
  });
  const ended = await runKeelson(["-p", "outer prompt", ...STREAM], { home, url: model.url });
  const said = messagesOf(ended, "user").flatMap(({ message }) => message.content.map(({ content }: any) => content));
  expect([said, home.read("made"), home.read("hooks")]).toEqual([["done"], "by the inner one", "hooked\nhooked\n"]);
});

test("a variable alone does not move the state of an ordinary session", async () => {
  using home = temporaryHome();
  const elsewhere = join(home.root, "elsewhere");
  await using model = await startMockModel([{ text: "done" }]);
  await runKeelson(["-p", "go"], { home, url: model.url, env: { KEELSON_STATE_DIR: elsewhere } });
  expect([existsSync(elsewhere), existsSync(join(home.configDir, "projects"))]).toEqual([false, true]);
});

shielded("commands can read long results, and two sessions share a home", async () => {
  using home = temporaryHome({ git: true });
  home.settings({ permissions: { allow: ["Bash"] } });
  const lines = 9_000;
  await using model = await startMockModel(({ messages }: any) => {
    const all = JSON.stringify(messages);
    const file = /saved to:? ?['"`\\]*(\/[^\s'"`\\]+tool-results[^\s'"`\\]+)/i.exec(all)?.[1];
    if (!all.includes("tool_result")) return { calls: [bash(`seq 1 ${lines}`)] };
    return all.includes("lines in it") || file === undefined
      ? { text: "done" }
      : { calls: [bash(`echo $(cat '${file}' | wc -l) lines in it`)] };
  });
  const both = await Promise.all([1, 2].map(() => runKeelson(["-p", "go", ...STREAM], { home, url: model.url })));
  for (const ended of both) expect(JSON.stringify(messagesOf(ended, "user"))).toContain(`${lines} lines in it`);
});

shielded("a configuration folder that does not exist cannot be created by a command", async () => {
  using home = temporaryHome();
  const command = "mkdir -p ~/.claude/skills; echo x > ~/.claude/settings.json; true";
  await using model = await startMockModel([{ calls: [bash(command)] }, { text: "done" }]);
  await runKeelson(["-p", "go", "--no-session-persistence", "--allowedTools", "Bash"], { home, url: model.url });
  expect(["skills", "settings.json"].filter((name) => existsSync(join(home.configDir, name)))).toEqual([]);
});
