// Runs the matrix as one user, in a root that is thrown away, and prints what got through as JSON.

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IN_HOME_FOLDERS } from "../../packages/host/src/sandbox/guarded/at-home.ts";
import { owned, program, through } from "../sessions/as-nobody.ts";
import { ATTACKS, attackScript, stateOf, type Attack } from "./attacks.ts";
import { useMore } from "./more-sessions.ts";
import { placeOf, rowOf } from "./rows.ts";
import { readTrace, tracing } from "./trace.ts";
import { FLAGS, makeWorld, run, useEverything, useTools, type Starter, type World } from "./world.ts";

export interface MatrixReport {
  /** Read or executed outside the shield, and no row says what it is. */
  readonly unknown: readonly string[];
  /** How many paths were attacked, for each row that says that commands cannot change it. */
  readonly attacked: Readonly<Record<string, number>>;
  readonly gotThrough: readonly string[];
}

const ROOT: Starter = { user: "root", program: process.env["KEELSON_BIN"]!, through: [], own: (home) => home };
const NOBODY: Starter = { user: "nobody", program: program!, through, own: owned };

/** One of each folder. What the world has, and what is missing. */
const LATER = ["config", "authorized_keys"]
  .map((name) => `.ssh/${name}`)
  .concat([...IN_HOME_FOLDERS].map(([folder, names]) => join(folder, names.at(-1)!)))
  .concat(".config/fish", ".config/systemd");

if (import.meta.main) console.log(JSON.stringify(await runMatrix(process.argv[2] === "nobody" ? NOBODY : ROOT)));

async function runMatrix(starter: Starter): Promise<MatrixReport> {
  const world = makeWorld(starter);
  const logs = mkdtempSync(join(tmpdir(), "traces-"));
  chmodSync(logs, 0o777);
  const { read, executed } = readTrace(await useEverything(world, logs, useMore));
  const later = LATER.map((name) => join(world.home.home, name));
  const paths = [...read.union(executed).union(new Set(later))].map((path) => path.replace(/(?<=.)\/$/, "")).toSorted();
  const rows = paths.map((path) => ({ path, row: rowOf(path, world) }));
  const attacked = rows.filter(({ row }) => row?.kept === true || row?.kept === "never run");
  const gotThrough: string[] = [];
  for (const attack of Object.keys(ATTACKS) as Attack[]) {
    using _saved = save([world.home.root, world.program]);
    const targets = attacked.map(({ path }) => path);
    const before = new Map(targets.map((path) => [path, stateOf(path)]));
    await attackAll(attack, targets, world);
    for (const { path, row } of attacked) {
      const [was, is] = [before.get(path), stateOf(path)];
      // Keelson itself makes some of them during a session.
      const isSame = was === is || (was === "missing" && is !== "planted");
      if (!isSame && row!.kept === true) gotThrough.push(`${attack}: ${placeOf(path, world)} (${is})`);
    }
    const next = join(logs, `after-${attack.replace(" ", "-")}`);
    await useTools(world, tracing(next, world.user));
    const planted = [...readTrace([next]).executed].filter((path) => stateOf(path) === "planted");
    gotThrough.push(...planted.map((path) => `${attack}: ${placeOf(path, world)} was run by the next session`));
  }
  const names = Map.groupBy(attacked, ({ row }) => row!.name);
  return {
    unknown: rows.flatMap(({ path, row }) => (row ? [] : [placeOf(path, world)])),
    attacked: Object.fromEntries([...names].map(([name, { length }]) => [name, length])),
    gotThrough,
  };
}

/** Runs an attack on all paths from a shielded command. */
async function attackAll(attack: Attack, paths: readonly string[], world: World): Promise<void> {
  const { home, through } = world;
  home.write("paths", paths.map((path) => `${path}\n`).join(""));
  home.write("build.sh", attackScript(attack));
  world.own(home);
  const build = { calls: [{ name: "Bash", input: { command: "sh build.sh paths" } }] };
  await run(world, through, ["-p", "build it", ...FLAGS, "--allowedTools", "Bash"], [build, { text: "done" }]);
}

/** Copies the paths, and puts the copies back at the end. */
function save(paths: readonly string[]): Disposable {
  const folder = mkdtempSync("/var/tmp/saved-");
  const copies = paths.map((path, at) => ({ path, copy: join(folder, `${at}`) }));
  const copy = (from: string, to: string) => Bun.spawnSync(["cp", "-a", from, to]);
  for (const each of copies) copy(each.path, each.copy);
  return {
    [Symbol.dispose]() {
      for (const each of copies) {
        rmSync(each.path, { recursive: true, force: true });
        copy(each.copy, each.path);
      }
      rmSync(folder, { recursive: true });
    },
  };
}
