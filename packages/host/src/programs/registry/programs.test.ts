import { expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { createPrograms, findHelper, helperEnvironment, helperMissing, type ConfiguredPrograms } from "./programs.ts";
import { trailOf } from "./trail.ts";

/** A home with two folders on the PATH; `late` comes after `early`. */
function world() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-programs-")));
  const at = (path: string) => join(root, path);
  const program = (path: string, text = "#!/bin/sh\n") => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
    chmodSync(at(path), 0o755);
    return at(path);
  };
  for (const folder of ["early", "late", "project"]) mkdirSync(at(folder));
  const path = [at("early"), "relative", at("late"), "/usr/bin", "/bin"].join(":");
  const programs = createPrograms(path);
  const place = { path, cwd: at("project") };
  const find = (command: string, how = place) => {
    const found = programs.configured(command, how);
    return "path" in found ? relative(root, found.path) : found.isChanged ? "changed" : "missing";
  };
  const config: ConfiguredPrograms = {
    ...place,
    home: root,
    directories: [at("project")],
    programs: [],
    shell: [],
    scripts: [],
    replaceable: [],
  };
  const guarded = (more: Partial<ConfiguredPrograms>) => {
    programs.configure({ ...config, ...more });
    return programs
      .guarded()
      .flatMap((each) => (each.startsWith(root) ? [relative(root, each)] : []))
      .toSorted();
  };
  return {
    at,
    program,
    programs,
    find,
    place,
    config,
    guarded,
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  };
}

test("a program is looked up once: a name that is planted before it does not count", () => {
  using w = world();
  w.program("late/tool");
  expect(w.find("tool")).toBe("late/tool");
  w.program("early/tool");
  expect(w.find("tool")).toBe("late/tool");
});

test("a relative folder of the PATH does not count", () => {
  using w = world();
  w.program("project/relative/tool");
  expect(w.find("tool")).toBe("missing");
});

type World = ReturnType<typeof world>;
const CHANGES: readonly (readonly [what: string, change: (w: World) => void, found: string])[] = [
  ["written to", (w) => writeFileSync(w.at("late/tool"), "#!/bin/sh\nevil\n"), "changed"],
  ["replaced", (w) => renameSync(w.program("other", "#!/bin/sh\nevil\n"), w.at("late/tool")), "changed"],
  ["removed", (w) => rmSync(w.at("late/tool")), "changed"],
  ["made unusable", (w) => chmodSync(w.at("late/tool"), 0o644), "changed"],
  [
    "replaced by a link",
    (w) => {
      rmSync(w.at("late/tool"));
      symlinkSync(w.program("other", "#!/bin/sh\nevil\n"), w.at("late/tool"));
    },
    "changed",
  ],
  [
    "replaced with its folder",
    (w) => {
      renameSync(w.at("late"), w.at("old"));
      w.program("late/tool", "#!/bin/sh\nevil\n");
    },
    "changed",
  ],
  [
    "installed again with the same content",
    (w) => {
      copyFileSync(w.at("late/tool"), w.at("copy"));
      renameSync(w.at("copy"), w.at("late/tool"));
      chmodSync(w.at("late/tool"), 0o755);
    },
    "late/tool",
  ],
];

test.each(CHANGES)("a program that was %s is compared before it runs", (_, change, found) => {
  using w = world();
  w.program("late/tool");
  w.find("tool");
  change(w);
  expect(w.find("tool")).toBe(found);
});

test("the interpreter of a script belongs to it, also one that env looks up", () => {
  using w = world();
  w.program("late/interpreter");
  w.program("late/tool", "#!/usr/bin/env -S interpreter --flag\n");
  expect(w.find("tool")).toBe("late/tool");
  const names = w.guarded({ programs: [{ command: "tool" }] }).filter((name) => /interpreter|tool/.test(name));
  expect(names).toEqual(["early/interpreter", "early/tool", "late/interpreter", "late/tool"]);
  w.program("early/interpreter");
  expect(w.find("tool")).toBe("changed");
});

