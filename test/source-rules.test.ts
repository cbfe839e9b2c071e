// The shape of the source tree: folders one can survey, no module that only tests use or that keeps state, no cast that hides
// what the types say, and few modules that open files by path.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dir, "..");
const sources = [...new Bun.Glob("packages/*/src/**/*").scanSync({ cwd: root })];

const MOST_FILES = 25;

test(`no folder has more than ${MOST_FILES} files`, () => {
  const others = [...new Bun.Glob("{test,scripts,bench}/**/*").scanSync({ cwd: root })];
  const folders = Map.groupBy([...sources, ...others], dirname);
  expect(folders.size).toBeGreaterThan(100);
  const crowded = [...folders]
    .filter(([, files]) => files.length > MOST_FILES)
    .map(([name, { length }]) => [name, length]);
  expect(crowded).toEqual([]);
});

const read = (path: string) => readFileSync(join(root, path), "utf8");
const product = sources.filter((path) => path.endsWith(".ts") && !/\.test(?:-support)?\.ts$/.test(path));

test("no value is cast by way of unknown, and no field is read by a name cast to never", () => {
  expect(product.filter((path) => /\bas unknown as\b|" as never\]/.test(read(path)))).toEqual([]);
});

test("modules keep no state but memos, loaded modules, what servers accept, and what ends with the process", () => {
  const keeps = /^(?:export )?(?:let |const \w+ = new (?:Map|Set)(?:<.*>)?\(\))/m;
  const keeping = product.filter((path) => !path.startsWith("packages/testkit/") && keeps.test(read(path)));
  expect(keeping.toSorted()).toEqual([
    "packages/disk/src/lock/flock.ts",
    "packages/disk/src/real-path.ts",
    "packages/engine/src/permission/command/analysis/recent-analyses.ts",
    "packages/engine/src/tool/tool-call.ts",
    "packages/engine/src/tool/tool-outcome.lazy.ts",
    "packages/host/src/programs/registry/trail.ts",
    "packages/host/src/shell/process/socket-lookup.ts",
    "packages/model/src/openai/shared/habits.ts",
    "packages/sdk/src/process/at-exit.ts",
    "packages/tui/src/widgets/key-lookup.ts",
  ]);
});

test("programs are looked up in the registry alone, and nothing is started by a bare name", () => {
  const shipped = product.filter((path) => !/^packages\/(?:testkit|sdk)\/|\/verdicts\/tables\//.test(path));
  const lookUp = /\bBun\.which\b|\bwhichSync\b/;
  expect(shipped.filter((path) => lookUp.test(read(path)))).toEqual(["packages/host/src/programs/find-program.ts"]);
  // `Bun.spawn(["git", …])`, `spawnSync("git", …)`, and node's own functions that find a program by its name.
  const bare = /\bspawn(?:Sync)?\(\s*\[?\s*(["'`])(?!\/)|\bBun\.\$|\bexec(?:File)?(?:Sync)?\(\s*["'`]/;
  // What that module executes is SQL.
  expect(shipped.filter((path) => bare.test(read(path)))).toEqual(["packages/store/src/remote/kinds/sqlite.ts"]);
  // These have no folder that is out of reach of commands to look in: what they find is guarded, compared or confined.
  const onPath = /\bfindProgram\(/;
  expect(shipped.filter((path) => onPath.test(read(path))).toSorted()).toEqual([
    "packages/cli/src/interactive/ports/editor.ts",
    "packages/host/src/browser.ts",
    "packages/host/src/git/find-git.ts",
    "packages/host/src/programs/find-program.ts",
    "packages/host/src/programs/pdf-pages.ts",
    "packages/host/src/sandbox/shield/status.ts",
    "packages/host/src/shell/environment/choose.ts",
    "packages/runtime/src/optional-tools/make-tools.ts",
  ]);
});

test("standard output and standard error are written in one place, which keeps what a terminal obeys from a terminal", () => {
  const writes = /\bconsole\.\w+\(|\bprocess\.std(?:out|err)\b|\bBun\.std(?:out|err)\b|\bwriteSync\([12],/;
  const data = /^packages\/(?:testkit\/|engine\/src\/permission\/verdicts\/tables\/)/;
  const writing = product.filter((path) => !data.test(path) && writes.test(read(path)));
  expect(writing.toSorted()).toEqual([
    "packages/cli/src/bin.ts", // the version
    "packages/cli/src/process/this-process.ts",
    "packages/runtime/src/observe/telemetry/send.ts", // JSON in ASCII
    "packages/runtime/src/optional-tools/make-tools.ts", // rings the bell
  ]);
});

test("every module is part of the program or of what a package exports, or is named as one for tests", () => {
  const known = new Set(sources);
  const reached = new Set(["packages/cli/src/bin.ts"]);
  for (const path of new Bun.Glob("packages/*/package.json").scanSync({ cwd: root }))
    for (const [file] of read(path).matchAll(/(?<="\.\/)src\/[\w./-]+\.ts(?=")/g))
      reached.add(join(dirname(path), file));
  // A set also visits what is added on the way.
  for (const path of reached)
    for (const [file] of read(path).matchAll(/(?<=["'`])\.{1,2}\/[^"'`\s]+\.ts(?=["'`])/g)) {
      const target = join(dirname(path), file);
      if (known.has(target)) reached.add(target);
    }
  expect(reached.size).toBeGreaterThan(1_000);
  const tables = /^packages\/engine\/src\/permission\/verdicts\/tables\/|^packages\/testkit\//;
  expect(product.filter((path) => !reached.has(path) && !tables.test(path))).toEqual([]);
});

test("one module makes reminders; clients only leave them out", () => {
  const names = product.filter((path) => read(path).includes("/system-reminder"));
  expect(names.toSorted()).toEqual([
    "packages/client/src/conversation/content.ts",
    "packages/protocol/src/reminder.ts",
  ]);
});

test("one module knows which words switch a variable on or off", () => {
  const word = /\|yes\|on\b|\benv(?:\["\w+"\]|\.\w+)(?:\?\.trim\(\))? [=!]==? "(?:1|true|0|false)"/;
  expect(product.filter((path) => word.test(read(path)))).toEqual(["packages/protocol/src/variables.ts"]);
});

/** Opening, writing and making folders by path: whoever does it himself decides about links, FIFOs and files that grow. */
const BY_PATH =
  /\b(?:openSync|readFileSync|writeFileSync|appendFileSync|truncateSync|copyFileSync|mkdirSync|create(?:Read|Write)Stream)\b/;
const BY_PATH_LATER = /\b(?:open|readFile|writeFile|appendFile|copyFile|mkdir)\b/;

function opensByPath(text: string): boolean {
  const imported = (from: string) =>
    [...text.matchAll(new RegExp(`import \\{([^}]*)\\} from "${from}"`, "g"))].map(([, names]) => names).join();
  return (
    BY_PATH.test(imported("node:fs")) ||
    BY_PATH_LATER.test(imported("node:fs/promises")) ||
    /\bBun\.(?:write|file)\(/.test(text)
  );
}

/** Each line a reason, and the modules it is for. Files of ours go through `disk/own-files.ts`. */
const OPEN_BY_PATH: Readonly<Record<string, readonly string[]>> = {
  "these are the functions themselves": [
    "disk/src/lock/flock.ts",
    "disk/src/lock/exclusive-file.ts",
    "disk/src/lock/locked-file.ts",
    "disk/src/own-files.ts",
    "disk/src/replace-file.ts",
    "disk/src/seal.ts",
    "host/src/files/private-file.ts",
    "host/src/files/regular-file.ts",
    "host/src/files/write-file.ts",
    "store/src/checkpoints/file-state.ts",
  ],
  "the folder is held, or the file is open already": [
    "cli/src/interactive/bookkeeping.ts",
    "host/src/secrets/secret-files.ts",
    "host/src/worktrees/fill/include.ts",
    "host/src/worktrees/repository/place.ts",
    "store/src/schedules/held-config.ts",
    "store/src/team/team-file.ts",
  ],
  "the user's settings, instructions and skills, which may be behind the user's links; they look for regular files": [
    "config/src/instructions/files/read-instruction.ts",
    "config/src/scopes/read.ts",
    "config/src/scopes/tracked.ts",
    "config/src/skills/find/read-start.ts",
    "config/src/skills/index/skill-index.ts",
    "config/src/skills/skill-text.ts",
    "config/src/trust/grants.ts",
    "config/src/write/git-ignore.ts",
    "config/src/write/settings-file.ts",
    "runtime/src/instructions/add-memory.ts",
  ],
  "a file that the user names, or a client": [
    "routines/src/worker/checkout/credentials.ts",
    "cli/src/args/flag-values.ts",
    "cli/src/commands/export/output.ts",
    "cli/src/commands/hooks/run-event.ts",
    "cli/src/commands/new-file.ts",
    "cli/src/commands/permissions/run-table.ts",
    "cli/src/commands/plugin/new.ts",
    "cli/src/interactive/ports/editor.ts",
    "model/src/choice/server/cloud-servers.ts",
    "model/src/choice/server/entra.ts",
    "model/src/http/network.ts",
    "runtime/src/controls/handlers/files.ts",
    "runtime/src/hooks/try/scratch-copy.ts",
    "store/src/remote/kinds/file.ts",
  ],
  "a new folder with a random name": [
    "cli/src/process/nested-state.ts",
    "host/src/extract/extract-files.ts",
    "host/src/plugins/place-files.ts",
    "host/src/programs/pdf-pages.ts",
    "host/src/shell/shell.ts",
    "store/src/remote/resume/catch-up.ts",
    "store/src/remote/resume/materialize.ts",
    "store/src/remote/resume/rescue.ts",
  ],
  "a worker's own folder, which is out of reach of what it starts": [
    "cli/src/process/lease-end.ts",
    "routines/src/worker/checkout/checkout.ts",
    "routines/src/worker/checkout/git.ts",
    "routines/src/worker/checkout/workspace.ts",
    "routines/src/worker/lease.ts",
    "routines/src/worker/places.ts",
    "routines/src/worker/restore.ts",
    "routines/src/worker/run-files.ts",
    "routines/src/worker/run.ts",
    "routines/src/worker/setup.ts",
  ],
  "plugins and programs that are installed": [
    "host/src/plugins/archive.ts",
    "host/src/plugins/data-folder.ts",
    "host/src/plugins/folder-files.ts",
    "host/src/plugins/npm/npm-source.ts",
    "host/src/programs/extract-program.ts",
    "host/src/programs/registry/content.ts",
    "web/src/page/build-page.ts",
  ],
  "the kernel's files, terminals and pipes": [
    "cli/src/bin.ts",
    "cli/src/interactive/terminal/device.ts",
    "cli/src/interactive/terminal/port.ts",
    "cli/src/process/this-process.ts",
    "disk/src/lease/lease.ts",
    "disk/src/process-identity.ts",
    "disk/src/uptime.ts",
    "host/src/hooks/slots.ts",
    "host/src/lsp/memory.ts",
    "host/src/sandbox/shield/status.ts",
    "host/src/sandbox/shield/other-mounts.ts",
    "host/src/sandbox/watch/survivors.ts",
    "host/src/shell/process/command.ts",
    "host/src/sandbox/sockets/sockets.ts",
    "host/src/shell/process/marked.ts",
    "host/src/shell/process/orphans.ts",
    "routines/src/worker/processes.ts",
    "host/src/shell/process/process-table.ts",
    "host/src/shell/process/tcp-peer.ts",
    "runtime/src/owner/peer.ts",
    "runtime/src/session/facts.ts",
  ],
  "what the shield guards, and files that a rewind restores": [
    "host/src/sandbox/denied/write-folder.ts",
    "host/src/sandbox/guarded/kept-folders.ts",
    "host/src/sandbox/shield/mask.ts",
    "host/src/sandbox/shield/stand-in.ts",
    "host/src/sandbox/watch/watched-files.ts",
    "store/src/checkpoints/checkpoints.ts",
  ],
};

test("files are opened by path only where a reason says how links and FIFOs are met", () => {
  const opening = product.filter((path) => !path.startsWith("packages/testkit/") && opensByPath(read(path)));
  const known = Object.values(OPEN_BY_PATH)
    .flat()
    .map((path) => `packages/${path}`);
  expect(opening.toSorted()).toEqual(known.toSorted());
});
