import { expect, test } from "bun:test";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shielded, until, world } from "./shield.test-support.ts";
import { shieldStatus } from "./status.ts";

shielded(
  "output, exit code, directory, environment, descriptors and process group are the same as without the shield",
  async () => {
    await using w = world();
    mkdirSync(join(w.project, "sub"));
    const result = await w.run("echo one; echo two >&2; cd sub; (exit 5); exit $?");
    expect(result).toEqual({
      text: "one\ntwo\n",
      tail: "",
      size: 8,
      path: null,
      code: 5,
      timedOut: false,
      aborted: false,
      cwd: join(w.project, "sub"),
    });
    const id = (await w.run("id -u; id -g; echo $HOME; cat < /dev/null; echo x > /dev/stderr; test -r /proc/$$/stat"))
      .text;
    expect(id).toBe(`${process.getuid!()}\n${process.getgid!()}\n${w.home}\nx\n`);
  },
);

shielded(
  "what is prepared for the first command changes nothing, and the command finds what is there by then",
  async () => {
    await using w = world({ deny: ["secret"] });
    const seen = () =>
      [w.project, w.home].map((folder) => readdirSync(folder).filter((name) => name !== "shell-snapshots"));
    const before = seen();
    await w.shell.warm();
    expect([seen(), w.warnings]).toEqual([before, []]);
    w.write("secret", "hidden");
    mkdirSync(join(w.project, ".claude"));
    writeFileSync(join(w.project, ".claude", "settings.json"), "{}");
    const { text } = await w.run("cat secret; echo x >.claude/settings.json; echo end");
    expect(text).not.toContain("hidden");
    expect(text).toEndWith("end\n");
    expect(w.read(".claude/settings.json")).toBe("{}");
  },
);

shielded("a shell that is closed while it prepares leaves nothing behind", async () => {
  const w = world();
  const warmed = w.shell.warm();
  await w[Symbol.asyncDispose]();
  await warmed;
  expect(existsSync(w.home)).toBe(false);
});

shielded("a child left with & keeps running and ends with the session", async () => {
  const w = world();
  const { text } = await w.run("sleep 300 & echo $!");
  const pid = Number(text);
  expect((await w.run(`kill -0 ${pid} && echo there`)).text).toBe("there\n");
  await w[Symbol.asyncDispose]();
  const state = await Bun.file(`/proc/${pid}/stat`)
    .text()
    .catch(() => ") Z ");
  expect(state).toContain(") Z ");
});

shielded("a hidden file cannot be read under any name, and is not committed as an empty file", async () => {
  await using w = world({ deny: ["secret"] });
  w.write("secret", "hush");
  linkSync(join(w.project, "secret"), join(w.project, "second-name"));
  symlinkSync("secret", join(w.project, "link"));
  const { text } = await w.run("cat secret second-name link /proc/self/cwd/secret; git init -q; git add secret; true");
  expect(text).not.toContain("hush");
  expect(text).toContain("can only add regular files");
  expect(readFileSync(join(w.project, "secret"), "utf8")).toBe("hush");
});

shielded("a folder that a deny rule names is moved back, so that the rule still finds what is in it", async () => {
  for (const mayChange of [() => false, () => true]) {
    await using w = world({ deny: ["secret/key", "deep/er/**"], mayChange });
    for (const folder of ["secret", "deep/er", "free"]) mkdirSync(join(w.project, folder), { recursive: true });
    w.write("secret/key", "hush");
    const { notes } = await w.run("mv secret other; cat other/key; mv free freed; ls");
    await until(() => !existsSync(join(w.project, ".claude")));
    expect({ notes, names: readdirSync(w.project).toSorted() }).toEqual({
      notes: [expect.stringMatching(/^A command moved '.*\/secret' to '.*\/other'\. .* it was moved back\.$/)],
      names: ["deep", "freed", "secret"],
    });
    expect((await w.run("cat secret/key other/key; true")).text).not.toContain("hush");
  }
});