test("a program that was missing is not run when it appears, and the reason names the fix", () => {
  using w = world();
  expect(w.find("tool")).toBe("missing");
  w.program("early/tool");
  expect(w.programs.configured("tool", w.place)).toEqual({
    problem: '"tool" was installed while this session was running, so it is not run; restart the session to use it',
    isChanged: true,
  });
});

test("what may run is what is guarded: the file, its links, and the names that would come before it", () => {
  using w = world();
  w.program("versions/2/bin/tool", "not a script");
  symlinkSync("versions/2", w.at("current"));
  symlinkSync("../current/bin/tool", w.at("late/tool"));
  w.program("project/build/own", "not a script");
  w.program("project/node_modules/.bin/packaged", "not a script");
  const commands = ["tool", "./build/own", "./node_modules/.bin/packaged", "absent"];
  expect(w.guarded({ programs: commands.map((command) => ({ command })) })).toEqual([
    "current",
    "early/absent",
    "early/tool",
    "late/absent",
    "late/tool",
  ]);
  expect(commands.map((command) => w.find(command))).toEqual([
    "late/tool",
    "project/build/own",
    "project/node_modules/.bin/packaged",
    "missing",
  ]);
  // What people build and package managers replace is compared instead.
  w.program("project/build/own", "#!/bin/sh\nother\n");
  expect(w.find("./build/own")).toBe("changed");
});

const TEXTS: readonly (readonly [text: string, names: readonly string[]])[] = [
  ["tool --check", ["early/tool", "late/tool"]],
  ["A=1 other 'tool'", ["early/other", "early/tool", "late/other", "late/tool"]],
  [
    "test -f x && later | if absent; then $(env A=1 inner); fi",
    ["absent", "env", "inner", "later", "test"].flatMap((name) => [`early/${name}`, `late/${name}`]),
  ],
  ["echo some ordinary words", ["early/echo", "late/echo"]],
  ['"$HOME/tool"', ["early/tool", "late/tool"]],
];

test.each(TEXTS)("shell text %j guards the names in it", (text, names) => {
  using w = world();
  w.program("late/tool");
  const found = w.guarded({ shell: [text] }).filter((name) => !/\/(?:ba)?sh$/.test(name));
  expect(found).toEqual([...names].toSorted());
});

test("names in scripts, and in programs that are scripts, are guarded where they would be found", () => {
  using w = world();
  w.program("late/wrapper", "#!/bin/sh\nexec inner cat absent\n");
  w.program("late/inner");
  const script = w.program("project/hook.sh", "wrapper; unheard-of\n");
  expect(w.guarded({ scripts: [script] }).filter((name) => !/\/(?:ba)?sh$/.test(name))).toEqual([
    "early/cat",
    "early/inner",
    "early/wrapper",
    "late/cat",
    "late/inner",
    "late/wrapper",
  ]);
});

test("without the shield, a command is refused once something in its text changed, and others are not", () => {
  using w = world();
  const script = w.program("project/hook.sh", "tool\n");
  w.program("late/tool");
  const use = { shell: ["project/hook.sh", "other"], scripts: [script] };
  w.guarded(use);
  const changed = (command: string) => w.programs.changedIn(command, w.place.path)?.isChanged;
  expect([changed("project/hook.sh"), changed("other")]).toEqual([undefined, undefined]);
  w.program("early/tool");
  // The same configuration, read again, does not make it right.
  w.guarded(use);
  expect([changed("project/hook.sh"), changed("other")]).toEqual([true, undefined]);
  w.programs.shielded();
  expect(changed("project/hook.sh")).toBeUndefined();
});

