// Wraps a command in the full sandbox if it is enabled, in the shield otherwise, or in nothing if neither is available.
// Afterwards it tells the model what was blocked.

import { ToolError } from "@keelson/engine";
import type { Sandbox } from "./full/prepare.ts";
import type { Shield } from "./shield/shield.ts";

export interface ConfinedCommand {
  readonly shell: string;
  readonly script: string;
  readonly command: string;
  readonly cwd: string;
  /** The id of the tool call. */
  readonly id: string;
  /** The subagent that runs it. */
  readonly owner?: string | undefined;
  /** The call was allowed to run outside the sandbox. */
  readonly outside: boolean;
  /** It opens no file and runs nothing that a command could replace, so it does not need the shield, which costs 3 ms. */
  readonly isHarmless?: boolean;
}

export interface Confined {
  readonly argv: string[];
  /** The started process only waits for the command. */
  readonly isWrapper: boolean;
  /** Whether nothing of it ran, and it may if it is started again. Call before `leave`. */
  mustStartAgain?(result: { readonly text: string; readonly code: number | null }): boolean;
  /** Call once, when the command has ended. Returns notes for the model. */
  leave(result: { readonly text: string; readonly code: number | null }): string[];
  /** Call once, when its children have ended too. */
  release(): void;
}

export interface Confinement {
  readonly shield?: Shield;
  readonly sandbox?: Sandbox;
  /** Whether the user allowed this call, or every call of this agent, to change guarded paths. */
  mayChangeGuarded?(id: string, owner: string | undefined): boolean;
}

const ASK_OUTSIDE = "If the command needs this, call again with dangerouslyDisableSandbox: true, which asks the user.";

export async function confine(confinement: Confinement, command: ConfinedCommand): Promise<Confined> {
  const { shield, sandbox } = confinement;
  const { shell, script, cwd, owner, outside } = command;
  const plain = [shell, "-c", script];
  const guarded = !confinement.mayChangeGuarded?.(command.id, owner);

  if (sandbox) {
    const paths = await shield?.paths({ cwd, owner, guarded });
    const forbidden = { denyRead: paths?.hidden ?? [], denyWrite: paths?.readOnly ?? [] };
    const abandon = () => {
      paths?.leave();
      paths?.release();
    };
    const inside = await sandbox
      .wrap({ script, shell, command: command.command, outside, forbidden })
      .catch((error: Error) => {
        abandon();
        throw new ToolError(`The sandbox could not be set up for this command: ${error.message}`);
      });
    if (inside) {
      return {
        argv: inside.argv,
        isWrapper: false,
        leave(result) {
          // First, because it removes the empty files that kept others from being created.
          const violations = inside.finish();
          return [...(paths?.leave() ?? []), ...sandboxNotes(violations, result)];
        },
        release: () => paths?.release(),
      };
    }
    abandon();
  }

  const shielded = command.isHarmless
    ? null
    : await shield?.wrap(plain, { cwd, owner, guarded, command: command.command });
  if (!shielded) return { argv: plain, isWrapper: false, leave: () => [], release() {} };
  return {
    argv: shielded.argv,
    isWrapper: shielded.isWrapper,
    mustStartAgain: (result) => shielded.mustStartAgain(result),
    leave: (result) => [
      ...shielded.leave(result),
      ...(guarded ? shieldNotes(result, outside) : []),
      ...socketNotes(result, shielded.hiddenSockets),
    ],
    release() {},
  };
}

/** Error messages of the C library and of Node for a guarded path. */
const SHIELD_ERROR = /Read-only file system|Device or resource busy|\bEROFS\b|\bEBUSY\b/;

/** A rule lets a command leave the sandbox, but not the shield. */
const LEFT_BY_RULE =
  "A rule let this command leave the sandbox, which does not lift that. Ask the user to make the change.";

function shieldNotes({ text, code }: { readonly text: string; readonly code: number | null }, outside: boolean) {
  if (code === 0 || !SHIELD_ERROR.test(text)) return [];
  return [
    `Commands cannot change protected paths (the configuration folder, git hooks, .claude, .mcp.json, shell startup files and so on). ${outside ? LEFT_BY_RULE : ASK_OUTSIDE}`,
  ];
}

const BUS_ERROR = /\bto bus\b|\bD-?Bus\b|\bAccessDenied\b/i;

function socketNotes(
  { text, code }: { readonly text: string; readonly code: number | null },
  hidden: readonly string[],
) {
  if (code === 0 || hidden.length === 0) return [];
  if (!BUS_ERROR.test(text) && !hidden.some((path) => text.includes(path))) return [];
  return [
    "Commands cannot connect to the user's other programs (tmux, screen, editors, the session bus and so on), because those act " +
      `outside the shield. A tmux of its own works: tmux -L NAME. ${ASK_OUTSIDE}`,
  ];
}

const SANDBOX_ERROR = /Read-only file system|Operation not permitted|Permission denied|\bE(?:ROFS|PERM|ACCES)\b/;

function sandboxNotes(violations: readonly string[], { text, code }: { text: string; code: number | null }): string[] {
  if (violations.length > 0) {
    return [`The sandbox blocked this command:\n${violations.map((line) => `- ${line}`).join("\n")}\n${ASK_OUTSIDE}`];
  }
  if (code === 0 || !SANDBOX_ERROR.test(text)) return [];
  const what = text.split("\n").find((line) => SANDBOX_ERROR.test(line))!;
  return [
    `The sandbox may have blocked this command: ${what.trim().slice(0, 300)}\nWriting is limited to the working directories, and the network to allowed domains. ${ASK_OUTSIDE}`,
  ];
}
