// A folder that a rule closes for reading can still be written to: builds and git work, and nothing in it is shown.

import { afterAll, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  utimesSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  type ScriptedCall,
  type TemporaryHome,
} from "@keelson/testkit";
import { ordinaryUserMissing, owned, program, removeCopy, through } from "../as-nobody.ts";
import { CHAT, prompt, STREAM, told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { until } from "../processes.ts";

afterAll(removeCopy);
const shielded = testUnless(confinementMissing(), test);
const SECRET = "open-sesame-4711";
const bash = (command: string, more: object = {}): ScriptedCall => ({ name: "Bash", input: { command, ...more } });

function projectWith(deny: readonly string[], files: Readonly<Record<string, string>>): TemporaryHome {
  const home = temporaryHome();
  home.settings({ permissions: { deny: [...deny], allow: ["Bash"] } });
  for (const [name, text] of Object.entries(files)) {
    const path = join(home.project, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return home;
}

/** What the model reads about each command. They run one after another. */
async function run(home: TemporaryHome, commands: readonly string[], { asNobody = false } = {}) {
  const steps = commands.map((command) => ({ calls: [bash(command)] }));
  await using model = await startMockModel([...steps, { text: "done" }]);
  const ended = await runKeelson(["-p", ...STREAM, "--allowedTools", "Bash", "--", "go"], {
    home: asNobody ? owned(home) : home,
    url: model.url,
    ...(asNobody ? { through, program } : {}),
  });
  expect(ended.code).toBe(0);
  expect(JSON.stringify(model.requests.map(({ body }) => body))).not.toContain(SECRET);
  return model.requests.slice(1).map((request) => String(told(request).at(-1)!.content));
}

const users: readonly (readonly [string, boolean])[] = [
  ["the user of this test", false],
  ...(ordinaryUserMissing() === null ? [["an ordinary user", true] as const] : []),
];

/** `build` of a project, without the name of the folder in the command. */
const BUILD =
  "d=di; mkdir -p ${d}st/assets && echo new >${d}st/old.js && echo two >${d}st/assets/two.js && cat ${d}st/assets/two.js && ls ${d}st";

shielded.each(users)(
  "a build writes into a denied folder, over and beside what is there, as %s",
  async (_, asNobody) => {
    using home = projectWith(["Read(**/dist/**)"], {
      "dist/old.js": SECRET,
      "dist/kept.js": SECRET,
      "dist/assets/one.js": SECRET,
      "packages/a/dist/index.js": SECRET,
      "src/a.ts": "",
    });
    const [built, later, nested] = await run(
      home,
      [
        BUILD,
        "cat di*/old.js di*/*/*; ls -R di*",
        "cd packages/a; d=di; echo n >${d}st/index.js && chmod 755 ${d}st/index.js && ln -s index.js ${d}st/link",
      ],
      { asNobody },
    );
    expect(built).toBe("two\nassets\nold.js");
    expect(later).not.toContain("two");
    expect(nested).not.toContain("Read-only");
    const text = (name: string) => readFileSync(join(home.project, name), "utf8");
    expect(
      ["dist/old.js", "dist/kept.js", "dist/assets/one.js", "dist/assets/two.js", "packages/a/dist/index.js"].map(text),
    ).toEqual(["new\n", SECRET, SECRET, "two\n", "n\n"]);
    expect(lstatSync(join(home.project, "packages/a/dist/index.js")).mode & 0o777).toBe(0o755);
    expect(readlinkSync(join(home.project, "packages/a/dist/link"))).toBe("index.js");
  },
);

shielded("what cannot be done with a denied folder is said with the rule and the way out", async () => {
  using home = projectWith(["Read(./dist/**)"], { "dist/old.js": SECRET });
  const [removed, read, renamed] = await run(home, [
    "rm -r di*t",
    'node -e \'require("fs").readFileSync("di"+"st/old.js")\'',
    'touch new; node -e \'require("fs").renameSync("new","di"+"st/new")\'',
  ]);
  expect(removed).toContain("The deny rule Read(./dist/**) hides 'dist' from commands: it appears empty.");
  expect(removed).toContain("New files in it are kept");
  expect(read).toContain("The deny rule Read(./dist/**) hides 'dist'");
  expect(renamed).toContain("write into it (copy, not rename)");
  expect(readFileSync(join(home.project, "dist/old.js"), "utf8")).toBe(SECRET);
});

shielded("an empty denied folder can be removed and made again", async () => {
  using home = projectWith(["Read(dist/**)"], {});
  mkdirSync(join(home.project, "dist"));
  await run(home, ["d=di; rm -r ${d}st && mkdir ${d}st && echo x >${d}st/a"]);
  expect(readFileSync(join(home.project, "dist/a"), "utf8")).toBe("x\n");
});

shielded(
  "a command in the background writes into a denied folder while it runs, and what it removes is gone",
  async () => {
    using home = projectWith(["Read(dist/**)"], { "dist/old.js": SECRET });
    const file = (name: string) => join(home.project, name);
    const watcher =
      "d=di; echo one >${d}st/one; until [ -e go ]; do sleep 0.01; done; rm ${d}st/one; echo two >${d}st/two; touch wrote; until [ -e end ]; do sleep 0.01; done";
    await using model = await startMockModel([
      { calls: [bash(watcher, { run_in_background: true })] },
      { text: "done" },
      { text: "told" },
    ]);
    await using session = startKeelson([...CHAT, "--allowedTools", "Bash"], { home, url: model.url, stdin: "open" });
    session.send(prompt("go"));
    await until(() => existsSync(file("dist/one")), "nothing was carried");
    writeFileSync(file("go"), "");
    await until(() => existsSync(file("dist/two")) && !existsSync(file("dist/one")), "the change was not carried");
    writeFileSync(file("end"), "");
    session.closeStdin();
    await session.done;
    expect(readFileSync(file("dist/old.js"), "utf8")).toBe(SECRET);
  },
);

shielded("what is carried follows no link, neither one in the denied folder nor one that a command makes", async () => {
  using home = projectWith(["Read(dist/**)"], { "dist/old.js": SECRET, "outside/a": "a", "secret-place/b": SECRET });
  symlinkSync("../outside", join(home.project, "dist/assets"));
  const [answer] = await run(home, [
    "d=di; mkdir ${d}st/assets && echo changed >${d}st/assets/a; ln -s ../secret-place ${d}st/link; mkdir ${d}st/old.js; false",
  ]);
  expect(readFileSync(join(home.project, "outside/a"), "utf8")).toBe("a");
  expect(answer).toContain("dist/assets' could not be kept: a file or link has the name of this folder");
  expect(answer).toContain("dist/old.js' could not be kept");
  expect(readlinkSync(join(home.project, "dist/link"))).toBe("../secret-place");
  expect(readFileSync(join(home.project, "dist/old.js"), "utf8")).toBe(SECRET);
});

shielded("a denied folder with a protected file in it, and one elsewhere, cannot be written to", async () => {
  using home = projectWith(["Read(.vscode/**)", "Read(~/private/**)"], { ".vscode/settings.json": "{}" });
  const elsewhere = join(home.env["HOME"]!, "private");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "key"), SECRET);
  const [inside, outside] = await run(home, ["v=.vs; echo x >${v}code/tasks.json", "p=priv; echo x >~/${p}ate/new"]);
  expect(inside).toContain("Read-only file system");
  expect(outside).toContain("Read-only file system");
  expect(outside).toContain("The deny rule Read(~/private/**) hides");
  expect(existsSync(join(elsewhere, "new"))).toBe(false);
});

/** A repository whose denied files are tracked. */
function repository(): TemporaryHome {
  const files = {
    ".env": SECRET,
    "config/run.sh": SECRET,
    "dist/old.js": SECRET,
    "dist/kept.js": SECRET,
    "src/a.ts": "a",
  };
  const home = projectWith(["Read(.env)", "Read(config/run.sh)", "Read(dist/**)"], files);
  chmodSync(join(home.project, "config/run.sh"), 0o755);
  const yesterday = Date.now() / 1_000 - 86_400;
  for (const name of Object.keys(files)) utimesSync(join(home.project, name), yesterday, yesterday);
  git(home, "init", "-q", "-b", "main");
  git(home, "config", "user.email", "me@example.org");
  git(home, "config", "user.name", "Me");
  git(home, "add", "-A");
  git(home, "commit", "-qm", "one");
  return home;
}

function git({ project, env }: TemporaryHome, ...words: readonly string[]): string {
  const done = Bun.spawnSync(["git", "-c", "safe.directory=*", ...words], { cwd: project, env });
  expect(done.stderr.toString()).toBe("");
  return done.stdout.toString();
}

const ordinary = testUnless(confinementMissing() ?? ordinaryUserMissing(), test);

ordinary("git works around tracked files that are denied, and records nothing about them", async () => {
  using home = repository();
  const answers = await run(
    home,
    [
      "git status --short",
      "echo b >>src/a.ts; touch new; git add -A && git commit -qm two && git status --short",
      "echo c >>src/a.ts; git commit -qam three && git status --short",
      "echo d >>src/a.ts; git stash -q && git stash pop -q && git status --short && git checkout -q -b other",
      "cat .e*; d=di; cat ${d}st/*; head -c 5 con*/run.sh",
    ],
    { asNobody: true },
  );
  expect(answers.slice(0, 4)).toEqual([
    "(Bash completed with no output)",
    "(Bash completed with no output)",
    "(Bash completed with no output)",
    " M src/a.ts",
  ]);
  expect(answers[4]).toContain("Permission denied");
  expect(git(home, "log", "--format=%s", "--name-status")).toBe(
    "three\n\nM\tsrc/a.ts\ntwo\n\nA\tnew\nM\tsrc/a.ts\none\n\nA\t.env\nA\tconfig/run.sh\nA\tdist/kept.js\nA\tdist/old.js\nA\tsrc/a.ts\n",
  );
  expect(git(home, "status", "--short")).toBe(" M src/a.ts\n");
});

ordinary(
  "a build replaces and removes tracked files of a denied folder, and one that adds to them is told",
  async () => {
    using home = repository();
    const [built, added] = await run(
      home,
      [
        "d=di; echo built >${d}st/old.js; rm ${d}st/kept.js; echo new >${d}st/new.js; git add -A",
        "d=di; echo more >>${d}st/old.js",
      ],
      { asNobody: true },
    );
    expect(built).toContain(
      "The deny rule Read(dist/**) hides 'dist' from commands, so git cannot read it. Leave it out:",
    );
    expect(added).toContain(
      "dist/old.js' could not be kept: what was in it before can be replaced as a whole, but not changed",
    );
    const file = (name: string) => join(home.project, "dist", name);
    const text = (name: string) => readFileSync(file(name), "utf8");
    expect([text("old.js"), existsSync(file("kept.js")), text("new.js")]).toEqual(["built\n", false, "new\n"]);
    expect(lstatSync(file("old.js")).mode & 0o777).toBe(0o644);
  },
);

ordinary("a denied file that git does not know yet is not added, and the model reads why", async () => {
  using home = repository();
  home.settings({ permissions: { deny: ["Read(.secret)"], allow: ["Bash"] } });
  writeFileSync(join(home.project, ".secret"), SECRET);
  writeFileSync(join(home.project, "new"), "");
  const [failed, added] = await run(
    home,
    ["git add -A; git status --short", "git add -A -- :/ ':(top,exclude).s*t' && git status --short"],
    { asNobody: true },
  );
  expect(failed).toContain("The deny rule Read(.secret) hides '.secret' from commands, so git cannot read it.");
  expect(added).toBe("A  new\n?? .secret");
});

testUnless(confinementMissing() ?? (process.getuid?.() === 0 ? null : "needs root"), test)(
  "where git cannot be helped, the model reads which rule it was and how to go on, and that works",
  async () => {
    using home = repository();
    const way = /git add -A -- :\/(?: '[^']+')+/;
    await using model = await startMockModel([
      { calls: [bash("echo b >>src/a.ts; git add -A")] },
      (body: any) => ({
        calls: [bash(`cd src; ${way.exec(JSON.stringify(body.messages.at(-1)))![0]} && git commit -qm two`)],
      }),
      { calls: [bash("git add -A -- :/ ':(top,exclude).e*' ':(top,exclude)con*'")] },
      { text: "done" },
    ]);
    const ended = await runKeelson(["-p", ...STREAM, "--allowedTools", "Bash", "--", "go"], { home, url: model.url });
    expect(ended.code).toBe(0);
    const [failed, added, staged] = model.requests.slice(1).map((request) => String(told(request).at(-1)!.content));
    expect(failed).toContain(
      "The deny rule Read(.env) hides '.env' from commands, so git cannot read it. Leave it out:",
    );
    expect(added).toBe("(Bash completed with no output)");
    expect(git(home, "show", "--format=", "--name-status")).toBe("M\tsrc/a.ts\n");
    expect(staged).toContain("git no longer tracks");
    expect(staged).toContain("dist/kept.js");
    expect(staged).toContain("git reset -q HEAD");
  },
);

shielded("what is renamed, linked, closed or changed in place in a denied folder keeps its content", async () => {
  const long = SECRET.repeat(10);
  using home = projectWith(["Read(dist/**)"], {
    "dist/a.js": long,
    "dist/b.js": long,
    "dist/c.js": long,
    "dist/closed/d.js": long,
    "dist/sub/e.js": long,
    "dist/sub/f.js": long,
    "dist/g.js": long,
  });
  const git = (...args: string[]) => Bun.spawnSync(["git", "-C", home.project, ...args], { env: home.env });
  git("init", "-q");
  git("add", "-A");
  const scripts = [
    "cd dist; mv a.js one.js; mv one.js two.js; mv sub other; mv two.js other/three.js",
    "cd dist; ln b.js four.js; git mv c.js five.js; chmod 000 closed; printf x | dd of=g.js conv=notrunc status=none; false",
    "chmod 700 dist/closed; find dist -type f",
  ];
  scripts.forEach((script, at) => writeFileSync(join(home.project, `step-${at}.sh`), script));
  const told = await run(
    home,
    scripts.map((_, at) => `sh ./step-${at}.sh`),
    { asNobody: true },
  );
  if (ordinaryUserMissing() === null)
    expect(told[1]).toContain("g.js' could not be kept: what was in it before can be replaced as a whole");
  const files = readdirSync(join(home.project, "dist"), { recursive: true, encoding: "utf8" })
    .filter((name) => lstatSync(join(home.project, "dist", name)).isFile())
    .toSorted();
  const names = "b.js closed/d.js five.js four.js g.js other/e.js other/f.js other/three.js".split(" ");
  expect(files).toEqual(ordinaryUserMissing() === null ? names : files);
  for (const name of files) expect(readFileSync(join(home.project, "dist", name), "utf8")).toBe(long);
});

shielded("a folder that rules deny for reading and for editing cannot be written to", async () => {
  using home = projectWith(["Read(secrets/**)", "Edit(secrets/**)", "Read(dist/**)", "Write(./dist/kept.js)"], {
    "secrets/key": SECRET,
    "dist/kept.js": SECRET,
    "step.sh": "for f in secrets/key secrets/new dist/kept.js; do echo x > $f; done; ls secrets dist",
  });
  const [told] = await run(home, ["sh ./step.sh"]);
  expect(told).toContain("Read-only file system");
  expect(["secrets/key", "dist/kept.js"].map((name) => readFileSync(join(home.project, name), "utf8"))).toEqual([
    SECRET,
    SECRET,
  ]);
  expect(existsSync(join(home.project, "secrets/new"))).toBe(false);
});
