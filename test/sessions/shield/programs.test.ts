// What runs outside the shield stays what it was: a command can neither replace a program that Keelson, a hook or a server
// uses, nor put another one before it on the PATH. Neither this session nor the next one runs it.

import { expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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
import { ordinaryUserMissing, owned, program, through } from "../as-nobody.ts";
import { CHAT, control, messagesOf, prompt, STREAM, told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";

const shielded = testUnless(confinementMissing(), test);
const ordinary = testUnless(confinementMissing() ?? ordinaryUserMissing(), test);
const users = [
  ["this user", shielded, {}],
  ["an ordinary user", ordinary, { through, program }],
] as const;

const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });
const WRITE: ScriptedCall = { name: "Write", input: { file_path: "guarded.txt", content: "x" } };
const executable = (home: TemporaryHome, path: string, text: string) => {
  const file = home.write(path, text);
  Bun.spawnSync(["chmod", "755", file]);
  return file;
};

/** A home as version managers leave it: programs of the user in folders that come first on the PATH. */
function userHome(): TemporaryHome {
  const home = temporaryHome({ git: true });
  mkdirSync(join(home.home, ".local/bin"), { recursive: true });
  const deny = (who: string) => `#!/bin/sh\ncat >/dev/null\necho 'denied by ${who}' >&2\nexit 2\n`;
  executable(home, "~/.vm/versions/1/bin/by-word", deny("by-word"));
  executable(home, "~/.vm/versions/1/bin/by-exec", deny("by-exec"));
  executable(home, "~/.vm/versions/1/bin/by-argument", deny("by-argument"));
  executable(home, "~/.vm/versions/1/bin/interpreter", '#!/bin/sh\nshift; exec /bin/sh "$@"\n');
  executable(home, "~/.vm/versions/1/bin/server", `#!/bin/sh\necho ran >>"${home.root}/server"\n`);
  executable(home, "~/.vm/versions/1/bin/unused", "#!/bin/sh\n");
  home.write("~/.claude/hooks/check.js", deny("interpreter"));
  symlinkSync("versions/1", join(home.home, ".vm/current"));
  home.settings({
    hooks: {
      PreToolUse: [
        {
          matcher: "Write",
          hooks: [
            { type: "command", command: "FOO=1 by-word --check" },
            { type: "command", command: "by-exec", args: ["--check"] },
            { type: "command", command: "env", args: ["A=1", "by-argument"] },
            { type: "command", command: "interpreter -- ~/.claude/hooks/check.js" },
          ],
        },
      ],
    },
    permissions: { allow: ["Bash", "Grep", "Write"] },
  });
  home.write("~/.claude.json", {
    mcpServers: { one: { command: "sh", args: ["-c", "exec server"], alwaysLoad: true } },
  });
  return home;
}

const pathOf = (home: TemporaryHome) =>
  [
    join(home.home, ".local/bin"),
    join(home.home, "absent/bin"),
    join(home.home, ".vm/current/bin"),
    home.env["PATH"],
  ].join(":");