shielded("the folder where a command runs is never hidden, and a warning says so", async () => {
  await using w = world({ deny: ["../secret-place"] });
  symlinkSync(w.project, join(w.project, "../secret-place"));
  expect((await w.run("pwd; ls")).text).toBe(`${w.project}\n`);
  expect(w.warnings).toEqual([expect.stringContaining("where commands run, so it is not hidden from commands")]);
});

shielded("a replaced protected link is restored, and the replacement is moved aside", async () => {
  await using w = world();
  writeFileSync(join(w.home, "real-rc"), "# mine\n");
  symlinkSync("real-rc", join(w.home, ".bashrc"));
  const { notes } = await w.run("rm ~/.bashrc; echo evil > ~/.bashrc; echo evil >> ~/real-rc; true");
  expect(readlinkSync(join(w.home, ".bashrc"))).toBe("real-rc");
  expect(readFileSync(join(w.home, "real-rc"), "utf8")).toBe("# mine\n");
  expect(notes).toEqual([
    expect.stringContaining("which is protected: it was moved to"),
    expect.stringContaining("To keep the change, run the command again with dangerouslyDisableSandbox: true"),
  ]);
  const aside = readdirSync(w.home).filter((name) => name.includes(".set-aside-"));
  expect(aside.map((name) => readFileSync(join(w.home, name), "utf8"))).toEqual(["evil\n"]);
});

shielded("an approved command may change guarded paths, and parallel commands do not revert that", async () => {
  await using w = world({ mayChange: (id) => id === "approved" });
  const slow = w.run("until [ -e .mcp.json ]; do sleep 0.01; done; echo x > .claude/y");
  await w.run("echo ok > .mcp.json; echo ok > ~/.zshrc", "approved");
  expect((await slow).text).toContain("Read-only file system");
  expect(readFileSync(join(w.project, ".mcp.json"), "utf8")).toBe("ok\n");
  expect(existsSync(join(w.home, ".zshrc"))).toBe(true);
});

shielded("parallel commands share stand-in folders, and the last one removes them", async () => {
  await using w = world();
  const stands = () => existsSync(join(w.project, ".claude"));
  const first = w.run("echo > started; until [ -e go ]; do sleep 0.01; done; echo x > .claude/settings.json");
  const second = await w.run("until [ -e started ]; do sleep 0.01; done; echo x > .claude/a; true");
  expect(second.text).toContain("Read-only file system");
  expect(stands()).toBe(true);
  w.write("go", "");
  expect((await first).text).toContain("Read-only file system");
  await until(() => !stands());
});

shielded("hidesAll() is false if not every denied file can be hidden", async () => {
  await using w = world({ deny: ["secret*"] });
  w.write("secret", "x");
  expect(await w.shell.hidesDenied(w.project)).toBe(true);
  for (let n = 0; n < 401; n++) w.write(`secret-${n}`, "x");
  expect(await w.shell.hidesDenied(w.project)).toBe(false);
  expect(w.warnings.join()).toContain("more than 400");
});

shielded("close() leaves nothing in the temporary folder", async () => {
  const folders = () => readdirSync(tmpdir()).filter((name) => /^keelson-[0-9a-f]{32}$/.test(name));
  const before = new Set(folders());
  const w = world({ deny: ["secret"] });
  await w.run("ls");
  const own = folders().filter((name) => !before.has(name));
  expect(own.length).toBeGreaterThan(0);
  const modesOf = (names: readonly string[]) =>
    names.map((name) => lstatSync(join(tmpdir(), name), { throwIfNoEntry: false })?.mode ?? -1);
  expect(modesOf(own).every((mode) => mode === -1 || (mode & 0o777) === 0o700)).toBe(true);
  expect(modesOf(own.map((name) => join(name, "mask"))).every((mode) => mode === -1 || (mode & 0o777) === 0)).toBe(
    true,
  );
  await w[Symbol.asyncDispose]();
  // The folder is shared, so some of them may be of tests that run beside this one.
  expect(own.filter((name) => !folders().includes(name))).not.toEqual([]);
});

