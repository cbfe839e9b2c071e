// keelson trust: trusts a folder, revokes trust, or lists the trusted folders.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { spelling, type Arguments } from "../../args/args.ts";
import { loadOptions, printError, printWarning, type ProcessIO } from "../../process/process-io.ts";
import { readSingleCommand } from "../single-command.ts";
import { shellWord, shortenFrom, visible } from "../permissions/words.ts";
import { TRUST_OWN_FLAGS, TRUST_FLAGS } from "./flags.ts";

const USAGE = `Usage: keelson trust [folder] [options]

Trust a folder (default: the current one), so that all of its settings apply: allow rules,
permission modes, environment variables and more. Folders inside it are not trusted. Trust a folder
only if you know who wrote its files. What changes later only restricts until you trust it again.

Options:
${TRUST_OWN_FLAGS.map((flag) => `  ${spelling(flag).padEnd(10)}${flag.help}`).join("\n")}

Examples:
  keelson trust
  keelson trust ~/work/project
  keelson trust --revoke ~/work/project
  keelson trust --list
`;

const SYNOPSIS = "usage: keelson trust [--revoke] [folder], or keelson trust --list [--json]";

const TRUST = { name: "trust", flags: TRUST_FLAGS, usage: USAGE, synopsis: SYNOPSIS, words: 1 };

export async function runTrust(argv: readonly string[], io: ProcessIO): Promise<number> {
  const given = await readSingleCommand(TRUST, argv, io);
  if (typeof given === "number") return given;
  const [name] = given.words;
  if (given.has("list") ? name !== undefined || given.has("revoke") : given.has("json")) {
    return printError(io, SYNOPSIS);
  }
  const { ConfigError } = await import("@keelson/config");
  try {
    if (given.has("list")) return await list(given, io);
    return await change(resolve(io.cwd, name ?? "."), given.has("revoke"), io);
  } catch (error) {
    if (error instanceof ConfigError) return printError(io, error.message);
    throw error;
  }
}

async function list(given: Arguments, io: ProcessIO): Promise<number> {
  const { trustedFolders } = await import("@keelson/config");
  const folders = await trustedFolders(await placeOf(io.cwd, io));
  if (given.has("json")) await io.write(`${JSON.stringify({ folders }, null, 2)}\n`);
  else await io.write(`${(folders.length > 0 ? folders.map(visible) : ["No trusted folders"]).join("\n")}\n`);
  return 0;
}

async function change(folder: string, revoke: boolean, io: ProcessIO): Promise<number> {
  const { revokeTrust, trustFolder } = await import("@keelson/config");
  const stat = statSync(folder, { throwIfNoEntry: false });
  const notFound = `folder not found: ${visible(folder)}`;
  if (stat === undefined && !revoke) return printError(io, notFound);
  if (stat?.isDirectory() === false) return printError(io, `not a folder: ${visible(folder)}`);

  // A folder that is gone can still be in the list, and would be trusted again if someone created it.
  const place = stat ? await placeOf(folder, io) : { ...(await placeOf(io.cwd, io)), cwd: folder };
  const written = revoke ? await revokeTrust(place) : await trustFolder(place);
  if (!written.ok) return printError(io, written.problem);
  if (stat === undefined && !written.changed) return printError(io, notFound);
  const shown = visible(place.cwd);
  const file = shortenFrom(io.cwd, io.home)(written.file);
  const undo = `keelson trust --revoke${folder === io.cwd ? "" : ` ${shellWord(shown)}`}`;
  const saved = written.changed ? file : undefined;
  const accepted = "accepted" in written && written.accepted === true;
  const lines = revoke ? revokedLines(shown, saved) : trustedLines({ folder: shown, file: saved, accepted, undo });
  await io.write(`${lines.join("\n")}\n`);
  if (!revoke && place.cwd === place.home) printWarning(io, "this is your home folder; trust your projects one by one");
  return 0;
}

interface TrustedNow {
  readonly folder: string;
  /** Undefined if it was trusted before. */
  readonly file: string | undefined;
  readonly accepted: boolean;
  readonly undo: string;
}

function trustedLines({ folder, file, accepted, undo }: TrustedNow): string[] {
  if (file === undefined && accepted) return [`Accepted what changed in ${folder}; its settings apply as they are now`];
  if (file === undefined) return [`${folder} is already trusted`];
  return [
    `Trusted ${folder}`,
    "All of its settings now apply: allow rules, permission modes, environment variables and more.",
    `Folders inside it are not trusted. To undo this: ${undo}`,
    `Saved in ${file}`,
  ];
}

function revokedLines(folder: string, file: string | undefined): string[] {
  if (file === undefined) return [`${folder} is not trusted`];
  return [`Revoked trust in ${folder}`, `Saved in ${file}`];
}

/** Finds the file that holds trust. Reads no settings file: a broken one must not stop this command. */
async function placeOf(cwd: string, io: ProcessIO) {
  const { load } = await import("@keelson/config");
  return load(loadOptions({ ...io, cwd }, { settingSources: [] }));
}
