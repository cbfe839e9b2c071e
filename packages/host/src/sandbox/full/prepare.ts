// Starts the full sandbox, or explains why it is unavailable.

import { tmpdir } from "node:os";
import { findHelper } from "../../programs/registry/helpers.ts";
import { randomHex } from "../../random.ts";
import { quote } from "../../shell/script.ts";
import { runTrial, sandboxShortage } from "../shield/status.ts";
import { loadSandboxLibrary, type SandboxedCommand, type SandboxLibrary } from "./runtime-adapter.ts";
import { OtherSandboxError } from "./shared-library.ts";
import { runtimeConfig, type Forbidden, type SandboxBlock } from "./settings.ts";

export interface SandboxOptions {
  /** The working directories. Called at the start and before every command. */
  directories(): readonly string[];
  /** Those before. */
  former?(): readonly string[];
  readonly home: string;
  /** Absolute paths of bundled programs. */
  readonly ripgrep?: string | null;
  readonly seccomp?: string | null;
  /** Whether the settings exclude this command from the sandbox. The gate uses the same function. */
  isExcluded(command: string): boolean | Promise<boolean>;
  /** Absent: a library that no other session of this process uses. */
  readonly load?: () => Promise<SandboxLibrary>;
}

export interface Sandbox {
  /** The argv to run a command in the sandbox; null if it should run outside. */
  wrap(command: {
    readonly script: string;
    readonly shell: string;
    readonly command: string;
    readonly outside: boolean;
    readonly forbidden: Forbidden;
  }): Promise<{ readonly argv: string[]; finish(): readonly string[] } | null>;
  close(): Promise<void>;
}

export type SandboxReadiness =
  | { readonly active: true; readonly sandbox: Sandbox }
  /** Disabled or unavailable; `reason` is set if it is enabled. */
  | { readonly active: false; readonly reason?: string }
  /** Enabled and unavailable, and the settings require it. */
  | { readonly active: false; readonly error: string };

export async function prepareSandbox(settings: SandboxBlock, options: SandboxOptions): Promise<SandboxReadiness> {
  const reason = await start(settings, options);
  if (reason instanceof OtherSandboxError) {
    return {
      active: false,
      error: `The sandbox cannot be started: ${reason.message}. End that session, or start this one in a process of its own`,
    };
  }
  if (typeof reason !== "string") return { active: true, sandbox: reason };
  const fix = sandboxShortage(reason);
  if (fix !== undefined) {
    return { active: false, error: `The sandbox is enabled but could not be started: ${reason}. To fix this, ${fix}` };
  }
  if (settings.failIfUnavailable) {
    return {
      active: false,
      error: `The sandbox is required (sandbox.failIfUnavailable) but unavailable: ${reason}. Fix this, or turn off sandbox.failIfUnavailable`,
    };
  }
  return { active: false, reason: `The sandbox is enabled (sandbox.enabled) but unavailable: ${reason}` };
}

export async function sandboxProblems(ripgrep?: string | null): Promise<readonly string[]> {
  const library = await loadSandboxLibrary();
  return library.missing(ripgrep ?? undefined);
}

/** Unless one of these names another, the library names a folder for temporary files that nobody makes. */
function withTemporary(script: string): string {
  const { env } = process;
  const isNamed = env["CLAUDE_CODE_TMPDIR"] || env["CLAUDE_TMPDIR"];
  return isNamed ? script : `export TMPDIR=${quote(tmpdir())}; ${script}`;
}

const TRIAL = { script: "exit 0", shell: "/bin/sh", command: "exit 0" };

/** Runs a trial, because an installed program may still fail, for example in a container. About 20 ms. */
async function runTrialCommand(
  library: SandboxLibrary,
  config: SandboxedCommand["config"],
): Promise<string | undefined> {
  const id = randomHex(16);
  const argv = await library.wrap({ ...TRIAL, id, config });
  const { ok, text } = await runTrial(argv, { env: { PATH: process.env["PATH"] }, limitMs: 10_000 });
  library.finish(id);
  return ok
    ? undefined
    : `a trial run failed: ${text} (check that bwrap works here; containers often forbid user namespaces)`;
}

async function start(settings: SandboxBlock, options: SandboxOptions): Promise<Sandbox | OtherSandboxError | string> {
  const { directories, home, ripgrep, seccomp } = options;
  const { PATH } = process.env;
  const programs = { ripgrep, seccomp, bwrap: findHelper("bwrap", PATH), socat: findHelper("socat", PATH) };
  const configFor = (forbidden: Forbidden) =>
    runtimeConfig(
      settings,
      { directories: directories(), former: options.former?.() ?? [], home, temporary: [tmpdir()] },
      forbidden,
      programs,
    );
  let library: SandboxLibrary;
  try {
    library = await (options.load ?? loadSandboxLibrary)();
    const missing = await library.missing(settings.ripgrep?.command ?? ripgrep ?? undefined);
    if (missing.length > 0) return missing.join("; ");
    const config = configFor({ denyRead: [], denyWrite: [] });
    await library.start(config);
    const failure = await runTrialCommand(library, config);
    if (failure) {
      await library.stop();
      return failure;
    }
  } catch (error) {
    return error instanceof OtherSandboxError ? error : (error as Error).message;
  }
  return {
    async wrap({ script, shell, command, outside, forbidden }) {
      const mayLeave = outside && settings.allowUnsandboxedCommands !== false;
      if (mayLeave || (await options.isExcluded(command))) return null;
      const id = randomHex(16);
      const argv = await library.wrap({
        script: withTemporary(script),
        shell,
        id,
        command,
        config: configFor(forbidden),
      });
      return { argv, finish: () => library.finish(id) };
    },
    close: () => library.stop(),
  };
}
