// Trusts a folder, lists the trusted ones and takes trust back, for `keelson trust` and the question before a session.

import { realpathSync } from "node:fs";
import { isObject } from "@keelson/protocol";
import { ConfigError } from "../errors.ts";
import { readSettingsFile } from "../scopes/read.ts";
import { recordTrust } from "./present.ts";
import { forgetTrustRecord } from "./record.ts";
import { globalFileOf, MAX_BYTES, TRUSTED } from "./trust.ts";
import { writeProjectFlag, type FlagWritten, type FolderPlace } from "../write/project-flag.ts";

/** Every trusted folder. Throws ConfigError when the file cannot be read. */
export async function trustedFolders(place: FolderPlace): Promise<readonly string[]> {
  const file = globalFileOf(place);
  const reading = readSettingsFile(file, { maxBytes: MAX_BYTES });
  if (reading.kind === "broken") throw new ConfigError(`${file} is ${reading.problem}`);
  const projects = reading.kind === "read" ? reading.value["projects"] : undefined;
  return Object.entries(isObject(projects) ? projects : {}).flatMap(([folder, project]) =>
    isObject(project) && project[TRUSTED] === true ? [folder] : [],
  );
}

/** Records that the user trusts the folder, and what is in it now. `accepted`: that was something else before. */
export async function trustFolder(place: FolderPlace): Promise<FlagWritten & { readonly accepted?: boolean }> {
  const written = await writeProjectFlag(place, TRUSTED, true);
  if (!written.ok) return written;
  const { cwd: folder, home, configDir, origin } = place;
  return { ...written, accepted: recordTrust({ folder, home, configDir, uid: origin.uid }) };
}

/** Also under other names of the same folder, such as links: trust is looked up by those too. */
export async function revokeTrust(place: FolderPlace): Promise<FlagWritten> {
  const others = (await trustedFolders(place)).filter((name) => name !== place.cwd && realPath(name) === place.cwd);
  let written = await writeProjectFlag(place, TRUSTED, false);
  for (const cwd of others) {
    if (!written.ok) return written;
    const { changed } = written;
    const next = await writeProjectFlag({ ...place, cwd }, TRUSTED, false);
    written = next.ok ? { ...next, changed: changed || next.changed } : next;
  }
  // Only now: a trusted folder without a record is believed as it is. The record of one that was not trusted restricts it.
  if (written.ok && written.changed) forgetTrustRecord(place.configDir, place.cwd);
  return written;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
