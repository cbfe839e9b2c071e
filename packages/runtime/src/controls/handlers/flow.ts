// Requests that steer the run and are answered at once: its mode, its end, the prompts in the queue.

import { isPermissionMode, PERMISSION_MODES, type JsonObject } from "@keelson/protocol";
import { done, failed, fieldsIn, textIn, type ControlHandler } from "../reply.ts";
import type * as PromptHistory from "./prompt-history.ts";

/** The run is stopped first: an open question must be withdrawn before the reply is sent. */
export const interrupt: ControlHandler<"interrupt"> = (
  { cancel_queued: cancel },
  { queued, cancelQueued },
  { interruptRun },
) => {
  interruptRun();
  if (cancel !== true) return done({ still_queued: queued() });
  const cancelled = cancelQueued();
  return done({ still_queued: queued(), cancelled });
};

export const setPermissionMode: ControlHandler<"set_permission_mode"> = ({ mode }, { permissions }) => {
  if (!isPermissionMode(mode)) {
    return failed(`Cannot set permission mode: must be one of ${PERMISSION_MODES.join(", ")}`, "invalid_mode");
  }
  const refusal = permissions.setMode(mode);
  if (refusal === undefined) return done({ mode });
  return failed(refusal, mode === "bypassPermissions" ? "bypass_not_launched" : undefined);
};

/** Answered at once because the prompt may be about to run. */
export const cancelAsyncMessage: ControlHandler<"cancel_async_message"> = (request, { cancelQueued }) =>
  done({ cancelled: cancelQueued(textIn(request, "message_uuid")).length > 0 });

/**
 * Keelson only: the user runs a command in the session's shell, and the model reads what came out. Answered when it is
 * queued, so that it keeps its place among the prompts.
 */
export const runShellCommand: ControlHandler<"run_shell_command"> = (
  request,
  { queueShellCommand, takesPrompts, newId },
) => {
  const command = textIn(request, "command").trim();
  if (command === "") return failed('run_shell_command: "command" must not be empty');
  if (!takesPrompts()) return failed("run_shell_command: the session is ending");
  const { uuid: given } = request;
  const ids = { uuid: typeof given === "string" ? given : newId(), toolUseId: `toolu_${newId()}` };
  queueShellCommand(command, ids);
  return done({ user_message_uuid: ids.uuid, tool_use_id: ids.toolUseId });
};

/** A message from an MCP server inside the client. */
export const mcpMessage: ControlHandler<"mcp_message"> = (request, _targets, { receiveMcp }) => {
  receiveMcp(String(request.server_name), (fieldsIn(request, "message") ?? {}) as JsonObject);
  return done();
};

/** At once: the session may be about to end, as after `/exit`. What reads and writes the file is loaded with the first line. */
export const keepTyped: ControlHandler<"add_prompt_history"> = (request, targets, asked) => {
  const { addPromptHistory } = require("./prompt-history.ts") as typeof PromptHistory;
  return addPromptHistory(request, targets, asked);
};

export const endSession: ControlHandler<"end_session"> = (_request, _targets, { endSession: after }) =>
  done(undefined, { after });

/** For requests that need no action: we send the same messages with and without subscribers. */
export const acknowledge: ControlHandler<"set_has_subscribers"> = () => done();