test("without bubblewrap, the reason says how to fix it", async () => {
  expect(await shieldStatus({ path: "/nowhere", platform: "linux" })).toEqual({
    active: false,
    kind: "none",
    reason: "bubblewrap is not installed (install the package bubblewrap)",
  });
  const broken = await shieldStatus({ path: "", platform: "linux", bwrapPath: "/bin/false" });
  expect(broken).toMatchObject({ active: false, reason: expect.stringContaining("cannot be used here") });
});

test("a command is not run while bubblewrap cannot be started for lack of resources", async () => {
  await using w = world({
    bwrap: "echo 'bwrap: Creating new namespace failed: Resource temporarily unavailable' >&2; exit 1",
  });
  w.write("a.txt", "x");
  const refused = w.run("cp a.txt b.txt");
  expect(refused).rejects.toThrow(/The command was not run, because it could not be shielded: .*ulimit -u/);
  await refused.catch(() => {});
  expect(existsSync(join(w.project, "b.txt"))).toBe(false);
});

shielded("each later command is shielded as strictly as the first, also those that start together", async () => {
  await using w = world({ deny: ["**/secret*"] });
  const other = join(w.project, "..", "other");
  mkdirSync(join(other, "sub"), { recursive: true });
  w.write(".mcp.json", "mine");
  w.write("secret-1", "hush");
  const probe = (...lines: readonly string[]) =>
    w.run(
      [
        "grep -E '^(Cap|NoNewPrivs|Seccomp)' /proc/self/status",
        "echo changed > .mcp.json",
        "mv .mcp.json aside",
        "mkdir .claude/commands",
        "umount .mcp.json; mount -o remount,rw .mcp.json",
        "cat secret-1",
        ...lines,
      ]
        .map((line) => `${line} || echo refused`)
        .join("\n"),
    );
  const together = (...lines: readonly string[]) => Promise.all([probe(...lines), probe(...lines), probe(...lines)]);

  const first = await probe();
  expect(first.text).toContain("NoNewPrivs:\t1");
  expect(first.text.match(/^refused$/gm)).toHaveLength(5);
  expect((await probe()).text).toBe(first.text);
  for (const { text } of await together()) expect(text).toBe(first.text);

  // A guarded file is another file now, a denied file and a working directory are new, and a guarded name was created.
  w.write("replaced", "new");
  renameSync(join(w.project, "replaced"), join(w.project, ".mcp.json"));
  w.write("secret-2", "hush");
  w.write(".npmrc", "mine");
  writeFileSync(join(other, ".mcp.json"), "mine");
  writeFileSync(join(other, "secret-3"), "hush");
  w.directories.push(other);
  const more = [
    "cat secret-2",
    "cat ../other/secret-3",
    "echo changed > .npmrc",
    "echo changed > ../other/.mcp.json",
    "mkdir ../other/.claude/commands",
  ];
  for (const { text } of [await probe(...more), ...(await together(...more))]) {
    expect(text).not.toContain("hush");
    expect(text.match(/^refused$/gm)).toHaveLength(10);
  }
  const texts = [".mcp.json", ".npmrc", "../other/.mcp.json"].map((name) => w.read(name));
  expect(texts).toEqual(["new", "mine", "mine"]);
});

shielded("a command that starts while another one runs looks again", async () => {
  await using w = world({ deny: ["**/secret*"] });
  const first = w.run("echo > begun; until [ -e go ]; do sleep 0.01; done; cat secret");
  await until(() => existsSync(join(w.project, "begun")));
  w.write("secret", "hush");
  mkdirSync(join(w.project, "inner"));
  w.write("inner/secret", "hush");
  const second = await w.run("cat secret inner/secret; echo > go");
  expect(second.text).not.toContain("hush");
  expect((await first).code).toBe(0);
});

shielded("what stands in for a missing folder is not in the way of a command that may change it", async () => {
  await using w = world({ mayChange: (id) => id === "approved" });
  await w.run("true; ls");
  expect((await w.run("mkdir .claude && echo made > .claude/settings.json", "approved")).code).toBe(0);
  expect((await w.run("echo changed > .claude/settings.json")).code).toBe(1);
  expect(w.read(".claude/settings.json")).toBe("made\n");
});
