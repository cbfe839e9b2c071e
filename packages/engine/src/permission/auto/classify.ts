// Auto mode's classifier, except for the request itself: what to send to the model, how to read its answer, and what
// follows from it. It runs after all rules and safety checks, and only answers questions that no rule raised.

import {
  blocksOf,
  isObject,
  isText,
  isToolUse,
  type JsonObject,
  type ModelMessage,
  type PermissionMode,
} from "@keelson/protocol";
import { withoutAttached } from "@keelson/protocol/attached";
import { cutMiddle } from "../../tool/bound.ts";
import type { ModelChoice, ModelRequest } from "../../ports.ts";
import type { Access } from "../../tool/tool.ts";
import { classifierPrompt, type AutoRules } from "./classify-prompt.ts";
import type { GateDecision } from "../question.ts";

export type { AutoRules };

/** unclear: no verdict, or one in the wrong format. */
export interface Classified {
  readonly verdict: "allow" | "deny" | "unclear";
  readonly reason: string;
}

export interface ClassifierFacts {
  readonly tool: string;
  readonly input: JsonObject;
  /** Why the gate would ask. */
  readonly reason: string;
  readonly directories: readonly string[];
  readonly cwd: string;
  readonly conversation: readonly ModelMessage[];
  readonly rules: AutoRules;
}

/** Whether the classifier may decide. `everyCommand`: also for commands that rules allow (`classifyAllShell`). */
export function needsClassifier(
  decision: GateDecision,
  mode: PermissionMode,
  options: { readonly access?: Access; readonly everyCommand?: boolean } = {},
): boolean {
  if (mode !== "auto" || decision.reasonType !== undefined) return false;
  const { behavior, by } = decision;
  if (behavior === "ask") return by === "other" || by === "workingDir" || by === "mode";
  return behavior === "allow" && by === "rule" && options.everyCommand === true && options.access?.kind === "command";
}

const MOST_TOKENS = 1_024;
const LONGEST_INPUT = 20_000;
const LONGEST_REPLY = 4_000;
const LONGEST_REASON = 500;

export function classifierRequest(facts: ClassifierFacts, { profile, metadata, betas }: ModelChoice): ModelRequest {
  const { tool, input, reason, directories, cwd } = facts;
  const evidence = {
    before: excerpt(facts.conversation),
    workingDirectories: directories,
    call: { tool, input: cutMiddle(JSON.stringify(input), LONGEST_INPUT), cwd, notAllowedBecause: reason },
  };
  return {
    model: profile.id,
    max_tokens: Math.min(profile.maxTokens, MOST_TOKENS),
    system: [{ type: "text", text: classifierPrompt(facts.rules) }],
    messages: [{ role: "user", content: [{ type: "text", text: JSON.stringify(evidence) }] }],
    tools: [],
    ...(metadata ? { metadata } : {}),
    betas,
  };
}

/** Exactly one JSON object with a verdict and a reason. Anything else is no verdict. */
export function readVerdict(text: string): Classified {
  const reply = parsed(text);
  if (!isObject(reply) || Object.keys(reply).some((key) => key !== "verdict" && key !== "reason")) return UNCLEAR;
  const { verdict, reason } = reply;
  // Parsers keep one of two equal keys; we accept neither.
  if (typeof reason !== "string" || text.split('"verdict"').length !== 2) return UNCLEAR;
  const sentence = cutMiddle(reason.replace(/\s+/g, " ").trim(), LONGEST_REASON);
  if (verdict === "allow" || verdict === "deny") return { verdict, reason: sentence };
  return verdict === "ask" ? { verdict: "unclear", reason: sentence } : UNCLEAR;
}

const UNCLEAR: Classified = { verdict: "unclear", reason: "the classifier gave no clear answer" };

/** The decision once the classifier has answered. Without a verdict, the question stays. */
export function afterVerdict(decision: GateDecision, { verdict, reason }: Classified): GateDecision {
  if (verdict === "allow") {
    return decision.behavior === "allow" ? decision : { behavior: "allow", by: "mode", reason: `auto: ${reason}` };
  }
  if (verdict === "deny") {
    const message = `Permission for this action was denied by the auto mode classifier. Reason: ${reason}`;
    return { behavior: "deny", by: "mode", message };
  }
  return decision.behavior === "allow" ? { behavior: "ask", by: "mode", reason, suggestions: [] } : decision;
}

/** How often the classifier did not allow a call. */
export interface Denials {
  readonly inARow: number;
  readonly inAll: number;
}

export const NO_DENIALS: Denials = { inARow: 0, inAll: 0 };

const MOST_IN_A_ROW = 3;
const MOST_IN_ALL = 20;

export function countVerdict({ inARow, inAll }: Denials, { verdict }: Classified): Denials {
  return verdict === "allow" ? { inARow: 0, inAll } : { inARow: inARow + 1, inAll: inAll + 1 };
}

/** The classifier no longer helps: ask a person from now on. */
export function isSpent({ inARow, inAll }: Denials): boolean {
  return inARow >= MOST_IN_A_ROW || inAll >= MOST_IN_ALL;
}

const MOST_WORDS = 10_000;
const MOST_OTHERS = 8_000;
const LONGEST_PIECE = 2_000;

type Piece =
  { readonly user: string } | { readonly notUser: string } | { readonly call: string; readonly input: string };

/**
 * What the user said first, and as much of the latest as fits. Others take no room from the user: their texts could push
 * out what the user forbade. Tool output stays out, because others may have written it.
 */
function excerpt(conversation: readonly ModelMessage[]): Piece[] {
  const pieces = conversation.flatMap(piecesOf);
  const first = pieces.find(isUsers);
  const kept = new Set<Piece>(first ? [first] : []);
  keepLatest(pieces.filter(isUsers), MOST_WORDS, kept);
  keepLatest(
    pieces.filter((piece) => !isUsers(piece)),
    MOST_OTHERS,
    kept,
  );
  return pieces.filter((piece) => kept.has(piece));
}

const isUsers = (piece: Piece) => "user" in piece;

function keepLatest(pieces: readonly Piece[], most: number, kept: Set<Piece>): void {
  let room = most;
  for (const piece of pieces.toReversed()) {
    room -= sizeOf(piece);
    if (room < 0) return;
    kept.add(piece);
  }
}

/** The user said what the record of the message says (`byUser`). Its other texts are not the user's, whatever they say. */
function piecesOf({ role, content, byUser = [] }: ModelMessage): Piece[] {
  const words = byUser.filter((text) => text.trim() !== "");
  const pieces = blocksOf(content).flatMap((block): Piece[] => {
    if (isToolUse(block)) return [{ call: block.name, input: cutMiddle(JSON.stringify(block.input), LONGEST_PIECE) }];
    if (role !== "user" || !isText(block)) return [];
    const at = words.indexOf(block.text);
    if (at >= 0) return words.splice(at, 1).map(asUsers);
    // Instructions and listings are long, and tell nothing about the task.
    return block.text.startsWith("<system-reminder>") ? [] : [{ notUser: cutMiddle(block.text, LONGEST_PIECE) }];
  });
  return [...pieces, ...words.map(asUsers)];
}

const asUsers = (text: string): Piece => ({ user: cutMiddle(withoutAttached(text), LONGEST_PIECE) });

const sizeOf = (piece: Piece) => JSON.stringify(piece).length;

function parsed(text: string): unknown {
  if (text.length > LONGEST_REPLY) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