async function session(
  home: TemporaryHome,
  calls: readonly ScriptedCall[],
  how: object,
  flags: readonly string[] = [],
) {
  await using model = await startMockModel([...calls.map((call) => ({ calls: [call] })), { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], {
    home,
    url: model.url,
    env: { PATH: pathOf(home) },
    ...how,
  });
  const results = model.requests.slice(1).map((request) => told(request).map(({ content }) => content));
  return { ended, results: results.map((each) => JSON.stringify(each)) };
}

const NAMES = "git bash sh rg bwrap socat pdftoppm tmux by-word by-exec by-argument interpreter server keelson cat env";
/** Leaves its name where the test looks, if anything runs it. */
const evil = (home: TemporaryHome) => `#!/bin/sh\n: >"${home.root}/ran-\${0##*/}"\n`;
const DENIALS = ["denied by by-word", "denied by by-exec", "denied by by-argument", "denied by interpreter"];

const VM = "$HOME/.vm/versions/1/bin";
const EVIL = '"$TMPDIR/evil"';
const ATTACKS: readonly (readonly [name: string, command: string])[] = [
  ["plants names in the first folder of the PATH", `for n in ${NAMES}; do /bin/cp ${EVIL} ~/.local/bin/$n; done`],
  [
    "makes a folder that the PATH names",
    `/bin/mkdir -p ~/absent/bin; for n in ${NAMES}; do /bin/cp ${EVIL} ~/absent/bin/$n; done`,
  ],
  ["links names", `for n in ${NAMES}; do /bin/ln -s ${EVIL} ~/.local/bin/$n; done`],
  [
    "replaces the files",
    `for n in by-word by-exec by-argument interpreter server; do /bin/cp ${EVIL} ${VM}/$n; /bin/mv ${EVIL} ${VM}/$n; done`,
  ],
  [
    "removes the files",
    `for n in by-word by-exec by-argument interpreter server; do /bin/rm -f ${VM}/$n; /bin/cp ${EVIL} ${VM}/$n; done`,
  ],
  [
    "appends to the files",
    `for n in by-word by-exec by-argument interpreter server; do /bin/cat ${EVIL} >>${VM}/$n; done`,
  ],
  [
    "writes through a hard link",
    `for n in by-word by-exec by-argument interpreter server; do /bin/ln ${VM}/$n ~/hard-$n; /bin/cat ${EVIL} >~/hard-$n; done`,
  ],
  [
    "replaces the folder",
    `/bin/mv ~/.vm/versions/1 ~/.vm/versions/old; /bin/mkdir -p ${VM}; for n in ${NAMES}; do /bin/cp ${EVIL} ${VM}/$n; done`,
  ],
  [
    "replaces the folder above it",
    `/bin/mv ~/.vm ~/.old; /bin/mkdir -p ~/.vm/current/bin; for n in ${NAMES}; do /bin/cp ${EVIL} ~/.vm/current/bin/$n; done`,
  ],
  [
    "turns the link of a version manager",
    `/bin/mkdir -p ~/.vm/versions/2/bin; for n in ${NAMES}; do /bin/cp ${EVIL} ~/.vm/versions/2/bin/$n; done; /bin/ln -sfn versions/2 ~/.vm/current`,
  ],
  [
    "leaves loops and pipes",
    `for n in ${NAMES}; do /bin/ln -s $n ~/.local/bin/$n; /bin/mkdir -p ~/absent/bin; /usr/bin/mkfifo -m 755 ~/absent/bin/$n; done`,
  ],
  ["takes away the right to run them", `/bin/chmod 644 ${VM}/by-word ${VM}/by-exec ${VM}/interpreter`],
  [
    "waits until the command has ended",
    `(/bin/sleep 0.3; for n in ${NAMES}; do /bin/cp ${EVIL} ~/.local/bin/$n; done) >/dev/null 2>&1 & echo later`,
  ],
];

for (const [who, run, how] of users) {
  run.each(ATTACKS)(`as ${who}: a command %s, and no planted program runs`, async (_, command) => {
    using home = userHome();
    executable(home, "~/evil", evil(home));
    const attack = bash(`/bin/cp ~/evil ${EVIL}; ${command}; true`);
    const first = await session(owned(home), [attack, WRITE, { name: "Grep", input: { pattern: "x" } }], how);
    const next = await session(home, [WRITE], how);

    expect(readdirSync(home.root).filter((name) => name.startsWith("ran-"))).toEqual([]);
    for (const result of [first.results[1]!, next.results[0]!])
      for (const text of DENIALS) expect(result).toContain(text);
    expect(existsSync(join(home.project, "guarded.txt"))).toBe(false);
    // The user's own server ran.
    expect(readFileSync(join(home.root, "server"), "utf8")).toStartWith("ran\n");
  });

  run(`as ${who}: a server that starts while a command has its name planted does not run that`, async () => {
    using home = userHome();
    executable(home, "~/evil", evil(home));
    Bun.spawnSync(["mkfifo", join(home.project, "held")]);
    home.write(
      "plant.sh",
      "for n in server sh; do cp ~/evil ~/.local/bin/$n; done; ls ~/.local/bin; read -r x <held\n",
    );
    await using model = await startMockModel([{ calls: [bash("sh plant.sh")] }, { text: "done" }]);
    const options = { home: owned(home), url: model.url, env: { PATH: pathOf(home) }, ...how };
    await using session = startKeelson([...CHAT], { ...options, stdin: "open" });
    const starts = () => readFileSync(join(home.root, "server"), "utf8").split("\n").length - 1;
    session.send(prompt("go"));
    const planted = join(home.home, ".local/bin/server");
    while (!existsSync(planted)) await Bun.sleep(1);
    const before = starts();
    // The command runs on: what it planted is put away for the start of the server alone.
    session.send(control("again", { subtype: "mcp_reconnect", serverName: "one" }));
    await session.waitForLine(({ type }) => type === "control_response");
    expect(starts()).toBeGreaterThan(before);
    expect(existsSync(planted)).toBe(false);
    writeFileSync(join(home.project, "held"), "on\n");
    await session.waitForLine(({ type }) => type === "result");
    session.closeStdin();
    await session.done;
    expect(readdirSync(home.root).filter((name) => name.startsWith("ran-"))).toEqual([]);
    expect(told(model.requests[1]!)[0].content).toContain("server', which is protected: it was moved to");
  });

  run(`as ${who}: programs that nothing outside the shield uses can be installed, switched and replaced`, async () => {
    using home = userHome();
    executable(home, "~/new", "#!/bin/sh\necho new\n");
    const steps = [
      "cp ~/new ~/.local/bin/eslint && mkdir -p ~/absent/bin && cp ~/new ~/absent/bin/prettier",
      "cp ~/new ~/.vm/versions/1/bin/unused && mv ~/.vm/versions/1/bin/unused ~/.vm/versions/1/bin/used && used",
      "ln -s ~/new ~/.local/bin/tool && ln -sfn ~/.local/bin/eslint ~/.local/bin/tool && tool && eslint && prettier",
      "mkdir ~/.vm/versions/3 && mv ~/.vm/versions/3 ~/.vm/versions/4 && ls ~/.vm/versions",
    ];
    const { results, ended } = await session(owned(home), steps.map(bash), how);
    expect(results).toEqual(['["(Bash completed with no output)"]', '["new"]', '["new\\nnew\\nnew"]', '["1\\n4"]']);
    expect(messagesOf(ended, "result")).toMatchObject([{ is_error: false }]);
    for (const name of [".local/bin/eslint", ".local/bin/tool", "absent/bin/prettier", ".vm/versions/1/bin/used"])
      expect([name, existsSync(join(home.home, name))]).toEqual([name, true]);
  });
}

function commitAll(home: TemporaryHome): void {
  for (const words of ["add .", "commit -qm one"])
    Bun.spawnSync(["git", ...words.split(" ")], { cwd: home.project, env: home.env });
}

/** A PATH with what commands need, in a folder that commands can write; nothing of the system is on it. */
function ownPath(home: TemporaryHome): string {
  const bin = join(home.root, "bin");
  mkdirSync(bin);
  for (const name of ["bash", "sh", "cat", "cp", "env"]) symlinkSync(Bun.which(name)!, join(bin, name));
  return bin;
}

for (const [who, run, how] of users) {
  run(`as ${who}: without the shield, a hook whose program changed denies, and says why`, async () => {
    using home = userHome();
    executable(home, "~/evil", evil(home));
    const PATH = `${join(home.home, ".local/bin")}:${join(home.home, ".vm/current/bin")}:${ownPath(home)}`;
    const open = { ...how, env: { PATH } };
    const plant = bash("for n in by-word by-exec by-argument; do cp ~/evil ~/.local/bin/$n; done");
    const planted = await session(owned(home), [WRITE, plant, WRITE], open);
    expect(planted.ended.stderr).toContain("without the shield");
    for (const text of DENIALS) expect(planted.results[0]).toContain(text);
    expect(planted.results[2]).toContain(
      "was installed while this session was running, so it is not run; restart the session",
    );
    expect(existsSync(join(home.project, "guarded.txt"))).toBe(false);
    expect(readdirSync(home.root).filter((name) => name.startsWith("ran-"))).toEqual([]);
  });

  run(`as ${who}: a git that commands could replace runs behind the shield`, async () => {
    using home = temporaryHome({ git: true });
    home.write("a.txt", "one");
    commitAll(home);
    const seen = join(home.project, "seen");
    const real = join(home.root, "real-git");
    copyFileSync(Bun.which("git")!, real);
    const wrapper = `#!/bin/sh\ngrep -c keelson- /proc/self/mountinfo >>"${seen}"\nexec "${real}" "$@"\n`;
    executable(home, "~/bin/git", wrapper);
    home.settings({ permissions: { allow: ["Bash"] } });
    const hidden = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", "/dev/null", Bun.which("git")!, "--"];
    const { results, ended } = await session(
      owned(home),
      [bash("cat a.txt; touch new.txt")],
      {
        ...how,
        through: [...hidden, ...("through" in how ? how.through : [])],
        env: { PATH: `${join(home.home, "bin")}:/usr/bin:/bin` },
      },
      ["--worktree", "one"],
    );
    expect(results).toEqual(['["one"]']);
    // Git found the new file, so nothing was removed.
    expect([ended.code, ended.signal]).toEqual([0, null]);
    expect(ended.stderr).toContain("was kept: 1 uncommitted file");
    expect(existsSync(join(home.project, ".claude/worktrees/one/new.txt"))).toBe(true);
    // Every run had the mark of the shield among its mounts.
    const counts = readFileSync(seen, "utf8").trim().split("\n");
    expect(counts.length).toBeGreaterThan(2);
    expect(counts.filter((count) => count === "0")).toEqual([]);
  });
}

shielded("root cannot write to the programs that run outside the shield in every session", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["Bash"] } });
  const look = "for n in bwrap git bash sh; do test -w /usr/bin/$n && echo $n; done; echo looked";
  expect((await session(home, [bash(look)], {})).results).toEqual(['["looked"]']);
});

