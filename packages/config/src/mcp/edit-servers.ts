// Adds and removes servers in the files of the three scopes. The rest of a file keeps its order, layout and comments.

import { dirname, join } from "node:path";
import { isObject, type JsonObject } from "@keelson/protocol";
import { valueAt } from "../check/known.ts";
import { readSettingsFile } from "../scopes/read.ts";
import type { Snapshot } from "../load/snapshot.ts";
import { mcpFiles } from "../load/sources.ts";
import { globalFileOf, MAX_BYTES } from "../trust/trust.ts";
import { isEditable, removeKey, setAt } from "../write/edit.ts";
import { NOT_EDITABLE, updateSettingsFile, type Change } from "../write/settings-file.ts";

export type EditScope = "local" | "project" | "user";

export type EditPlace = Pick<Snapshot, "cwd" | "home" | "configDir" | "origin">;

export type Edited = { readonly ok: true; readonly file: string } | { readonly ok: false; readonly problem: string };

export interface ServerDefinition {
  readonly scope: EditScope;
  readonly file: string;
  readonly entry: unknown;
}

/** Where the servers of a scope are: the file and the path inside it. Projects are in the working directory itself. */
function placeOf(scope: EditScope, place: EditPlace): { readonly file: string; readonly path: readonly string[] } {
  if (scope === "project") return { file: join(place.cwd, ".mcp.json"), path: ["mcpServers"] };
  const file = globalFileOf(place);
  return { file, path: scope === "user" ? ["mcpServers"] : ["projects", place.cwd, "mcpServers"] };
}

/** Refuses to replace a server of the same name. */
export async function addServer(name: string, entry: JsonObject, scope: EditScope, place: EditPlace): Promise<Edited> {
  const { file, path } = placeOf(scope, place);
  return edit(
    { file, scope, place },
    (text, settings) => {
      if (valueAt(settings, [...path, name]) !== undefined) {
        return { problem: `already has an MCP server "${name}"; remove it first` };
      }
      return { text: setAt(text, [...path, name], entry) };
    },
    (now) => JSON.stringify(valueAt(now, [...path, name])) === JSON.stringify(entry),
  );
}

export async function removeServer(name: string, { scope, file }: ServerDefinition, place: EditPlace): Promise<Edited> {
  const { path } = placeOf(scope, place);
  return edit(
    { file, scope, place },
    (text, settings) => {
      const isThere = valueAt(settings, [...path, name]) !== undefined;
      return isThere ? { text: removeKey(text, path, name) } : { problem: `has no MCP server "${name}"` };
    },
    (now) => valueAt(now, [...path, name]) === undefined,
  );
}

/** Every definition of a name, highest precedence first. Files that cannot be read define nothing. */
export function definitionsOf(name: string, place: EditPlace): readonly ServerDefinition[] {
  const { project } = mcpFiles({ folder: place.cwd, home: place.home, managedDir: "" });
  const places: { scope: EditScope; file: string; path: readonly string[] }[] = [
    { scope: "local", ...placeOf("local", place) },
    ...project.map((file) => ({ scope: "project" as const, file, path: ["mcpServers"] })),
    { scope: "user", ...placeOf("user", place) },
  ];
  return places.flatMap(({ scope, file, path }) => {
    const reading = readSettingsFile(file, { maxBytes: MAX_BYTES });
    const entry = reading.kind === "read" ? valueAt(reading.value, [...path, name]) : undefined;
    return entry === undefined ? [] : [{ scope, file, entry }];
  });
}

async function edit(
  { file, scope, place }: { readonly file: string; readonly scope: EditScope; readonly place: EditPlace },
  change: Change,
  holds: (now: unknown) => boolean,
): Promise<Edited> {
  const folder = dirname(file);
  // A link in a repository must not lead to a file elsewhere.
  const where =
    scope === "project"
      ? { private: false, within: folder, folder: { ...place, cwd: folder } }
      : { private: true, maxBytes: MAX_BYTES };
  const result = await updateSettingsFile({ file, ...where }, (text, settings) => {
    if (!isEditable(text)) return NOT_EDITABLE;
    const changed = change(text, settings);
    if ("problem" in changed) return changed;
    const now: unknown = Bun.JSONC.parse(changed.text.replace(/^\ufeff/, ""));
    return isObject(now) && holds(now) ? changed : { problem: "could not be changed; is mcpServers an object?" };
  });
  return result.kind === "refused" ? { ok: false, problem: result.problem } : { ok: true, file };
}
