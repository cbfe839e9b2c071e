// Checks whether this machine can shield commands: finds the program and runs it once.

import { existsSync, readFileSync } from "node:fs";
import { findProgram } from "../../programs/find-program.ts";
import { findHelper, helperMissing } from "../../programs/registry/helpers.ts";
import { shortageFix, shortageFixIn } from "../../shortage.ts";
import { trialCell } from "./cell.ts";

export interface ShieldStatus {
  readonly active: boolean;
  readonly kind: "bubblewrap" | "seatbelt" | "none";
  /** Why it is not active, or what is missing if it is. */
  readonly reason?: string;
  /** The machine has the program, and cannot start it now for lack of resources. Nothing may run without it then. */
  readonly starved?: true;
  readonly version?: string;
  readonly program?: string;
  /** Commands can be kept from changing the limits of other processes and, for root, from looking through them. */
  readonly hasCell?: true;
}

const LIMIT_MS = 5_000;
const SEATBELT = "/usr/bin/sandbox-exec";
const SEATBELT_TRIAL = [SEATBELT, "-p", "(version 1)(allow default)", "/usr/bin/true"];

export interface ShieldStatusOptions {
  /** PATH. */
  readonly path: string | undefined;
  /** An absolute path set by an administrator. */
  readonly bwrapPath?: string;
  readonly platform?: NodeJS.Platform;
  /** Runs one more process; for `keelson doctor`. */
  readonly withVersion?: boolean;
}

/** Runs a trial, about 3 ms. */
export async function shieldStatus(options: ShieldStatusOptions): Promise<ShieldStatus> {
  const platform = options.platform ?? process.platform;
  if (platform === "darwin") {
    if (!existsSync(SEATBELT)) return none(`${SEATBELT} is missing`);
    const trial = await runProbe(SEATBELT_TRIAL);
    if (trial.starved !== undefined) return starvedFor("sandbox-exec", trial);
    return trial.ok
      ? { active: true, kind: "seatbelt", program: SEATBELT }
      : none(`sandbox-exec failed: ${trial.text}`);
  }
  if (platform !== "linux") return none(`${platform} is not supported`);

  const program = options.bwrapPath ?? findHelper("bwrap", options.path);
  if (!program) return none(bubblewrapMissing(options.path));
  const shared = [program, "--dev-bind", "/", "/"];
  const withDevices = [...shared, "--dev", "/dev"];
  const made = makeTrialCell();
  if (made.starved !== undefined) return starvedFor("bubblewrap", made);
  using cell = made.cell;
  const [first, version] = await Promise.all([
    // It may be in the machine's /dev: temporary files are in /dev/shm for some.
    runProbe(
      cell ? [...withDevices, "--ro-bind", cell.path, cell.path, "--", cell.path] : [...withDevices, "--", "true"],
    ),
    options.withVersion ? runProbe([program, "--version"]) : undefined,
  ]);
  const isOver = (trial: Trial) => trial.ok || trial.starved !== undefined;
  const whole = cell === null || isOver(first) ? first : await runProbe([...withDevices, "--", "true"]);
  // Some containers forbid only the devices.
  const trial = isOver(whole) ? whole : await runProbe([...shared, "--", "true"]);
  if (trial.starved !== undefined) return starvedFor("bubblewrap", trial);
  if (!trial.ok) {
    return none(`bubblewrap cannot be used here: ${trial.text} (containers often forbid user namespaces)`);
  }
  return {
    active: true,
    kind: "bubblewrap",
    program,
    ...(whole.ok ? {} : { reason: `bubblewrap cannot set up its own devices here: ${whole.text}` }),
    ...(cell !== null && first.ok ? { hasCell: true } : {}),
    ...(version?.ok ? { version: version.text.replace(/^bubblewrap /, "") } : {}),
  };
}

function bubblewrapMissing(path: string | undefined): string {
  if (findProgram("bwrap", path) === null) return "bubblewrap is not installed (install the package bubblewrap)";
  return helperMissing("bwrap", path, "install the package bubblewrap");
}

/** How to fix the shortage that kept a sandbox from starting. A kernel that forbids namespaces also says that none are left. */
export function sandboxShortage(text: string): string | undefined {
  const fix = shortageFixIn(text);
  if (fix === undefined || !existsSync(NAMESPACE_LIMIT)) return fix;
  return Number(readFileSync(NAMESPACE_LIMIT, "utf8")) === 0 ? undefined : fix;
}

const NAMESPACE_LIMIT = "/proc/sys/user/max_user_namespaces";

/** What commands are started with. Nothing of it if it cannot be written for another reason than a full disk. */
function makeTrialCell(): {
  readonly cell: ReturnType<typeof trialCell>;
  readonly text: string;
  readonly starved?: string;
} {
  try {
    return { cell: trialCell(), text: "" };
  } catch (error) {
    const fix = shortageFix(error);
    return { cell: null, text: (error as Error).message, ...(fix === undefined ? {} : { starved: fix }) };
  }
}

function starvedFor(
  program: string,
  { text, starved }: { readonly text: string; readonly starved?: string },
): ShieldStatus {
  const reason = `${program} could not be started: ${text}; ${starved}, then try again`;
  return { active: false, kind: "none", reason, starved: true };
}

function none(reason: string): ShieldStatus {
  return { active: false, kind: "none", reason };
}

function runProbe(argv: string[]): Promise<Trial> {
  return runTrial(argv, { env: { PATH: "/usr/local/bin:/usr/bin:/bin" }, limitMs: LIMIT_MS });
}

export interface Trial {
  readonly ok: boolean;
  /** The output, or the error if it failed. */
  readonly text: string;
  /** It failed for lack of resources: how to fix that. */
  readonly starved?: string;
}

export async function runTrial(
  argv: string[],
  { env, limitMs }: { readonly env: Readonly<Record<string, string | undefined>>; readonly limitMs: number },
): Promise<Trial> {
  try {
    const child = Bun.spawn(argv, {
      cwd: "/",
      env: { ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: limitMs,
      killSignal: "SIGKILL",
    });
    const [code, out, error] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
    const text = (code === 0 ? out : error).trim().slice(0, 300) || `exit code ${code}`;
    if (code === 0) return { ok: true, text };
    const fix = child.signalCode === "SIGKILL" ? "the machine is too busy or out of memory" : sandboxShortage(text);
    return { ok: false, text, ...(fix === undefined ? {} : { starved: fix }) };
  } catch (error) {
    const fix = shortageFix(error);
    return { ok: false, text: (error as Error).message, ...(fix === undefined ? {} : { starved: fix }) };
  }
}
