// Runs the setup script of an environment in a fresh checkout, in the same sandbox as the run, and keeps what it made: the same script
// with the same lock files is not run again.

import { createHash } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import type { RunEnvironment } from "../records/team.ts";
import type { RunCheckout } from "./checkout/checkout.ts";
import type { Git } from "./checkout/git.ts";
import { startProgramChild } from "./child.ts";
import { SETUP_MS, type RunLaunch } from "./launch.ts";
import type { RunPlace } from "./places.ts";

/** The text is the reason for which the run fails. */
export class SetupError extends Error {
  override readonly name = "SetupError";
}

export interface SetupScriptRun {
  readonly script: string;
  readonly environment: RunEnvironment;
  readonly checkouts: readonly RunCheckout[];
  readonly cwd: string;
  readonly place: RunPlace;
  /** Where results are kept. */
  readonly folder: string;
  /** The run is for a fork: it gets nothing that others made. */
  readonly isFork: boolean;
  /** What its code makes is for later runs, too: it is the code that they will have. */
  readonly mayKeep: boolean;
  readonly git: Git;
  readonly program: readonly string[];
  readonly launch: RunLaunch;
  readonly signal: AbortSignal;
}

const MOST_KEPT = 20;
const MOST_BYTES = 4_000_000_000;
const MOST_LOCK_FILE = 50_000_000;

/** Throws SetupError. */
export async function runSetup(options: SetupScriptRun): Promise<"ran" | "restored"> {
  const kept = join(options.folder, `${keyOf(options)}.tar`);
  if (!options.isFork && (await restore(kept, options))) return "restored";
  await runScript(options);
  if (options.mayKeep && !options.isFork)
    await keep(kept, options).catch(() => rmSync(`${kept}.${process.pid}`, { force: true }));
  return "ran";
}

/** The script, what it runs with, and the files of the checkout that are named in it, such as lock files. */
function keyOf({ script, environment, checkouts, cwd }: SetupScriptRun): string {
  const hash = createHash("sha256");
  const { id, network, variables, secrets } = environment;
  const place = checkouts.map(({ source }) => source.url);
  hash.update(JSON.stringify([script, id, network, variables, secrets, place]));
  for (const word of new Set(script.match(/[\w@][\w./@-]*/g) ?? [])) {
    const content = word.split("/").includes("..") ? undefined : fileIn(cwd, word);
    if (content !== undefined) hash.update(JSON.stringify([word, createHash("sha256").update(content).digest("hex")]));
  }
  return hash.digest("hex").slice(0, 40);
}

/** Only what is a file at each step: a link of the repository may lead anywhere. */
function fileIn(folder: string, path: string): Buffer | undefined {
  try {
    const parts = path.split("/");
    for (let length = 1; length < parts.length; length++) {
      if (!lstatSync(join(folder, ...parts.slice(0, length))).isDirectory()) return undefined;
    }
    const full = join(folder, path);
    const found = lstatSync(full);
    return found.isFile() && found.size <= MOST_LOCK_FILE ? readFileSync(full) : undefined;
  } catch {
    return undefined;
  }
}

async function runScript({ script, cwd, place, program, launch, signal }: SetupScriptRun): Promise<void> {
  const [file, exit, settings] = [
    join(place.temporary, "setup"),
    join(place.temporary, "setup-exit"),
    join(place.private, "settings.json"),
  ];
  writeFileSync(settings, JSON.stringify(launch.settings), { mode: 0o600 });
  writeFileSync(file, script.startsWith("#!") ? script : `#!/bin/sh\nset -e\n${script}\n`, { mode: 0o700 });
  chmodSync(file, 0o700);
  let output = "";
  const done = Promise.withResolvers<void>();
  const child = startProgramChild({
    command: [...program, ...launch.args],
    cwd,
    env: launch.env,
    async onMessage(message) {
      const content = (message["message"] as { readonly content?: unknown } | undefined)?.content;
      if (message["type"] !== "user" || typeof content !== "string" || !content.startsWith("<bash-stdout>")) return;
      output = content;
      done.resolve();
    },
  });
  place.started(child.pid);
  const stop = () => child.kill();
  const timer = setTimeout(stop, SETUP_MS + 30_000);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const command = `${quoted(file)} 2>&1; printf %s "$?" > ${quoted(exit)}`;
    child.send({ type: "control_request", request_id: "setup", request: { subtype: "run_shell_command", command } });
    await Promise.race([done.promise, child.ended]);
    await child.stop();
    signal.throwIfAborted();
    const { stderr } = await child.ended;
    const code = fileIn(place.temporary, "setup-exit")?.toString().slice(0, 10);
    if (code === "0") return;
    const said = lastLines(output.replaceAll(/<\/?bash-std(?:out|err)>/g, "\n") || stderr);
    throw new SetupError(
      code === undefined
        ? `The setup script did not run to its end${said === "" ? "" : `: ${said}`}`
        : `The setup script failed with exit code ${code}${said === "" ? "" : `: ${said}`}`,
    );
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    child.kill();
    await child.ended;
    rmSync(file, { force: true });
    rmSync(exit, { force: true });
  }
}

const quoted = (path: string) => `'${path.replaceAll("'", "'\\''")}'`;

const lastLines = (text: string) => text.trim().split("\n").slice(-5).join(" ").slice(-500);

/** Behind bubblewrap, which sees nothing but the place: what the script made may be links to anywhere. */
async function restore(kept: string, { git, place, signal }: SetupScriptRun): Promise<boolean> {
  const size = statSync(kept, { throwIfNoEntry: false })?.size;
  if (size === undefined) return false;
  const tar = ["tar", "-x", "-C", "/place", "--no-same-owner", "-f", "/kept.tar"];
  const { code } = await git.confined(
    tar,
    { readOnly: { "/kept.tar": kept }, writable: { "/place": place.work } },
    { signal },
  );
  if (code !== 0) {
    // It was cut off, or does not fit what is there now: the script makes it again.
    rmSync(kept, { force: true });
    return false;
  }
  utimesSync(kept, new Date(), new Date());
  return true;
}

async function keep(kept: string, { checkouts, cwd, git, place, folder, signal }: SetupScriptRun): Promise<void> {
  const paths = ["home"];
  if (checkouts.length === 0) paths.push(relative(place.work, cwd));
  for (const checkout of checkouts) {
    const args = ["ls-files", "-z", "--others", "--directory", "--no-empty-directory"];
    const { code, stdout } = await git.inUntrusted(checkout.folder, args, { signal });
    if (code !== 0) return;
    paths.push(
      ...stdout
        .split("\0")
        .filter(Boolean)
        .map((path) => join(relative(place.work, checkout.folder), path)),
    );
  }
  const list = join(place.private, "setup-files");
  writeFileSync(list, paths.map((path) => `./${path}\0`).join(""), { mode: 0o600 });
  const part = `${kept}.${process.pid}`;
  const tar = ["tar", "-c", "-C", "/place", "--null", "--verbatim-files-from", "-T", "/list", "-f", "-"];
  const { code } = await git.confined(
    tar,
    { readOnly: { "/place": place.work, "/list": list } },
    { signal, outputFile: part },
  );
  if (code !== 0 || statSync(part).size > MOST_BYTES) return rmSync(part, { force: true });
  renameSync(part, kept);
  const all = readdirSync(folder)
    .filter((name) => name.endsWith(".tar"))
    .map((name) => ({
      path: join(folder, name),
      usedAt: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }))
    .toSorted((a, b) => b.usedAt - a.usedAt);
  for (const { path } of all.slice(MOST_KEPT)) rmSync(path, { force: true });
}
