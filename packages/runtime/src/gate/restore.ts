// Permission to restore a file by a rewind. The user asked for the rewind, so ordinary edits need no further question. All
// else is as for an edit of the model: deny and ask rules, protected files, files outside the working directories.

import { findTool } from "@keelson/engine";
import { NOTHING_SAID, type PermissionMode } from "@keelson/protocol";
import type { FileRestore } from "@keelson/store/checkpoints";
import { approverOf } from "../hooks/open-hooks.ts";
import type { RunParts } from "../session/ports.ts";
import { Approvals } from "./approvals.ts";

/** Resolves to why a file may not be restored. With `dryRun`, no one is asked: what they may answer is not refused. */
export type RestoreRefusal = (restore: FileRestore, how: RestoreOptions) => Promise<string | undefined>;

export interface RestoreOptions {
  readonly dryRun: boolean;
  /** Withdraws a question. */
  readonly signal: AbortSignal;
}

export async function openRestoreGate(
  parts: Pick<RunParts, "storage" | "gate" | "hooks" | "mcp">,
): Promise<RestoreRefusal> {
  const { storage, gate: own, hooks, mcp } = parts;
  const { state, folders, outbox, newId } = storage;
  const mode = (): PermissionMode => (own.mode === "bypassPermissions" ? own.mode : "acceptEdits");
  const gate = own.forAgent({
    ruleBook: own.ruleBook,
    mode,
    cwd: () => own.cwd,
    directories: () => folders.workspace.directories,
    git: own.git,
  });
  const person = own.mode === "dontAsk" ? undefined : (await approverOf(storage, mcp))();
  const approvals = new Approvals({
    gate,
    person: () => person,
    fire: hooks.fire,
    originOf: () => undefined,
    openClassifier: () => Promise.reject(new Error("unreachable: the mode is never auto")),
    show: (signal) => outbox.show(signal),
  });
  return async ({ path, bytes }, { dryRun, signal }) => {
    const input = { file_path: path, content: textOf(bytes), rewind: bytes ? RESTORES : DELETES };
    const call = { type: "tool_use", id: newId(), name: "Write", input } as const;
    const tool = findTool(state.allTools, "Write")!;
    const request = { call, tool, input, access: { kind: "edit", path }, hook: NOTHING_SAID } as const;
    const decision = await gate.decide(request);
    if (gate.judgedPath(call, path) !== path) return "Its path leads elsewhere through a link";
    if (decision.behavior === "allow" || (decision.behavior === "ask" && person && dryRun)) return undefined;
    if (decision.behavior === "deny") return decision.message;
    if (!person) return `${decision.reason}${/[.!?]$/.test(decision.reason) ? "" : "."} ${UNASKED}`;
    const answer = await approvals.permit(request, signal);
    if (answer.behavior === "deny") return answer.message;
    return Bun.deepEquals(answer.input, input) ? undefined : "The answer changed what was to be restored";
  };
}

const RESTORES = "Restores the file as it was before the prompt";
const DELETES = "Deletes the file, because it did not exist before the prompt";
const UNASKED = "No one is available to approve it; restore it yourself, or rewind at a terminal";

/** As questions show it. */
function textOf(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return "";
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return `[${bytes.length} bytes that are not text]`;
  }
}
