// The checks of `keelson doctor`, one function each. They change nothing and never print a secret.

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import {
  ConfigError,
  inspect,
  load,
  settingsFiles,
  type Inspection,
  type LoadSettingsOptions,
  type SettingsFile,
  type Snapshot,
} from "@keelson/config";
import { findHelper, helperMissing, isInstalled } from "@keelson/host/programs";
import type { ShieldStatus } from "@keelson/host";
import { COMPATIBLE_VERSION, isObject, VERSION } from "@keelson/protocol";
import { shippedPrograms } from "../../shipped-programs.ts";
import { meantKey } from "../config/misspelled.ts";
import { placeText } from "../config/text.ts";
import type { DoctorFinding } from "./doctor.ts";
import { isAboutServer, mcpServers } from "./mcp-check.ts";
import { shortenFrom, type Shorten } from "../permissions/words.ts";

/** Runs every check, in the order they are shown. */
export async function examine(options: LoadSettingsOptions): Promise<readonly DoctorFinding[]> {
  const first = [
    { name: "version", state: "ok", text: `Keelson ${VERSION}, compatible with ${COMPATIBLE_VERSION}` },
    { name: "system", state: "ok", text: `${options.platform} ${process.arch}, Bun ${Bun.version}` },
  ] satisfies DoctorFinding[];
  let snapshot: Snapshot;
  let inspection: Inspection;
  try {
    snapshot = load(options);
    inspection = await inspect(options);
  } catch (error) {
    if (error instanceof ConfigError) return [...first, { name: "settings", state: "broken", text: error.message }];
    throw error;
  }
  const short = shortenFrom(snapshot.cwd, snapshot.home);
  const rg = await ripgrepOf(snapshot);
  return [
    ...first,
    configDirectory(snapshot),
    settings(await settingsFiles(options), snapshot, inspection, short),
    ...idleKeys(inspection, short),
    rules(snapshot),
    trust(snapshot, inspection),
    await model(snapshot, inspection, options, short),
    ripgrep(rg),
    await shell(snapshot),
    ...git(snapshot),
    ...mcpServers(snapshot),
    ...languageServers(snapshot),
    ...(await confinement(snapshot, rg.path)),
  ];
}

function configDirectory({ configDir }: Snapshot): DoctorFinding {
  const name = "config folder";
  const stat = existsSync(configDir) ? statSync(configDir) : undefined;
  const fix = "set CLAUDE_CONFIG_DIR to a folder that you can write to";
  if (stat === undefined) {
    return mayCreate(configDir)
      ? { name, state: "ok", text: `${configDir} (created when needed)` }
      : { name, state: "broken", text: `${configDir} cannot be created, so sessions are not saved; ${fix}` };
  }
  if (!stat.isDirectory()) return { name, state: "broken", text: `${configDir} is not a folder` };
  return mayWrite(configDir)
    ? { name, state: "ok", text: configDir }
    : { name, state: "broken", text: `${configDir} is not writable, so sessions are not saved; ${fix}` };
}

function settings(
  files: readonly SettingsFile[],
  snapshot: Snapshot,
  { warnings }: Inspection,
  short: Shorten,
): DoctorFinding {
  const present = files.filter(({ state }) => state !== "absent");
  const broken = warnings.filter(({ kind }) => kind === "broken").map(({ text }) => text);
  // The snapshot adds warnings that the inspection does not have, such as missing directories.
  const told = new Set(warnings.map(({ text }) => text));
  const restricted = [
    ...warnings.filter(({ kind }) => kind === "restricted").map(({ text }) => text),
    ...snapshot.warnings.filter((text) => !told.has(text) && !isAboutServer(text, snapshot)),
  ];
  const found = present.map(({ scope, file }) => `${short(file)} (${scope})`).join(", ");
  return {
    name: "settings",
    state: broken.length > 0 ? "broken" : restricted.length > 0 ? "note" : "ok",
    text: present.length === 0 ? "no settings files" : found,
    ...(broken.length + restricted.length === 0 ? {} : { details: [...broken, ...restricted], problems: broken }),
  };
}

function idleKeys({ idle }: Inspection, short: Shorten): readonly DoctorFinding[] {
  if (idle.length === 0) return [];
  const lines = idle.map((each) => {
    const why = each.why ?? (each.status === "later" ? "not implemented yet" : `unknown key${meantKey(each)}`);
    return `${each.key} (${placeText(each, short)}): ${why}`;
  });
  return [{ name: "idle keys", state: "note", text: `${idle.length} without effect`, details: lines }];
}

