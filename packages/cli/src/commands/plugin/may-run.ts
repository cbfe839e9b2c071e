// What a plugin may run: hooks, servers, programs, shell in texts, tools that need no approval. And how that changed. Pure.

import type { PluginFolder } from "@keelson/config/plugins";
import { fileHash, type PluginFile } from "@keelson/host/plugins";
import { isObject, type HookHandler } from "@keelson/protocol";
import { oneLine } from "../permissions/words.ts";

export interface MayRun {
  /** One line each, for people. */
  readonly lines: readonly string[];
  /** Digests of files that those lines may use, by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** Files that nothing runs. */
const HARMLESS = /(?:^|\/)(?:LICENSE|NOTICE|README)[^/]*$|\.(?:md|txt|png|jpe?g|gif|svg|webp|ico|pdf)$/i;

export function mayRun({ hooks, servers, lspServers }: PluginFolder, files: readonly PluginFile[]): MayRun {
  const lines = [
    ...hooks.map(({ event, matcher, handler }) => {
      const when = matcher === undefined || matcher === "" ? event : `${event} (${matcher})`;
      return `hook ${when}: ${handlerText(handler)}`;
    }),
    ...servers.map(({ name, raw }) => `MCP server ${name}: ${serverText(raw)}`),
    ...Object.entries(lspServers).map(([name, raw]) => `language server ${name}: ${serverText(raw)}`),
    ...files.filter(({ path }) => /^bin\/[^/]+$/.test(path)).map(({ path }) => `program ${path}`),
    ...files.filter(({ path }) => path.endsWith(".md")).flatMap(shellAndTools),
  ];
  const used = files.filter(({ path }) => !HARMLESS.test(path));
  return {
    lines: lines.map((line) => oneLine(line, 160)),
    files: Object.fromEntries(used.map(({ path, bytes }) => [path, fileHash(bytes())])),
  };
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
    // The manifest and the like are told line by line.
    changed: paths.filter((path) => !path.endsWith(".json") && old.files[path] !== now.files[path]).toSorted(),
  };
}

function handlerText(handler: HookHandler): string {
  switch (handler.type) {
    case "command":
      return [handler.command, ...(handler.args ?? [])].join(" ");
    case "http":
      return handler.url;
    case "mcp_tool":
      return `${handler.server} ${handler.tool}`;
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
  if (typeof url === "string") return url;
  return [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === "string").join(" ");
}

const SHELL = /!`([^`\n]+)`|^```!\s*\n([\s\S]*?)^```/gm;
const TOOLS = /^allowed-tools:[ \t]*(.*(?:\n[ \t]+.*|\n- .*)*)/m;

function shellAndTools({ path, bytes }: PluginFile): readonly string[] {
  const text = Buffer.from(bytes()).toString("utf8");
  const shell = Array.from(
    text.matchAll(SHELL),
    ([, inline, block]) => `shell in ${path}: ${(inline ?? block ?? "").trim()}`,
  );
  const [head = ""] = /^---\r?\n[\s\S]*?\n---/.exec(text) ?? [];
  const [, tools] = TOOLS.exec(head) ?? [];
  const granted = tools
    ?.replaceAll(/\s*\n\s*-?\s*/g, ", ")
    .replace(/^, /, "")
    .trim();
  return [...new Set(shell), ...(granted ? [`tools without approval in ${path}: ${granted}`] : [])];
}
