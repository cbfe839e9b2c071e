// The gate's sentences: requests for permission, and refusals. Programs match some of them, so those stay as they are.

import { cutMiddle } from "../tool/bound.ts";
import { governs } from "./match/match.ts";
import { hostOf } from "./match/match-name.ts";
import type { GateQuestion } from "./question.ts";
import type { Rule } from "./rules/rule.ts";

const LONGEST_SHOWN = 2_000;

/** The sentence for a call that no one has approved yet; also the denial if no one is available to approve. */
export function wish({ access, tool }: Pick<GateQuestion, "access" | "tool">): string {
  switch (access.kind) {
    case "read":
      return `Permission to read ${access.path} was not granted.`;
    case "edit":
      return `Permission to write to ${access.path} was not granted.`;
    case "command":
      return "This command requires approval";
    case "person":
      return `${tool} requires an answer from a person.`;
    case "skill":
      return `Execute skill: ${access.skill}`;
    default:
      return `Permission to use ${tool} was not granted.`;
  }
}

/** For a write that neither a mode nor a rule allows; only a person or bypassPermissions can. */
export function protectedWish(path: string): string {
  return `Permission to write to ${path} was not granted. It is protected: it configures this session or runs as code.`;
}

/** For a call that a deny rule matches. */
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

/** For a call that needs approval in a mode that asks no one. */
export function unasked(tool: string): string {
  return (
    `Permission to use ${tool} has been denied because this session does not ask for approval (dontAsk mode). IMPORTANT: ` +
    "no one can approve this call, so do not retry it or work around it. " +
    "Continue with what is allowed, or tell the user which permission is missing."
  );
}

export const CONFINED =
  "Commands cannot run outside the sandbox in this session (sandbox.allowUnsandboxedCommands is off). " +
  "Run it without dangerouslyDisableSandbox.";

export const OUTSIDE_SHIELD =
  "This command asks to run without the protection of Keelson's own files, git hooks and other programs " +
  "(dangerouslyDisableSandbox), which takes approval, whatever the rules allow. Without that, it runs protected.";

/** Commands may be of any length, but people read sentences about them. */
export const shortCommand = (text: string) => cutMiddle(text, LONGEST_SHOWN);

const plain = (tool: string) => `Permission to use ${tool} has been denied.`;
