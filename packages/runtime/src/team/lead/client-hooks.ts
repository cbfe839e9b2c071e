// Hooks that are functions in the lead's client guard the calls of its teammates too: each teammate knows them by their ids,
// and the lead calls them. Pure.

import type { CallbackHook, HookRegistration, JsonObject } from "@keelson/protocol";
import { FIRST_CLIENT } from "../../stream/clients.ts";

/** A hook's id for members. Those of the client that the lead was opened for keep theirs. */
function idOf({ callbackId, client }: CallbackHook): string {
  return client === FIRST_CLIENT ? callbackId : `${client}/${callbackId}`;
}

/** The function that a member means. */
export function clientHook(
  id: string,
  registered: readonly HookRegistration[],
): Pick<CallbackHook, "callbackId" | "client"> {
  const found = registered.find(({ handler }) => handler.type === "callback" && idOf(handler) === id);
  return found?.handler.type === "callback" ? found.handler : { callbackId: id, client: FIRST_CLIENT };
}

/** As `initialize` has them; nothing if there are none. */
export function clientHooks(registered: readonly HookRegistration[]): { readonly clientHooks?: JsonObject } {
  const hooks: Record<string, JsonObject[]> = {};
  for (const { event, matcher, handler } of registered) {
    if (handler.type !== "callback") continue;
    const { timeout, onFailure } = handler;
    (hooks[event] ??= []).push({
      hookCallbackIds: [idOf(handler)],
      ...(matcher === undefined ? {} : { matcher }),
      ...(timeout === undefined ? {} : { timeout }),
      ...(onFailure === undefined ? {} : { onFailure }),
    });
  }
  return Object.keys(hooks).length === 0 ? {} : { clientHooks: hooks };
}