test("the user's hooks take no program from an untrusted folder, whatever its place on the PATH; with trust they do", async () => {
  using home = temporaryHome();
  executable(home, "node_modules/.bin/my-lint", `#!/bin/sh\n: >"${home.root}/ran-my-lint"\n`);
  const hooks = [
    { type: "command", command: "my-lint || true" },
    { type: "command", command: "my-lint", args: [] },
  ];
  home.settings({ hooks: { PreToolUse: [{ matcher: "Write", hooks }] }, permissions: { allow: ["Write"] } });
  const PATH = `${join(home.project, "node_modules/.bin")}:node_modules/.bin:${home.env["PATH"]}`;
  const ran = () => readdirSync(home.root).filter((name) => name.startsWith("ran-"));
  await session(home, [WRITE], { env: { PATH } });
  expect(ran()).toEqual([]);
  rmSync(join(home.project, "guarded.txt"));
  await runKeelson(["trust"], { home });
  await session(home, [WRITE], { env: { PATH } });
  expect(ran()).toEqual(["ran-my-lint"]);
});

const traced = testUnless(
  confinementMissing() ?? ordinaryUserMissing() ?? (Bun.which("strace") ? null : "strace is not installed"),
  test,
);

traced("whatever an ordinary user's session runs outside the shield, a command cannot write to", async () => {
  using home = userHome();
  home.write("a.pdf", "%PDF-1.4\n");
  commitAll(home);
  const trace = join(home.root, "trace");
  const strace = ["strace", "-f", "-qq", "-s", "4096", "-e", "trace=process", "-o", trace, "--"];
  const pages: ScriptedCall = { name: "Read", input: { file_path: "a.pdf", pages: "1-2" } };
  const calls = [bash("cat a.pdf"), WRITE, { name: "Grep", input: { pattern: "x" } }, pages];
  await session(owned(home), calls, { ...how(), through: [...strace, ...through] }, ["--worktree", "one"]);
  const ran = ranOutside(readFileSync(trace, "utf8").split("\n"), Bun.which("bwrap")!);
  const names = ran.map((path) => path.slice(path.lastIndexOf("/") + 1));
  expect(names).toEqual(expect.arrayContaining(["bash", "git", "by-word", "by-exec", "interpreter", "server"]));
  expect(names.some((name) => /^rg\b/.test(name))).toBe(true);

  const list = home.write("~/list", `${ran.join("\n")}\n`);
  const look = `while read -r f; do test -w "$f" && echo "$f"; done <${list}; echo looked`;
  expect((await session(owned(home), [bash(look)], how())).results).toEqual(['["looked"]']);
});

const how = () => ({ through, program });

/** The programs that were started by no process of the shield, of a trace of processes. */
function ranOutside(lines: readonly string[], shield: string): readonly string[] {
  const inside = new Set<string>();
  const found = new Set<string>();
  for (const line of lines) {
    const [, pid = "", rest = ""] = /^(\d+) +(.*)/.exec(line) ?? [];
    const child = /^(?:<\.\.\. )?(?:clone3?|v?fork)\b.* = (\d+)$/.exec(rest)?.[1];
    if (child !== undefined && inside.has(pid)) inside.add(child);
    const path = /^execve\("([^"]+)"/.exec(rest)?.[1];
    if (path === undefined || inside.has(pid) || / = -1 /.test(rest)) continue;
    found.add(path);
    if (path === shield) inside.add(pid);
  }
  return [...found];
}