function rules({ rules: all, mode }: Snapshot): DoctorFinding {
  const count = (behavior: string) => all.filter((rule) => rule.behavior === behavior).length;
  const text = `${count("deny")} deny, ${count("ask")} ask, ${count("allow")} allow; sessions start in ${mode} mode`;
  return { name: "rules", state: "ok", text };
}

function trust({ cwd, trusted, requireTrust, held = [] }: Snapshot, { trust: { fix } }: Inspection): DoctorFinding {
  const name = "trust";
  if (trusted && held.length > 0) {
    const files = held.map(({ file, names }) => `${file}: ${names.join(", ")}`);
    const text = `${cwd} is trusted, except for what you have not been asked about`;
    return { name, state: "note", text, details: [...files, `To accept it as it is now, ${fix}`] };
  }
  if (trusted) return { name, state: "ok", text: `${cwd} is trusted` };
  const required = requireTrust ? "; trust is required, so only its deny and ask rules apply" : "";
  return { name, state: "note", text: `${cwd} is not trusted${required}`, details: [`To trust it, ${fix}`] };
}

async function model(
  snapshot: Snapshot,
  { values }: Inspection,
  options: LoadSettingsOptions,
  short: Shorten,
): Promise<DoctorFinding> {
  const { resolveModel } = await import("@keelson/model");
  const { modelOptions } = await import("@keelson/runtime/models");
  const {
    env,
    flags,
    settings: { model: chosen },
  } = snapshot;
  const name = "model";
  try {
    const { profile, source, providerName, apiKeySource } = await resolveModel({
      ...(env["ANTHROPIC_MODEL"] || chosen === undefined ? {} : { model: chosen }),
      ...(flags.model === undefined ? {} : { model: flags.model }),
      ...modelOptions(snapshot),
    });
    if (source === "offline") {
      return {
        name,
        state: "note",
        text: "built-in offline model; set ANTHROPIC_API_KEY, or choose a model with --model PROVIDER/ID",
      };
    }
    if (providerName !== undefined) {
      const key = apiKeySource === "none" ? "no key" : `key from ${apiKeySource}`;
      return { name, state: "ok", text: `${profile.id}, provider ${providerName}, ${key}` };
    }
    const variables: Partial<Record<typeof source, string>> = {
      "api-key": "ANTHROPIC_API_KEY",
      "auth-token": "ANTHROPIC_AUTH_TOKEN",
    };
    const variable = variables[source];
    const origin = values.find(({ key }) => key === `env.${variable}`)?.from[0];
    const from = origin ? placeText(origin, short) : options.env[variable ?? ""] === undefined ? "" : "environment";
    const other = source === "helper" ? "key from apiKeyHelper" : source === "stored" ? "stored key" : "no credentials";
    const credential = variable === undefined ? other : `${variable} (${from})`;
    return { name, state: "ok", text: `${profile.id}, ${credential}${addressOf(env["ANTHROPIC_BASE_URL"])}` };
  } catch (error) {
    return { name, state: "broken", text: (error as Error).message };
  }
}

/** Where requests go, without credentials that a URL may contain. */
function addressOf(given: string | undefined): string {
  if (!given?.trim()) return "";
  return URL.canParse(given) ? `, at ${new URL(given).origin}` : ", but ANTHROPIC_BASE_URL is not a valid URL";
}

interface RipgrepFound {
  readonly path: string | null;
  /** Why it does not work. */
  readonly why?: string;
  readonly version?: string;
}

async function ripgrepOf(snapshot: Snapshot): Promise<RipgrepFound> {
  const { programCache } = await import("@keelson/host");
  const { findRipgrep, ripgrepFix, ripgrepMissing, tryRipgrep } = await import("@keelson/host/ripgrep");
  const cacheDir = programCache(snapshot);
  const options = { env: snapshot.childEnv, cacheDir, embedded: shippedPrograms.ripgrep };
  const path = findRipgrep(options);
  if (path === null) return { path, why: ripgrepMissing(options) };
  const tried = tryRipgrep(path);
  return "problem" in tried ? { path, why: `${tried.problem}; ${ripgrepFix(options, path)}` } : { path, ...tried };
}

function ripgrep({ path, why, version }: RipgrepFound): DoctorFinding {
  const name = "ripgrep";
  return why === undefined
    ? { name, state: "ok", text: `${path} (${version})` }
    : { name, state: "broken", text: "Grep and Glob do not work", details: [why] };
}

