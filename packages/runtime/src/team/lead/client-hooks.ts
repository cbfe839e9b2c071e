// Hooks that are functions in the lead's client guard the calls of its teammates too: each teammate knows them by their ids,
// and the lead calls them. Pure.

import type { HookRegistration, JsonObject } from "@keelson/protocol";

/** As `initialize` has them; nothing if there are none. */
export function clientHooks(registered: readonly HookRegistration[]): { readonly clientHooks?: JsonObject } {
  const hooks: Record<string, JsonObject[]> = {};
  for (const { event, matcher, handler } of registered) {
    if (handler.type !== "callback") continue;
    const { callbackId, timeout, onFailure } = handler;
    (hooks[event] ??= []).push({
      hookCallbackIds: [callbackId],
      ...(matcher === undefined ? {} : { matcher }),
      ...(timeout === undefined ? {} : { timeout }),
      ...(onFailure === undefined ? {} : { onFailure }),
    });
  }
  return Object.keys(hooks).length === 0 ? {} : { clientHooks: hooks };
}
