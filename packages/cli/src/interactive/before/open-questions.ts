// Which questions have to be answered before a session starts, in their order. Pure but for the files that may include
// others.

import type { Snapshot } from "@keelson/config";
import type { GlobalState } from "@keelson/config/global-state";
import { isObject } from "@keelson/protocol";
import type { ProcessIO } from "../../process/process-io.ts";
import { mayIncludeFiles } from "./may-include.ts";

export type Question =
  | "setup"
  /** Whether to trust the folder. Nothing in it is run before. */
  | "trust"
  /** Whether what changed in a trusted folder applies. */
  | "changed"
  /** Whether to use the key in ANTHROPIC_API_KEY. */
  | "key"
  /** Which servers of `.mcp.json` to use. */
  | "servers"
  /** Whether instruction files may include files from outside. */
  | "includes"
  /** Whether to ask nothing more. */
  | "bypass";

export interface BeforeSession {
  readonly snapshot: Snapshot;
  readonly state: GlobalState;
  readonly io: Pick<ProcessIO, "env">;
}

export function openQuestions({ snapshot, state, io }: BeforeSession): readonly Question[] {
  const { trusted, held = [], mode, settings, mcp } = snapshot;
  const isOpen: Readonly<Record<Question, () => boolean>> = {
    setup: () => state["hasCompletedOnboarding"] !== true,
    trust: () => !trusted,
    changed: () => trusted && held.length > 0,
    key: () => keyAnswer(io.env, state) === "open",
    servers: () => trusted && waitingServers(mcp).length > 0,
    // Which files, and whether the user was asked about them, is found out when it is this question's turn.
    includes: () => trusted && mayIncludeFiles(snapshot.cwd),
    bypass: () =>
      mode === "bypassPermissions" &&
      state["bypassPermissionsModeAccepted"] !== true &&
      settings.skipDangerousModePermissionPrompt !== true,
  };
  return (Object.keys(isOpen) as Question[]).filter((question) => isOpen[question]());
}

/** The servers of `.mcp.json` files that the user has not decided about, or that changed since, sorted by name. */
export function waitingServers({ servers, unused }: Snapshot["mcp"]) {
  return [
    ...servers.filter(({ unapproved }) => unapproved === true),
    ...unused.filter(({ changed, unapproved }) => changed === true || unapproved === true),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Only this much of a key is kept, as compatible programs do. */
export const keyTail = (key: string) => key.slice(-20);

export function keyAnswer(env: ProcessIO["env"], state: GlobalState): "none" | "approved" | "rejected" | "open" {
  const key = env["ANTHROPIC_API_KEY"]?.trim();
  if (!key) return "none";
  const answers = state["customApiKeyResponses"];
  const has = (list: unknown) => Array.isArray(list) && list.includes(keyTail(key));
  if (!isObject(answers)) return "open";
  return has(answers["approved"]) ? "approved" : has(answers["rejected"]) ? "rejected" : "open";
}
