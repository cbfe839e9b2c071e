// Reads what a folder grants now, and records it: when the user trusts the folder, at the first use of a folder that another
// version or a compatible program trusted, and when Keelson writes one of its files on the user's word.

import { dirname, join } from "node:path";
import { checkSettings } from "../check/check.ts";
import { pluginsInSkills } from "../load/plugins-in-skills.ts";
import { readServerFile, serversIn } from "../mcp/read-servers.ts";
import { activeDigest } from "../plugins/state/digest.ts";
import { readPluginFolder } from "../plugins/read/folder.ts";
import { readSettingsFile, readWholeFile } from "../scopes/read.ts";
import { scanMarkdown } from "../skills/find/scan.ts";
import { fieldJson } from "../skills/frontmatter/field-values.ts";
import { readHead } from "../skills/frontmatter/head.ts";
import { skillGrants } from "../skills/grants.ts";
import { grantDigest, jobGrants, scriptGrants, serverGrants, settingsGrants, type FolderGrant } from "./grants.ts";
import type { FolderPlace } from "../write/project-flag.ts";
import { globalFileOf, readGlobalConfig, readTrust } from "./trust.ts";
import { readTrustRecord, sourceIn, writeTrustRecord, type TrustedContent } from "./record.ts";

export interface FolderToRead {
  /** With links resolved. */
  readonly folder: string;
  readonly home: string;
  readonly uid?: number | undefined;
}

const HOLDERS = { "settings.json": "project", "settings.local.json": "local" } as const;
const SERVERS = ".mcp.json";
const JOBS = "scheduled_tasks.json";

export function presentContent(place: FolderToRead): TrustedContent {
  const { folder, uid } = place;
  const dot = join(folder, ".claude");
  const found: [file: string, grants: readonly FolderGrant[]][] = [];
  for (const name of Object.keys(HOLDERS) as (keyof typeof HOLDERS)[]) {
    const reading = readSettingsFile(join(dot, name));
    if (reading.kind === "read") found.push([join(dot, name), grantsOfSettings(name, reading.value, place)]);
  }
  const servers = readServerFile(join(folder, SERVERS), uid, () => undefined) ?? [];
  found.push([join(folder, SERVERS), serverGrants(servers)]);
  const jobs = readSettingsFile(join(dot, JOBS));
  if (jobs.kind === "read") found.push([join(dot, JOBS), jobGrants(jobs.value["tasks"])]);
  for (const kind of ["skills", "commands", "agents"]) {
    for (const { file } of scanMarkdown(join(dot, kind), EVERYTHING)) found.push([file, grantsOfText(file, place)]);
  }
  for (const { folder: root } of pluginsInSkills(join(dot, "skills"), { of: "project", configDir: "", uid })) {
    const { plugin, sources } = readPluginFolder(root, { uid });
    if (plugin) found.push([root, [pluginGrant(activeDigest(plugin, sources))]]);
  }
  const granting = found.filter(([, grants]) => grants.length > 0);
  return Object.fromEntries(granting.map(([file, grants]) => [sourceIn(folder, file), grants.map(grantDigest)]));
}

const EVERYTHING = { isDenied: () => false, watch: () => undefined, refuse: () => undefined, stray: () => undefined };

function grantsOfSettings(name: keyof typeof HOLDERS, value: Readonly<Record<string, unknown>>, place: FolderToRead) {
  return settingsGrants(checkSettings(value, name, HOLDERS[name]).settings, place);
}

/** Fields of skills, commands and agents. */
const FIELDS = new Set(["allowed-tools", "hooks", "permissionMode", "mcpServers", "memory", "model", "effort"]);

/** What the frontmatter of a skill, a command or an agent grants. */
export function grantsOfText(file: string, place: FolderToRead): readonly FolderGrant[] {
  const text = readWholeFile(file);
  if (typeof text !== "string") return [];
  return [...readHead(text).fields].flatMap(([field, node]): FolderGrant[] => {
    if (!FIELDS.has(field)) return [];
    const [value, own] = [fieldJson(node), { name: field, path: [field] }];
    if (field === "hooks") return [{ ...own, value }, ...scriptGrants(own, value, place, dirname(file))];
    return [{ ...own, value }, ...(field === "allowed-tools" ? inlineGrants(text) : [])];
  });
}

/** Inline commands run with what `allowed-tools` allows, without a question. */
function inlineGrants(text: string): readonly FolderGrant[] {
  return skillGrants(text).commands.map((value) => ({ name: `inline command "${value}"`, path: ["!"], value }));
}

/** A plugin in the folder's skills, with everything that it runs. */
export const pluginGrant = (digest: string): FolderGrant => ({ name: "plugin", path: ["plugin"], value: digest });

export interface RecordPlace extends FolderToRead {
  readonly configDir: string;
}

/** Everything in the folder counts as seen. Returns whether that is something else than before. */
export function recordTrust(place: RecordPlace): boolean {
  const { configDir, folder } = place;
  const [before, now] = [readTrustRecord(configDir, folder), presentContent(place)];
  return writeTrustRecord(configDir, folder, now) && before !== "none" && !Bun.deepEquals(before, now);
}

export interface OwnWrite {
  readonly file: string;
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

/** Keelson changed a file of the folder on the user's word: what it added counts as seen, and nothing else in the file. */
export function recordOwnWrite({ file, before, after }: OwnWrite, place: FolderPlace): void {
  const { cwd: folder, configDir, home, origin } = place;
  const global = readGlobalConfig({ cwd: folder, given: folder }, globalFileOf(place), () => undefined);
  const { basis } = readTrust({ cwd: folder, given: folder }, global, { home, configDir, fromAbove: true });
  const record = readTrustRecord(configDir, folder);
  // Without a record, all of a trusted folder counts, and none of one that is not trusted.
  if (basis === undefined || (record === "none" && !basis.inherited)) return;
  const source = sourceIn(folder, file);
  const name = Object.keys(HOLDERS).find((each) => source === join(".claude", each)) as keyof typeof HOLDERS;
  const digests = (value: OwnWrite["before"]) => {
    const others = () => [
      ...serverGrants(serversIn(value["mcpServers"], file, () => undefined)),
      ...jobGrants(value["tasks"]),
    ];
    const grants = name === undefined ? others() : grantsOfSettings(name, value, { folder, home, uid: origin.uid });
    return new Set(grants.map(grantDigest));
  };
  const added = digests(after).difference(digests(before));
  if (added.size === 0) return;
  const content = record === "none" ? {} : record;
  const known = Object.hasOwn(content, source) ? content[source]! : [];
  writeTrustRecord(configDir, folder, { ...content, [source]: [...new Set([...known, ...added])] });
}
