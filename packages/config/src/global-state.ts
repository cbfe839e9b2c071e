// What the program remembers between starts, in the user's global config file beside trust and servers: which questions
// were answered, how often it was started, how the last session in a folder went.

import { isObject } from "@keelson/protocol";
import { valueAt } from "./check/known.ts";
import { readSettingsFile } from "./scopes/read.ts";
import type { FolderPlace } from "./write/project-flag.ts";
import { globalFileOf, MAX_BYTES } from "./trust/trust.ts";
import { NOT_EDITABLE, updateSettingsFile } from "./write/settings-file.ts";

export type GlobalState = Readonly<Record<string, unknown>>;

/** One value, and where it goes. */
export interface StateEdit {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Empty if there is no file, or it cannot be read: `load` warns about that. */
export function readGlobalState(place: FolderPlace): GlobalState {
  const reading = readSettingsFile(globalFileOf(place), { maxBytes: MAX_BYTES });
  return reading.kind === "read" ? reading.value : {};
}

export const globalFile = (place: FolderPlace): string => globalFileOf(place);

/** What it holds about a folder. */
export function folderState({ projects }: GlobalState, folder: string): GlobalState {
  const own = isObject(projects) && Object.hasOwn(projects, folder) ? projects[folder] : undefined;
  return isObject(own) ? own : {};
}

/** Returns a sentence if it fails. `edits` gets the state as it is now, which another process may have changed. */
export async function changeGlobalState(
  place: FolderPlace,
  edits: (now: GlobalState) => readonly StateEdit[],
): Promise<string | undefined> {
  const { isEditable, setAt } = await import("./write/edit.ts");
  const file = { file: globalFileOf(place), private: true, maxBytes: MAX_BYTES };
  const result = await updateSettingsFile(file, (text, settings) => {
    const wanted = edits(settings).filter(({ path, value }) => !isSame(valueAt(settings, path), value));
    if (wanted.length === 0) return { text };
    const plain = plainJson(text);
    if (plain !== undefined) {
      for (const { path, value } of wanted) put(plain, path, value);
      return { text: `${JSON.stringify(plain, null, 2)}\n` };
    }
    if (!isEditable(text)) return NOT_EDITABLE;
    return { text: wanted.reduce((changed, { path, value }) => setAt(changed, path, value), text) };
  });
  return result.kind === "refused" ? result.problem : undefined;
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Without comments the text can be written anew, which is much faster for a large file. */
function plainJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function put(object: Record<string, unknown>, [name, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    Object.defineProperty(object, name!, { value, writable: true, enumerable: true, configurable: true });
    return;
  }
  const inner = Object.hasOwn(object, name!) && isObject(object[name!]) ? object[name!] : {};
  put(inner as Record<string, unknown>, rest, value);
  put(object, [name!], inner);
}
