// What a plugin may run: hooks, servers, programs, shell in texts, tools that need no approval. And how that changed. Pure.

import { basename } from "node:path";
import { skillGrants, type PluginFolder } from "@keelson/config/plugins";
import { fileHash, type PluginFile } from "@keelson/host/plugins";
import { isObject, tryParse, type HookHandler } from "@keelson/protocol";
import { argumentsIn } from "../mcp/words.ts";
import { oneLine } from "../permissions/words.ts";

export interface MayRun {
  /** One line each, whole: what differs may be at the end. */
  readonly lines: readonly string[];
  /** Digests of files that those lines may use, by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** Files that nothing runs by itself, and those that `lines` has all of. */
const HARMLESS = /(?:^|\/)(?:LICENSE|NOTICE|README)[^/]*$|\.(?:md|txt|png|jpe?g|gif|svg|webp|ico|pdf)$/i;
const TOLD = /^(?:\.claude-plugin\/[^/]*\.json|hooks\/hooks\.json|settings\.json|\.mcp\.json|\.lsp\.json)$/;

export function mayRun(plugin: PluginFolder, files: readonly PluginFile[]): MayRun {
  const { hooks, servers, lspServers, manifest, mainAgent } = plugin;
  const lines = [
    ...(mainAgent === undefined ? [] : [`sessions as its agent ${mainAgent}`]),
    ...hooks.map(({ event, matcher, handler }) => {
      const when = matcher === undefined || matcher === "" ? event : `${event} (${matcher})`;
      return `hook ${when}: ${handlerText(handler)}`;
    }),
    ...servers.map(({ name, raw }) => `MCP server ${name}: ${serverText(raw)}`),
    ...Object.entries(lspServers).map(([name, raw]) => `language server ${name}: ${serverText(raw)}`),
    ...Object.entries(manifest.userConfig ?? {}).flatMap(([key, { default: value }]) =>
      value === undefined ? [] : [`default of option ${key}: ${JSON.stringify(value)}`],
    ),
    ...files.filter(({ path }) => /^bin\/[^/]+$/.test(path)).map(({ path }) => `program ${path}`),
    ...files.filter(({ path }) => path.endsWith(".md")).flatMap(inText),
  ];
  const commands = lines.map((line) => line.slice(line.indexOf(": ") + 2));
  const used = files.filter((file) => !TOLD.test(file.path) && !isHarmless(file, commands));
  return {
    lines: lines.map((line) => line.replaceAll(/\s+/g, " ")),
    files: Object.fromEntries(used.map((file) => [file.path, digestOf(file)])),
  };
}

/** A shell also runs a README, if a command names it. */
const isHarmless = ({ path, executable }: PluginFile, commands: readonly string[]) =>
  HARMLESS.test(path) &&
  !executable &&
  !path.startsWith("bin/") &&
  !commands.some((command) => command.includes(basename(path)));

/** For lists: long lines are cut. */
export const shortLines = ({ lines }: MayRun) => lines.map((line) => oneLine(line, 160));

/** A new version number alone changes nothing that runs. */
function digestOf({ path, bytes }: PluginFile): string {
  const content = bytes();
  const value = path.endsWith("package.json") ? tryParse(Buffer.from(content).toString("utf8")) : undefined;
  if (!isObject(value)) return fileHash(content);
  const { version: _, ...rest } = value;
  return fileHash(Buffer.from(JSON.stringify(rest)));
}

export interface Changes {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Paths of files with other content. */
  readonly changed: readonly string[];
}

export function changesBetween(old: MayRun, now: MayRun): Changes {
  const paths = [...new Set([...Object.keys(old.files), ...Object.keys(now.files)])];
  return {
    added: now.lines.filter((line) => !old.lines.includes(line)),
    removed: old.lines.filter((line) => !now.lines.includes(line)),
    changed: paths.filter((path) => old.files[path] !== now.files[path]).toSorted(),
  };
}

function handlerText(handler: HookHandler): string {
  switch (handler.type) {
    case "command":
      return [handler.command, ...(handler.args ?? [])].join(" ");
    case "http":
      return [handler.url, ...restOf(handler, ["type", "url", "timeout"])].join(" ");
    case "mcp_tool":
      return [handler.server, handler.tool, ...restOf(handler, ["type", "server", "tool", "timeout"])].join(" ");
    case "prompt":
    case "agent":
      return `${handler.type} ${handler.prompt}`;
    case "callback":
      return handler.callbackId;
  }
}

function serverText(raw: unknown): string {
  if (!isObject(raw)) return "not an object";
  const { command, args, url } = raw;
  const words = typeof url === "string" ? [url] : [command, ...argumentsIn(args)];
  // Variables, headers and the program that makes them decide what runs, too.
  return [...words.filter((word) => typeof word === "string"), ...restOf(raw, ["type", "command", "args", "url"])].join(
    " ",
  );
}

/** The other fields, such as `{"env":{…}}`. */
function restOf(value: object, shown: readonly string[]): readonly string[] {
  const rest = Object.entries(value).filter(([key]) => !shown.includes(key));
  return rest.length === 0 ? [] : [JSON.stringify(Object.fromEntries(rest))];
}

function inText({ path, bytes }: PluginFile): readonly string[] {
  const { tools, hooks, commands } = skillGrants(Buffer.from(bytes()).toString("utf8"));
  return [
    ...new Set(commands.map((command) => `shell in ${path}: ${command}`)),
    ...(hooks === undefined ? [] : [`hooks in ${path}: ${JSON.stringify(hooks)}`]),
    ...(tools.length === 0 ? [] : [`tools without approval in ${path}: ${tools.join(", ")}`]),
  ];
}
