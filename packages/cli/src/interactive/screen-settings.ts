// What the screen gets besides the settings files.

import type { Snapshot } from "@keelson/config";
import type { GlobalState } from "@keelson/config/global-state";
import type { JsonObject } from "@keelson/protocol";
import type { TerminalInvocation } from "./choice.ts";

/** Whether text is only appended: for screen readers, and for terminals that can do nothing else. */
export function isScreenReader(
  { screenReader }: Pick<TerminalInvocation, "screenReader">,
  { settings, env }: Pick<Snapshot, "settings" | "env">,
): boolean {
  return screenReader || settings.axScreenReader === true || env["TERM"] === "dumb";
}

const KEPT_OUTSIDE = ["theme", "editorMode", "preferredNotifChannel"];

/** Settings that older programs keep in the global config file. The settings files take precedence. */
export function screenDefaults(state: GlobalState): JsonObject {
  return Object.fromEntries(
    KEPT_OUTSIDE.flatMap((name) => (typeof state[name] === "string" ? [[name, state[name]]] : [])),
  );
}
