// Reads the transcripts a program left in a temporary home, and reports what is wrong with a conversation's chain.
// Stricter than the program's own reader on purpose: a damaged line is a failure here, not something to skip.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { blocksOf, isChainEntry, isObject, isToolResult, isToolUse, tryParse, type Entry } from "@keelson/protocol";

interface Place {
  readonly configDir: string;
}

/** The entries of a session; without an id, of the only session. `tolerant` skips damaged lines. */
export function readTranscript(
  home: Place,
  sessionId?: string,
  options: { readonly tolerant?: boolean } = {},
): readonly Entry[] {
  const path = pick(transcriptFiles(home), sessionId);
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line, index) => {
      if (line === "") return [];
      const entry = tryParse(line);
      if (isEntry(entry)) return [entry];
      if (options.tolerant) return [];
      throw new Error(`Damaged line ${index + 1} in "${path}": ${line.slice(0, 200)}`);
    });
}

const isEntry = (value: unknown): value is Entry => isObject(value);

/** Every main transcript below the configuration folder, sorted by path. Subagents' transcripts are not included. */
export function transcriptFiles(home: Place): readonly string[] {
  const projects = join(home.configDir, "projects");
  if (!existsSync(projects)) return [];
  return readdirSync(projects, { withFileTypes: true })
    .filter((project) => project.isDirectory())
    .flatMap(({ name }) => readdirSync(join(projects, name)).map((file) => join(projects, name, file)))
    .filter((path) => path.endsWith(".jsonl"))
    .sort();
}

/** What would keep a conversation from being read or resumed, one sentence each; empty if it is sound. */
export function chainProblems(entries: readonly unknown[]): string[] {
  const chain = entries.filter(isChainEntry);
  const parents = new Map(chain.map(({ uuid, parentUuid }) => [uuid, parentUuid ?? null]));
  const calls: string[] = [];
  const results: string[] = [];
  for (const entry of chain) {
    if (entry.type !== "user" && entry.type !== "assistant") continue;
    for (const block of blocksOf(entry.message.content)) {
      if (isToolUse(block)) calls.push(block.id);
      if (isToolResult(block)) results.push(block.tool_use_id);
    }
  }
  const [called, answered] = [new Set(calls), new Set(results)];

  return [
    ...repeated(chain.map(({ uuid }) => uuid)).map((uuid) => `uuid "${uuid}" is used more than once`),
    ...chain
      .filter(({ parentUuid }) => parentUuid != null && !parents.has(parentUuid))
      .map(({ uuid, parentUuid }) => `entry "${uuid}" has a parent "${parentUuid}" that is not there`),
    ...loops(parents).map((uuid) => `entry "${uuid}" is its own ancestor`),
    ...repeated(calls).map((id) => `call "${id}" is made more than once`),
    ...repeated(results).map((id) => `call "${id}" has more than one result`),
    ...[...called].filter((id) => !answered.has(id)).map((id) => `call "${id}" has no result`),
    ...[...answered].filter((id) => !called.has(id)).map((id) => `result for "${id}" answers no call`),
  ];
}

function pick(files: readonly string[], sessionId: string | undefined): string {
  const fitting = files.filter((path) => sessionId === undefined || basename(path) === `${sessionId}.jsonl`);
  if (fitting.length === 1) return fitting[0]!;
  const wanted = sessionId === undefined ? "Expected one transcript" : `Expected one transcript of "${sessionId}"`;
  throw new Error(`${wanted}, found ${fitting.length} among:\n${files.join("\n") || "(no transcript at all)"}`);
}

function repeated(values: readonly string[]): readonly string[] {
  const [seen, twice] = [new Set<string>(), new Set<string>()];
  for (const value of values) (seen.has(value) ? twice : seen).add(value);
  return [...twice];
}

/** Entries whose parents lead back to themselves. Each entry is visited once. */
function loops(parents: ReadonlyMap<string, string | null>): readonly string[] {
  const walked = new Set<string>();
  return [...parents.keys()].flatMap((start) => {
    const path = new Set<string>();
    let at: string | null | undefined = start;
    while (at != null && !walked.has(at)) {
      walked.add(at);
      path.add(at);
      at = parents.get(at);
    }
    return at != null && path.has(at) ? [at] : [];
  });
}
