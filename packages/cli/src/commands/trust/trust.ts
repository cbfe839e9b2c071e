// keelson trust: trusts a folder, revokes trust, or lists the trusted folders.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { parseArguments, spelling, type Arguments } from "../../args/args.ts";
import { loadOptions, printError, printWarning, type ProcessIO } from "../../process-io.ts";
import { shortenFrom, visible } from "../permissions/words.ts";
import { TRUST_OWN_FLAGS, TRUST_FLAGS } from "./flags.ts";

const USAGE = `Usage: keelson trust [folder] [options]

Trust a folder (default: the current one), so that its own settings apply: allow rules, hooks,
environment variables and MCP servers. Folders inside it are not trusted. Trust a folder only if
you know who wrote its files.

Options:
${TRUST_OWN_FLAGS.map((flag) => `  ${spelling(flag).padEnd(10)}${flag.help}`).join("\n")}

Examples:
  keelson trust
  keelson trust ~/work/project
  keelson trust --revoke ~/work/project
  keelson trust --list
`;

export async function runTrust(argv: readonly string[], io: ProcessIO): Promise<number> {
  const parsed = parseArguments(argv, TRUST_FLAGS);
  if (!parsed.ok) return printError(io, parsed.error);
  const given = parsed.arguments;
  if (given.has("help")) {
    await io.write(USAGE);
    return 0;
  }
  const [name, ...more] = given.words;
  if (more.length > 0 || (given.has("list") && (name !== undefined || given.has("revoke")))) {
    return printError(io, "usage: keelson trust [--revoke] [folder], or keelson trust --list");
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
  if (stat === undefined) return printError(io, `folder not found: ${visible(folder)}`);
  if (!stat.isDirectory()) return printError(io, `not a folder: ${visible(folder)}`);

  const place = await placeOf(folder, io);
  const written = revoke ? await revokeTrust(place) : await trustFolder(place);
  if (!written.ok) return printError(io, written.problem);
  const shown = visible(place.cwd);
  const file = shortenFrom(io.cwd, io.home)(written.file);
  await io.write(`${(revoke ? revokedLines : trustedLines)(shown, written.changed ? file : undefined).join("\n")}\n`);
  if (!revoke && place.cwd === place.home) printWarning(io, "this is your home folder; trust your projects one by one");
  return 0;
}

function trustedLines(folder: string, file: string | undefined): string[] {
  if (file === undefined) return [`${folder} is already trusted`];
  return [
    `Trusted ${folder}`,
    "Its own settings now apply: allow rules, hooks, environment variables and MCP servers.",
    "Folders inside it are not trusted. To undo this: keelson trust --revoke",
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