async function shell({ env, cwd }: Snapshot): Promise<DoctorFinding> {
  const { chooseShell } = await import("@keelson/host");
  const { program, userZsh } = chooseShell({ env, cwd });
  const name = "shell";
  const fix = "install bash, or set CLAUDE_CODE_SHELL to its path";
  const wanted = env["CLAUDE_CODE_SHELL"];
  if (!mayRun(program.path)) return { name, state: "broken", text: `cannot run ${program.path}; ${fix}` };
  if (program.kind !== "bash") {
    return {
      name,
      state: "note",
      text: `${program.path}; bash was not found, so every command requires approval; ${fix}`,
    };
  }
  if (wanted && wanted !== program.path && wanted !== userZsh) {
    const why = `CLAUDE_CODE_SHELL is ${JSON.stringify(wanted)}, which is not used: set it to the path of bash or zsh`;
    return { name, state: "note", text: program.path, details: [why] };
  }
  return { name, state: "ok", text: userZsh ? `${program.path}, with variables from ${userZsh}` : program.path };
}

/** Only if it is not the system's own. */
function git({ env }: Snapshot): readonly DoctorFinding[] {
  if (findHelper("git", env["PATH"]) !== null) return [];
  const fix = "install it with the system's packages";
  return [
    { name: "git", state: "note", text: helperMissing("git", env["PATH"], fix, "it runs only behind the shield") },
  ];
}

/** Whether the program of each language server is there. Nothing is started. */
function languageServers({ lsp: { servers, unused }, childEnv, cwd }: Snapshot): readonly DoctorFinding[] {
  if (servers.length + unused.length === 0) return [];
  const missing = servers.filter(
    ({ command, env }) => !isInstalled(command, { path: env["PATH"] ?? childEnv["PATH"], cwd }),
  );
  const problems = [
    ...missing.map(({ name, command }) => `${name}: program not found: "${command}"; install it`),
    ...unused.map(({ name, why }) => `${name}: ${why}`),
  ];
  const found = servers.map(({ name, languages }) => `${name} (${Object.keys(languages).join(" ")})`).join(", ");
  return [
    {
      name: "language servers",
      state: problems.length > 0 ? "note" : "ok",
      text: found || "none used",
      ...(problems.length > 0 ? { details: problems, problems: [] } : {}),
    },
  ];
}

async function confinement({ env, settings }: Snapshot, ripgrepPath: string | null): Promise<readonly DoctorFinding[]> {
  const { sandboxProblems, shieldStatus } = await import("@keelson/host");
  const sandbox = isObject(settings["sandbox"]) ? settings["sandbox"] : {};
  const { bwrapPath } = sandbox;
  const [shield, missing] = await Promise.all([
    shieldStatus({
      path: env["PATH"],
      withVersion: true,
      ...(typeof bwrapPath === "string" ? { bwrapPath } : {}),
    }),
    sandboxProblems(ripgrepPath),
  ]);
  const isRoot = shield.kind === "bubblewrap" && process.getuid?.() === 0;
  const program = [shield.kind, shield.version, shield.program && `(${shield.program})`].filter(Boolean).join(" ");
  const wanted = sandbox["enabled"] === true;
  const required = wanted && sandbox["failIfUnavailable"] === true;
  const state = missing.length === 0 ? "ok" : required ? "broken" : wanted ? "note" : "ok";
  const asked = required ? "required by the settings" : wanted ? "on" : "off";
  return [
    shield.active
      ? {
          name: "shield",
          state: shield.reason === undefined && (!isRoot || shield.hasCell) ? "ok" : "note",
          text: `active, ${[program, shield.reason, isRoot ? ofRoot(shield) : undefined].filter(Boolean).join("; ")}`,
        }
      : {
          name: "shield",
          state: "note",
          text: `not active, only rules protect files: ${shield.reason ?? "unknown reason"}`,
        },
    { name: "sandbox", state, text: missing.length === 0 ? asked : `${asked}; not available: ${missing.join("; ")}` },
  ];
}

/** What root's commands could see besides the shield. */
const ofRoot = ({ hasCell }: ShieldStatus): string =>
  hasCell
    ? "keeps root's commands from looking through other processes"
    : "root's commands can look through other processes, because the kernel has no Landlock; use an ordinary user";

/** Whether the nearest thing above it that exists is a folder where we may write. */
function mayCreate(path: string): boolean {
  let above = dirname(path);
  while (!existsSync(above) && dirname(above) !== above) above = dirname(above);
  return statSync(above, { throwIfNoEntry: false })?.isDirectory() === true && mayWrite(above);
}

function mayWrite(path: string): boolean {
  return permits(path, constants.W_OK);
}

function mayRun(path: string): boolean {
  return permits(path, constants.X_OK);
}

function permits(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
