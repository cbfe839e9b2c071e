// Reads what a background handler reports when it ends. Its decisions come too late and are dropped.

import { isObject, type HookRun } from "@keelson/protocol";
import { exited, hookFailure, stderrOf } from "./reply.ts";
import { readStdout } from "./stdout.ts";
import { bounded, handlerName, type FiredHook } from "./text.ts";

export interface BackgroundReply {
  /** Sent to the model with its next request. */
  readonly text?: string;
  /** Whether to start a run so that the model reads it now. */
  readonly wakes: boolean;
  readonly problem?: string;
}

export function readBackgroundReply(run: HookRun, about: FiredHook): BackgroundReply {
  const { label, handler } = about;
  if (run.outcome === "cancelled")
    return { wakes: false, problem: hookFailure(about, run.problem, "was cancelled in the background") };
  if (handler.type === "command" && handler.asyncRewake && run.exitCode === 2) {
    const name = handlerName(handler);
    const text = `${label} hook blocking error from command: "${name}": [${name}]: ${bounded(stderrOf(run))}`;
    return { text, wakes: true };
  }
  const printed = readStdout(run.stdout);
  const last = printed.kind === "async" ? readStdout(printed.rest) : printed;
  const text = last.kind === "json" ? messageIn(last.json) : "";
  const failed = last.kind !== "json" && (run.exitCode === undefined ? run.outcome === "error" : run.exitCode !== 0);
  return {
    ...(text !== "" && { text }),
    wakes: false,
    ...(failed && { problem: hookFailure(about, run.problem, exited(run)) }),
  };
}

/** Without the hook's name (test/conformance/hooks/rows/mechanisms.ts). */
function messageIn(json: Readonly<Record<string, unknown>>): string {
  const specific = isObject(json["hookSpecificOutput"]) ? json["hookSpecificOutput"] : {};
  return [json["systemMessage"], specific["additionalContext"]]
    .flatMap((part) => (typeof part === "string" && part !== "" ? [bounded(part)] : []))
    .join("\n");
}
