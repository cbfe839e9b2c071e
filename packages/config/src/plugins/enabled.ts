// Which plugins the settings files enable: the highest file decides, but a repository does not enable what the user
// disabled. Pure, except that it may look into git's index.

import type { Scope } from "../scopes/scopes.ts";
import type * as Tracked from "../scopes/tracked.ts";

export interface PluginChoice {
  readonly id: string;
  readonly enabled: boolean;
  /** Who decided. */
  readonly by: Scope["source"];
  /** Why it is disabled, one clause; only if not enabled. */
  readonly why?: string;
}

/** `scopes` go from the lowest precedence to the highest, without what each may not set. */
export function pluginChoices(
  scopes: readonly Scope[],
  isTracked = (file: string) => (require("../scopes/tracked.ts") as typeof Tracked).isTracked(file),
): readonly PluginChoice[] {
  const choices = new Map<string, PluginChoice>();
  for (const scope of scopes) {
    const { source, file = "--settings" } = scope;
    for (const [id, value] of Object.entries(scope.settings.enabledPlugins ?? {})) {
      // A list of versions also enables it.
      const enabled = value === true || Array.isArray(value);
      const before = choices.get(id);
      if (enabled && before?.enabled === false && isShipped(scope, isTracked) && before.by === "userSettings") {
        const why = `${before.why}, which a repository cannot change; to enable it, run: keelson plugin enable ${id}`;
        choices.set(id, { ...before, why });
      } else {
        choices.set(id, { id, enabled, by: source, ...(enabled ? {} : { why: `${file} disables it` }) });
      }
    }
  }
  return [...choices.values()];
}

/** A local file is the user's own, unless it came with the repository. */
function isShipped({ source, file }: Scope, isTracked: (file: string) => boolean): boolean {
  return source === "projectSettings" || (source === "localSettings" && file !== undefined && isTracked(file));
}

/** Plugins that only files of an untrusted folder enable. */
export function untrustedChoices(read: readonly Scope[], used: readonly PluginChoice[]): readonly string[] {
  const known = new Set(used.map(({ id }) => id));
  const asked = read
    .filter(({ source }) => source === "projectSettings" || source === "localSettings")
    .flatMap(({ settings }) => Object.entries(settings.enabledPlugins ?? {}))
    .filter(([id, value]) => value !== false && !known.has(id));
  return [...new Set(asked.map(([id]) => id))];
}
