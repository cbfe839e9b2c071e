// What a file looks like before and after an edit, for the diff in the dialog.

import { isObject, type JsonObject } from "@keelson/protocol";

export interface EditedText {
  readonly before: string;
  readonly after: string;
}

/** `current` is null for a new file and undefined for one that could not be read. */
export function editedText(
  tool: string,
  input: JsonObject,
  current: string | null | undefined,
): EditedText | undefined {
  switch (tool) {
    case "Write":
      return typeof input["content"] === "string" ? { before: current ?? "", after: input["content"] } : undefined;
    case "Edit":
      return applied([input], current);
    case "MultiEdit":
      return Array.isArray(input["edits"]) ? applied(input["edits"], current) : undefined;
    case "NotebookEdit":
      return typeof input["new_source"] === "string" ? { before: "", after: input["new_source"] } : undefined;
    default:
      return undefined;
  }
}

function applied(edits: readonly unknown[], current: string | null | undefined): EditedText | undefined {
  const read = edits.map(readEdit);
  const known = read.filter((edit) => edit !== undefined);
  if (known.length < read.length || known.length === 0) return undefined;
  let text = current ?? "";
  for (const { from, to, all } of known) {
    // Without the file, or if it does not fit, the replaced texts are shown alone.
    if (from === "" ? text !== "" : !text.includes(from)) return alone(known);
    text = from === "" ? to : all ? text.replaceAll(from, () => to) : text.replace(from, () => to);
  }
  return { before: current ?? "", after: text };
}

const alone = (edits: readonly { from: string; to: string }[]): EditedText => ({
  before: edits.map(({ from }) => from).join("\n"),
  after: edits.map(({ to }) => to).join("\n"),
});

function readEdit(edit: unknown) {
  if (!isObject(edit)) return undefined;
  const { old_string: from, new_string: to, replace_all: all } = edit;
  return typeof from === "string" && typeof to === "string" ? { from, to, all: all === true } : undefined;
}
