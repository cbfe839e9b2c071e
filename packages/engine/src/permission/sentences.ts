// What the gate says in words: the wish nobody has granted, and its refusals. Programs match some of them; those stay.

import { cutMiddle } from "../bound.ts";
import { governs } from "./match/match.ts";
import { hostOf } from "./match/match-name.ts";
import type { GateQuestion } from "./question.ts";
import type { Rule } from "./rule.ts";

const LONGEST_SHOWN = 2_000;

/** The sentence for a call nobody has agreed to yet; the denial, when nobody can be asked. */
export function wish({ access, tool }: GateQuestion): string {
  switch (access.kind) {
    case "read":
      return `Permission to read ${access.path} was not given.`;
    case "edit":
      return `Permission to write to ${access.path} was not given.`;
    case "command":
      return "This command requires approval";
    case "person":
      return `${tool} is a question only a person can answer.`;
    default:
      return `Permission to use ${tool} was not given.`;
  }
}

/** For a write that neither a mode nor a rule allows; only a person can, or bypassPermissions. */
export function protectedWish(path: string): string {
  return `Permission to write to ${path} was not given. It is protected: it configures this session, or runs as code.`;
}

/** For a call that a deny rule speaks about. */
export function refusal({ access, tool }: GateQuestion, rule: Rule): string {
  if (access.kind === "command")
    return `Permission to use ${tool} with command ${shortCommand(access.command)} has been denied.`;
  if (rule.content === undefined) return plain(tool);
  switch (access.kind) {
    case "read":
    case "edit":
      return governs(rule, access.kind, tool)
        ? "File is in a directory that is denied by your permission settings."
        : plain(tool);
    case "url":
      return `${tool} denied access to domain:${hostOf(access.url) ?? shortCommand(access.url)}.`;
    case "agent":
      return `Agent type '${access.agent}' has been denied by permission rule '${rule.text}' from ${rule.source}.`;
    case "skill":
      return "Skill execution blocked by permission rules";
    default:
      return plain(tool);
  }
}

/** For a call that would have to be asked about, in a mode that asks nobody. */
export function unasked(tool: string): string {
  return (
    `Permission to use ${tool} has been denied because the session asks nobody (dontAsk mode). IMPORTANT: ` +
    "nobody can approve this call, so do not try it again and do not work around it by other means. " +
    "Go on with what is allowed, or tell the user which permission is missing."
  );
}

export const CONFINED =
  "Commands may not leave the sandbox in this session (sandbox.allowUnsandboxedCommands is off). " +
  "Run it without dangerouslyDisableSandbox.";

/** Models may write commands as long as they like; a sentence about one is read by people. */
export const shortCommand = (text: string) => cutMiddle(text, LONGEST_SHOWN);

const plain = (tool: string) => `Permission to use ${tool} has been denied.`;