test("what the shield leaves to people, such as the working directories, is compared behind it too", () => {
  using w = world();
  w.program("late/tool");
  const path = `${w.at("project/bin")}:${w.place.path}`;
  w.guarded({ path, shell: ["tool --check"] });
  w.programs.shielded();
  const changed = (command: string, folders = path) => w.programs.changedIn(command, folders)?.problem;
  expect(changed("tool --check")).toBeUndefined();
  w.program("project/bin/tool");
  expect(changed("tool --check")).toContain('project/bin/tool" was installed while this session was running');
  // Where it is not searched, and for others, it means nothing.
  expect([changed("tool --check", w.place.path), changed("echo")]).toEqual([undefined, undefined]);
});

test("a command that no configuration names is known from its first use", () => {
  using w = world();
  w.program("late/tool");
  const changed = () => w.programs.changedIn("tool --now", w.place.path)?.isChanged;
  expect(changed()).toBeUndefined();
  w.program("early/tool");
  expect(changed()).toBe(true);
});

test("behind the shield, people may edit the scripts of their hooks", () => {
  using w = world();
  const script = w.program("project/hook.sh");
  w.guarded({ scripts: [script] });
  expect(w.programs.script(script, w.place)).toEqual({ path: script });
  writeFileSync(script, "#!/bin/sh\nnew\n");
  expect(w.programs.script(script, w.place)).toMatchObject({ isChanged: true });
  w.programs.shielded();
  expect(w.programs.script(script, w.place)).toEqual({ path: script });
});

test("our own helpers come from folders that commands cannot change, whatever is first on the PATH", () => {
  using w = world();
  for (const name of ["git", "own-helper"]) w.program(`early/${name}`);
  const git = Bun.which("git", { PATH: "/usr/bin:/bin" });
  expect(findHelper("git", w.place.path)).toBe(git);
  expect(findHelper("git", w.at("early"))).toBeNull();
  expect(helperMissing("own-helper", w.place.path, "install it")).toBe(
    `own-helper is only in ${w.at("early")}, where commands could replace it, so it is not used; install it`,
  );
  expect(helperMissing("nothing", w.place.path, "install it")).toBe("nothing was not found; install it");
  const { PATH, ...rest } = helperEnvironment({ PATH: w.place.path, LD_PRELOAD: "x", HOME: "/h" });
  expect([PATH, rest]).toEqual(["/usr/bin:/bin", { HOME: "/h" }]);
});

test("a helper may be installed again after it was used, and is not used when it is another", () => {
  using w = world();
  const own = w.program("late/own-helper");
  const { helper } = createPrograms(w.place.path, () => own);
  expect(helper("own-helper")).toBe(own);
  copyFileSync(own, w.at("copy"));
  renameSync(w.at("copy"), own);
  expect(helper("own-helper")).toBe(own);
  w.program("late/own-helper", "#!/bin/sh\nevil\n");
  expect(helper("own-helper")).toBeNull();
});

test.skipIf(process.getuid?.() !== 0)("what root may run is compared with what it was before its first use", () => {
  using w = world();
  w.program("late/sleep");
  w.program("late/date");
  const { helper, configure } = createPrograms(w.place.path, (name) => w.at(`late/${name}`));
  configure(w.config);
  w.program("late/sleep", "#!/bin/sh\nevil\n");
  expect({ sleep: helper("sleep"), date: helper("date") }).toEqual({ sleep: null, date: w.at("late/date") });
});

test("trailOf() follows every link, and stops at a cycle", () => {
  using w = world();
  w.program("real/bin/tool");
  symlinkSync("../real", w.at("early/one"));
  symlinkSync("one/bin/tool", w.at("early/two"));
  symlinkSync("loop", w.at("loop"));
  const { real, links, folders } = trailOf(w.at("early/two"));
  expect({ real, links }).toEqual({ real: w.at("real/bin/tool"), links: [w.at("early/two"), w.at("early/one")] });
  expect(folders).toEqual(expect.arrayContaining([w.at("early"), w.at("real"), w.at("real/bin")]));
  expect(trailOf(w.at("loop")).real).toBeNull();
  expect(trailOf(w.at("nothing/here")).real).toBeNull();
});
