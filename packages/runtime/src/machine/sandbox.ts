// Prepares the sandbox that the settings ask for, before the session starts. The gate and the shell get the same state.

import type { Snapshot } from "@keelson/config";
import type { SandboxState } from "@keelson/engine";
import {
  prepareSandbox,
  programCache,
  sandboxProblems,
  shieldStatus,
  type Sandbox,
  type SandboxBlock,
  type SandboxOptions,
} from "@keelson/host";
import type { ShippedPrograms } from "../session/open-options.ts";
import { OpenError } from "../session/place.ts";

export interface SessionSandbox {
  readonly sandbox?: Sandbox;
  /** For the gate. */
  readonly state: SandboxState;
}

export async function openSandbox(
  snapshot: Snapshot,
  options: {
    readonly programs?: ShippedPrograms;
    directories(): readonly string[];
    former(): readonly string[];
    /** What the sessions of this process share. */
    readonly shared: SandboxOptions["load"];
    warn(text: string): void;
  },
): Promise<SessionSandbox> {
  const settings = (snapshot.settings["sandbox"] ?? {}) as SandboxBlock;
  const { home } = snapshot;
  const excluded = settings.excludedCommands ?? [];
  const ready = await prepareSandbox(settings, {
    directories: options.directories,
    former: options.former,
    home,
    ...(options.shared ? { load: options.shared } : {}),
    ...(settings.enabled ? await unpackedPrograms(snapshot, options.programs) : {}),
    async isExcluded(command) {
      if (excluded.length === 0) return false;
      const { analyseCommand, isExcluded } = await import("@keelson/engine/command");
      return isExcluded(analyseCommand(command), excluded);
    },
  });
  if ("error" in ready) throw new OpenError(ready.error, "setup");
  if (!ready.active && ready.reason) options.warn(ready.reason);
  return {
    ...(ready.active ? { sandbox: ready.sandbox } : {}),
    state: stateOf(settings, ready.active),
  };
}

async function unpackedPrograms(snapshot: Snapshot, { ripgrep, seccomp }: ShippedPrograms = {}) {
  const { findRipgrep } = await import("@keelson/host/ripgrep");
  const { extractProgram } = await import("@keelson/host/extract-program");
  const cacheDir = programCache(snapshot);
  return {
    ripgrep: findRipgrep({ env: snapshot.childEnv, embedded: ripgrep, cacheDir }),
    seccomp: seccomp ? extractProgram(seccomp, cacheDir) : null,
  };
}

/** The sandbox state a session would have. For explanations, which open no session. */
export async function expectedSandbox({ settings, childEnv }: Snapshot): Promise<{
  sandbox: SandboxState;
  shield: boolean;
}> {
  const wanted = (settings["sandbox"] ?? {}) as SandboxBlock;
  const active = wanted.enabled === true && (await sandboxProblems()).length === 0;
  const { active: shield } = await shieldStatus({ path: childEnv["PATH"] });
  return { sandbox: underShield(stateOf(wanted, active), shield), shield };
}

/** Leaving the shield needs a person's approval; the shield changes no other decision. */
export function underShield(sandbox: SandboxState, shield: boolean): SandboxState {
  return shield && !sandbox.active
    ? { ...sandbox, active: true, isShield: true, autoAllow: false, excluded: [] }
    : sandbox;
}

function stateOf(settings: SandboxBlock, active: boolean): SandboxState {
  return {
    active,
    autoAllow: settings.autoAllowBashIfSandboxed ?? true,
    allowUnsandboxed: settings.allowUnsandboxedCommands ?? true,
    excluded: settings.excludedCommands ?? [],
  };
}
