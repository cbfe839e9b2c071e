// Reads files that may be links into places that rules deny, without opening a session.

import type { Snapshot } from "@keelson/config";

/** The gate is asynchronous, reading is not: it is asked about unknown files afterwards, then they are read again. */
export async function readGuarded<S>(snapshot: Snapshot, read: (isDenied: (path: string) => boolean) => S): Promise<S> {
  if (!snapshot.rules.some(({ behavior }) => behavior === "deny")) return read(() => false);
  const denied = new Map<string, boolean>();
  for (;;) {
    const unknown = new Set<string>();
    const found = read((path) => denied.get(path) ?? unknown.add(path).has(path));
    if (unknown.size === 0) return found;
    const { openExplainer } = await import("@keelson/runtime/explain");
    const explainer = openExplainer(snapshot);
    for (const path of unknown) {
      const judged = await explainer.judge({ tool: "Read", input: { file_path: path } });
      denied.set(path, !judged.ok || judged.decision.behavior === "deny");
    }
  }
}
