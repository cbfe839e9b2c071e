// Requests that steer the run itself: its mode, the prompts that wait.

import { isPermissionMode, PERMISSION_MODES } from "@keelson/protocol";
import { done, failed, textIn, type Handler } from "../reply.ts";

export const setPermissionMode: Handler = ({ mode }, { gate }) => {
  if (!isPermissionMode(mode)) {
    return failed(`Cannot set permission mode: must be one of ${PERMISSION_MODES.join(", ")}`, "invalid_mode");
  }
  const refusal = gate.setMode(mode);
  if (refusal === undefined) return done({ mode });
  return failed(refusal, mode === "bypassPermissions" ? "bypass_not_launched" : undefined);
};

/** What is under way is stopped by the caller first: an open question is withdrawn before the reply (observed). */
export const interrupted: Handler = ({ cancel_queued: cancel }, { queued, cancelQueued }) => {
  if (cancel !== true) return done({ still_queued: queued() });
  const cancelled = cancelQueued();
  return done({ still_queued: queued(), cancelled });
};

export const cancelAsyncMessage: Handler = (request, { cancelQueued }) =>
  done({ cancelled: cancelQueued(textIn(request, "message_uuid")).length > 0 });

/** We send the same whether anybody listens or not. */
export const acknowledge: Handler = () => done();
