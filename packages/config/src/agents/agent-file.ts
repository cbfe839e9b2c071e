// Reads what one agent file says, or takes it from the index if the file has not changed.

import { lstatSync } from "node:fs";
import { createStartReader, type StartRead, type StartReader } from "../skills/find/read-start.ts";
import type { ScanOptions, SkillFile } from "../skills/find/scan.ts";
import type { HeadProblem } from "../skills/frontmatter/head-node.ts";
import type { ReadForIndex } from "../skills/index/save-index.ts";
import type { AgentIndex } from "./collect.ts";
import { looksLikeText } from "../skills/plain.ts";
import { openStart, readEnough } from "../skills/skill-file.ts";
import { agentFacts, linesOf, type AgentFacts } from "./facts.ts";

/** What a file says, as JSON. */
export interface ReadAgent {
  /** Absent if it cannot be an agent. */
  readonly facts?: AgentFacts;
  /** Why it is not; with `facts`, why it is one only in a plugin. */
  readonly why?: string;
  /** It has no frontmatter: it may be a note among agents. */
  readonly isBare?: true;
  readonly oddities: readonly HeadProblem[];
  /** Where fields are that some agents may not have. */
  readonly lines: Readonly<Record<string, number>>;
}

export interface AgentFileReader {
  /** Undefined if there is no such file, or it may not be used; the reason is reported. */
  open(
    found: SkillFile,
    options: ScanOptions,
    index: AgentIndex | undefined,
  ): { readonly file: string; readonly read: ReadAgent } | undefined;
}

export function createAgentFileReader(): AgentFileReader {
  const reader = createStartReader();
  return {
    open(found, options, index) {
      const { watch, refuse } = options;
      if (index?.has(found.file)) {
        const stat = lstatSync(found.file, { throwIfNoEntry: false });
        const known = stat?.isFile() ? index.find(found.file, stat) : undefined;
        if (known !== undefined) {
          watch(found.file, stat);
          return { file: found.file, read: known };
        }
      }
      const { file, start } = openStart(found, reader, options);
      if (start.kind === "missing" || start.kind === "link") return undefined;
      if (start.kind === "refused") return void refuse(found.found, start.why);
      watch(file, start.stat);
      if (file === found.file) index?.miss(file);
      return { file, read: readAgent(reader, file, start) };
    },
  };
}

export function agentReader(): ReadForIndex<ReadAgent> {
  const reader = createStartReader();
  return (file) => {
    const start = reader.read(file);
    return start.kind === "read" ? { stat: start.stat, facts: readAgent(reader, file, start) } : undefined;
  };
}

function readAgent(reader: StartReader, file: string, start: StartRead): ReadAgent {
  if (!looksLikeText(start.source)) return { why: "it is not text; save it as UTF-8", oddities: [], lines: {} };
  const { fields, problems } = readEnough(reader, file, start).head;
  const oddities: HeadProblem[] = [...problems];
  const facts = agentFacts({ fields, report: (problem) => void oddities.push(problem) });
  const read = { facts, oddities, lines: linesOf(fields) };
  if (facts.lacks === undefined) return read;
  const isBare = fields.size === 0;
  const why = (isBare ? problems[0]?.why : undefined) ?? facts.lacks;
  return { ...read, why, ...(isBare && { isBare }) };
}
