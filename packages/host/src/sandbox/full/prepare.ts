// Gets the full sandbox ready, or says why it cannot be.

import { tmpdir } from "node:os";
import { randomHex } from "../../random.ts";
import { runTrial } from "../shield/status.ts";
import type { SandboxedCommand, SandboxLibrary } from "./runtime-adapter.ts";
import type { Forbidden, SandboxBlock } from "./settings.ts";

export interface SandboxOptions {
  /** The working directories. Asked when the sandbox starts, and again for every command. */
  directories(): readonly string[];
  readonly home: string;
  /** Absolute paths of programs that came with us. */
  readonly ripgrep?: string | null;
  readonly seccomp?: string | null;
  /** Whether the settings keep this command out of the sandbox. The gate asks the same function. */
  isExcluded(command: string): boolean | Promise<boolean>;
  /** For tests. */
  readonly load?: () => Promise<SandboxLibrary>;
}

export interface Sandbox {
  /** The argv for a command inside; null when it is to run outside. */
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
  /** Not asked for, or not to be had; `reason` is set when it was asked for. */
  | { readonly active: false; readonly reason?: string }
  /** Asked for, not to be had, and the settings say not to start without. */
  | { readonly active: false; readonly error: string };

export async function prepareSandbox(settings: SandboxBlock, options: SandboxOptions): Promise<SandboxReadiness> {
  const reason = await start(settings, options);
  if (typeof reason !== "string") return { active: true, sandbox: reason };
  if (settings.failIfUnavailable) {
    return {
      active: false,
      error: `The sandbox is required (sandbox.failIfUnavailable) and cannot be used: ${reason}. Fix that, or turn sandbox.failIfUnavailable off`,
    };
  }
  return { active: false, reason: `The sandbox is on (sandbox.enabled) and cannot be used: ${reason}` };
}

export async function sandboxProblems(ripgrep?: string | null): Promise<readonly string[]> {
  const library = await load();
  return library.missing(ripgrep ?? undefined);
}

async function load(): Promise<SandboxLibrary> {
  const { loadSandboxLibrary } = await import("./runtime-adapter.ts");
  return loadSandboxLibrary();
}

const TRIAL = { script: "exit 0", shell: "/bin/sh", command: "exit 0" };

/** A program that is there may still fail: a container without user namespaces, a broken build. About 20 ms. */
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

async function start(settings: SandboxBlock, options: SandboxOptions): Promise<Sandbox | string> {
  const { runtimeConfig } = await import("./settings.ts");
  const { directories, home, ripgrep, seccomp } = options;
  const configFor = (forbidden: Forbidden) =>
    runtimeConfig(settings, { directories: directories(), home, temporary: [tmpdir()] }, forbidden, {
      ripgrep,
      seccomp,
    });
  let library: SandboxLibrary;
  try {
    library = await (options.load ?? load)();
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
    return (error as Error).message;
  }
  return {
    async wrap({ script, shell, command, outside, forbidden }) {
      const mayLeave = outside && settings.allowUnsandboxedCommands !== false;
      if (mayLeave || (await options.isExcluded(command))) return null;
      const id = randomHex(16);
      const argv = await library.wrap({ script, shell, id, command, config: configFor(forbidden) });
      return { argv, finish: () => library.finish(id) };
    },
    close: () => library.stop(),
  };
}
