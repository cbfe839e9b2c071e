// Asks, before a session with a person begins, whether this folder is trusted. Until the answer nothing of the folder is
// run, sent or taken for granted; its settings are only read.

import type { Snapshot } from "@keelson/config";
import type { ProcessIO } from "./process-io.ts";

/** Whether the folder may be worked in. A yes is written down, so that it is asked once. */
export async function askTrust(snapshot: Snapshot, io: ProcessIO): Promise<boolean> {
  if (snapshot.trusted) return true;
  await io.write(questionFor(snapshot));
  if (!isYes(await firstLine(io))) {
    await io.write("Nothing was done.\n");
    return false;
  }
  const { trustFolder } = await import("@keelson/config");
  const written = await trustFolder(snapshot);
  if (!written.ok) io.error(`Warning: your answer could not be kept, so it will be asked again: ${written.problem}`);
  return true;
}

function questionFor({ cwd, hooks }: Snapshot): string {
  const own = hooks.active.filter(({ source }) => source === "projectSettings" || source === "localSettings").length;
  const programs =
    own === 0
      ? ""
      : `It brings ${own === 1 ? "a hook that runs" : `${own} hooks that run`} without being asked about.\n`;
  return `Do you trust the files in this folder?

  ${printable(cwd)}

Keelson will read them, and with your permission change them and run commands. Settings of the folder itself then count:
rules about what needs no permission, hooks, addresses. Say yes only if you wrote it or know who did.
${programs}
  1. Yes, I trust this folder
  2. No, exit

Enter to confirm 1, or type 2 and Enter: `;
}

const isYes = (line: string | undefined) => line !== undefined && /^(?:1|y|yes)?$/i.test(line.trim());

/** Undefined at the end of the input, and when nobody could have typed what is there. */
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

/** The name of a folder must not be able to write the answer for its reader. */
const printable = (text: string) =>
  // oxlint-disable-next-line no-control-regex
  text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "?");
