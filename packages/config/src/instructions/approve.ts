// Writes down that a project may, or may no longer, bring in instruction files from elsewhere.

import { isObject } from "@keelson/protocol";
import { isEditable, setAt } from "../edit.ts";
import { NOT_EDITABLE, updateSettingsFile } from "../settings-file.ts";
import { APPROVAL, approvalFile, type ApprovalPlace } from "./approval.ts";

export type Approved =
  | { readonly ok: true; readonly file: string; readonly changed: boolean }
  | { readonly ok: false; readonly problem: string };

export async function writeApproval(place: ApprovalPlace, approved: boolean): Promise<Approved> {
  const file = approvalFile(place);
  const path = ["projects", place.cwd, APPROVAL];
  const result = await updateSettingsFile({ file, private: true }, (text, settings) => {
    if (!isEditable(text)) return NOT_EDITABLE;
    if (valueAt(settings, path) === approved || (!approved && valueAt(settings, path) === undefined)) return { text };
    const changed = setAt(text, path, approved);
    const now: unknown = Bun.JSONC.parse(changed.replace(/^\ufeff/, ""));
    return valueAt(now, path) === approved ? { text: changed } : { problem: `could not be changed at ${APPROVAL}` };
  });
  if (result.kind === "refused") return { ok: false, problem: result.problem };
  return { ok: true, file, changed: result.kind === "written" };
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), value);
}
