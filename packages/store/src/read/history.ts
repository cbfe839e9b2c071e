// The whole conversation of a transcript, across its compactions, read in two passes: the first finds the entries that
// belong to it, the second gives them one by one. Never holds more than one entry.

import { isChainEntry, isObject, type ChainEntry } from "@keelson/protocol";
import { HistoryScan } from "./history-scan.ts";
import { byteLines } from "./lines.ts";
import { parseLine, salvage } from "./parse-line.ts";

export interface History {
  readonly title: string | undefined;
  readonly cwd: string | undefined;
  readonly gitBranch: string | undefined;
  /** The version of the program that wrote the last entry. */
  readonly version: string | undefined;
  readonly firstAt: string | undefined;
  readonly lastAt: string | undefined;
  /** In the order they were first used. */
  readonly models: readonly string[];
  /** Undefined if no one counted it, null if a price is unknown. */
  readonly costUsd: number | null | undefined;
  /** Lines that are damaged, wholly or in part. */
  readonly damaged: number;
  /** Readable entries of branches that the conversation went back from. */
  readonly leftOut: number;
  /** In file order. Reads the file again. */
  entries(): Generator<ChainEntry>;
}

/** Throws if the file cannot be read. */
export function openHistory(path: string): History {
  const scan = new HistoryScan();
  const newest = new Map<string, Record<string, unknown>>();
  const models = new Set<string>();
  let [first, last]: (Record<string, unknown> | undefined)[] = [];

  for (const line of byteLines(path, { onSkip: () => scan.damaged++ })) {
    const read = scan.add(line);
    if (read === undefined) continue;
    const { value, isEntry } = read;
    if (isEntry) {
      first ??= bare(value);
      last = bare(value);
      const model = modelIn(value);
      if (model !== undefined) models.add(model);
    } else if (typeof value["type"] === "string" && FACTS.has(value["type"])) newest.set(value["type"], value);
  }

  const kept = scan.kept();
  const wanted = new Set([...kept].map((index) => scan.lines[index]!.offset));
  const textIn = (type: string, key: string) => textOrNone(newest.get(type)?.[key]);
  return {
    title: textIn("custom-title", "customTitle") ?? textIn("ai-title", "aiTitle") ?? textIn("summary", "summary"),
    cwd: textOrNone(first?.["cwd"]),
    gitBranch: textOrNone(first?.["gitBranch"]),
    version: textOrNone(last?.["version"]),
    firstAt: textOrNone(first?.["timestamp"]),
    lastAt: textOrNone(last?.["timestamp"]),
    models: [...models],
    costUsd: costIn(newest.get("cost-state")),
    damaged: scan.damaged,
    leftOut: scan.links.filter((link, index) => !link.isGhost && !link.isAside && !kept.has(index)).length,
    *entries() {
      for (const { bytes, offset } of byteLines(path)) {
        if (!wanted.has(offset)) continue;
        const value = parseLine(bytes) ?? salvage(bytes).entry;
        if (isChainEntry(value)) yield value;
      }
    },
  };
}

const FACTS = new Set(["custom-title", "ai-title", "summary", "cost-state"]);

/** The fields that are looked at again; a whole entry may be large. */
const bare = ({ cwd, gitBranch, version, timestamp }: Record<string, unknown>) => ({
  cwd,
  gitBranch,
  version,
  timestamp,
});

function modelIn({ type, message }: Record<string, unknown>): string | undefined {
  const model = type === "assistant" && isObject(message) ? textOrNone(message["model"]) : undefined;
  return model === "<synthetic>" ? undefined : model;
}

const textOrNone = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

function costIn(state: Record<string, unknown> | undefined): number | null | undefined {
  const cost = isObject(state) ? state["totalCostUSD"] : undefined;
  return cost === null || typeof cost === "number" ? cost : undefined;
}
