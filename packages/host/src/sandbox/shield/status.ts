// Checks whether this machine can shield commands: finds the program and runs it once.

import { existsSync } from "node:fs";
import { findProgram } from "../../programs/find-program.ts";
import { findHelper, helperMissing } from "../../programs/registry/helpers.ts";

export interface ShieldStatus {
  readonly active: boolean;
  readonly kind: "bubblewrap" | "seatbelt" | "none";
  /** Why it is not active, and how to fix it. */
  readonly reason?: string;
  readonly version?: string;
  readonly program?: string;
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
    return trial.ok
      ? { active: true, kind: "seatbelt", program: SEATBELT }
      : none(`sandbox-exec failed: ${trial.text}`);
  }
  if (platform !== "linux") return none(`${platform} is not supported`);

  const program = options.bwrapPath ?? findHelper("bwrap", options.path);
  if (!program) return none(bubblewrapMissing(options.path));
  const [trial, version] = await Promise.all([
    runProbe([program, "--dev-bind", "/", "/", "--", "true"]),
    options.withVersion ? runProbe([program, "--version"]) : undefined,
  ]);
  if (!trial.ok) {
    return none(`bubblewrap cannot be used here: ${trial.text} (containers often forbid user namespaces)`);
  }
  return {
    active: true,
    kind: "bubblewrap",
    program,
    ...(version?.ok ? { version: version.text.replace(/^bubblewrap /, "") } : {}),
  };
}

function bubblewrapMissing(path: string | undefined): string {
  if (findProgram("bwrap", path) === null) return "bubblewrap is not installed (install the package bubblewrap)";
  return helperMissing("bwrap", path, "install the package bubblewrap");
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
    const text = (code === 0 ? out : error).trim().slice(0, 300);
    return { ok: code === 0, text: text || `exit code ${code}` };
  } catch (error) {
    return { ok: false, text: (error as Error).message };
  }
}
