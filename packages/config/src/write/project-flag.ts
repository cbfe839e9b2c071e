// Writes a yes or no about a folder to the user's global config file: trust, external includes.

import { valueAt } from "../check/known.ts";
import { isEditable, setAt } from "./edit.ts";
import { NOT_EDITABLE, updateSettingsFile } from "./settings-file.ts";
import type { Snapshot } from "../load/snapshot.ts";
import { globalFileOf } from "../trust/trust.ts";

export type FolderPlace = Pick<Snapshot, "cwd" | "home" | "configDir" | "origin">;

export type FlagWritten =
  | { readonly ok: true; readonly file: string; readonly changed: boolean }
  | { readonly ok: false; readonly problem: string };

export async function writeProjectFlag(place: FolderPlace, flag: string, value: boolean): Promise<FlagWritten> {
  const file = globalFileOf(place);
  const path = ["projects", place.cwd, flag];
  const result = await updateSettingsFile({ file, private: true }, (text, settings) => {
    if (!isEditable(text)) return NOT_EDITABLE;
    if (valueAt(settings, path) === value || (!value && valueAt(settings, path) === undefined)) return { text };
    const changed = setAt(text, path, value);
    const now: unknown = Bun.JSONC.parse(changed.replace(/^\ufeff/, ""));
    return valueAt(now, path) === value ? { text: changed } : { problem: `could not be changed at ${flag}` };
  });
  if (result.kind === "refused") return { ok: false, problem: result.problem };
  return { ok: true, file, changed: result.kind === "written" };
}
