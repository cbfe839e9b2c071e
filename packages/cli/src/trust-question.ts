// Asks whether to trust the folder before an interactive session starts. Until then its settings are read, but nothing
// in the folder is run or sent.

import type { Snapshot } from "@keelson/config";
import { printWarning, type ProcessIO } from "./process-io.ts";

/** Whether to go ahead. A yes is saved, so that the question is asked once. */
export async function askTrust(snapshot: Snapshot, io: ProcessIO): Promise<boolean> {
  if (snapshot.trusted) return true;
  await io.write(questionFor(snapshot));
  if (!isYes(await firstLine(io))) {
    await io.write("Nothing was changed.\n");
    return false;
  }
  const { trustFolder } = await import("@keelson/config");
  const written = await trustFolder(snapshot);
  if (!written.ok) printWarning(io, `your answer was not saved, so you will be asked again: ${written.problem}`);
  return true;
}

function questionFor({ cwd, hooks }: Snapshot): string {
  const own = hooks.active.filter(({ source }) => source === "projectSettings" || source === "localSettings").length;
  const programs =
    own === 0 ? "" : `It has ${own === 1 ? "a hook that runs" : `${own} hooks that run`} without approval.\n`;
  return `Do you trust the files in this folder?

  ${printable(cwd)}

Keelson will read these files and, with your approval, edit them and run commands. The folder's own settings will apply:
rules for what runs without approval, hooks, environment variables. Say yes only if you know who wrote them.
${programs}
  1. Yes, I trust this folder
  2. No, exit

Enter to confirm 1, or type 2 and Enter: `;
}

const isYes = (line: string | undefined) => line !== undefined && /^(?:1|y|yes)?$/i.test(line.trim());

/** Undefined at the end of the input, and for a line too long to have been typed. */
async function firstLine(io: ProcessIO): Promise<string | undefined> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of io.stdin()) {
    text += decoder.decode(chunk, { stream: true });
    const end = text.search(/[\r\n]/);
    if (end >= 0) return text.slice(0, end);
    if (text.length > 1_000) return undefined;
  }
  return undefined;
}

/** A folder name must not be able to fake parts of the question. */
const printable = (text: string) =>
  // oxlint-disable-next-line no-control-regex
  text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "?");
