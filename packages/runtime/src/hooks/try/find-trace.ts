// Finds the hook trace of a session by its ID, the start of its ID, or its title. Without any of these, of the most
// recent session.

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { SessionLocation } from "@keelson/store";
import type { HookFiring } from "@keelson/store/hook-trace";
import { namedSession } from "@keelson/store/past";

export type FoundTrace =
  | { readonly ok: true; readonly id: string; readonly path: string; firings(): Iterable<HookFiring> }
  | { readonly ok: false; readonly message: string };

export async function findTrace(place: SessionLocation, wanted?: string): Promise<FoundTrace> {
  const found = namedSession(place, wanted);
  if ("message" in found) return { ok: false, message: found.message };
  const { hookTracePath, readHookTrace } = await import("@keelson/store/hook-trace");
  const path = hookTracePath(dirname(found.path), found.id);
  return { ok: true, id: found.id, path, firings: () => (existsSync(path) ? readHookTrace(path) : []) };
}
