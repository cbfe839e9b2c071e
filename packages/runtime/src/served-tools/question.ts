// Permission questions for the user of an MCP client: the text of the form, and what an answer means.

import type { UserAnswer } from "@keelson/mcp/server";
import type { JsonObject } from "@keelson/protocol";

export interface PermissionQuestion {
  readonly tool: string;
  readonly input: JsonObject;
  readonly reason: string;
}

/** What people approve must be shown in full, so a longer question is not asked. */
const MAX_SUBJECT_LENGTH = 10_000;
const MAX_REASON_LENGTH = 2_000;

/** `Allow Bash: npm test?` and the reason. Undefined if the call is too long to show. */
export function questionText({ tool, input, reason }: PermissionQuestion): string | undefined {
  const subject = visible(subjectOf(tool, input));
  if (subject.length > MAX_SUBJECT_LENGTH) return undefined;
  return `Allow ${tool}: ${subject}?\n\n${visible(reason.slice(0, MAX_REASON_LENGTH))}`;
}

/** Undefined for a yes. Otherwise why the call is denied, and how to allow it. */
export function denialOf(answer: UserAnswer, { tool }: PermissionQuestion): string | undefined {
  switch (answer.kind) {
    case "yes":
      return undefined;
    case "no":
      return `The user declined ${tool}`;
    case "dismissed":
      return `The user closed the question about ${tool} without an answer. ${REMEDY}`;
    case "failed":
      return `The user could not be asked about ${tool}: ${answer.reason}. ${REMEDY}`;
  }
}

export const tooLongToAsk = ({ tool, reason }: PermissionQuestion) =>
  `${reason} The call to ${tool} is too long to show to the user for approval. ${REMEDY}`;

const REMEDY = "To allow it, use --allowedTools, a wider --permission-mode, or an allow rule in the settings.";

/**
 * The part of an input that decides: content that is written is not shown, only where to. By tool, because a call may
 * have fields that its tool ignores.
 */
const SUBJECTS: Readonly<Record<string, string>> = {
  Bash: "command",
  Read: "file_path",
  Edit: "file_path",
  Write: "file_path",
  NotebookEdit: "notebook_path",
  WebFetch: "url",
};

function subjectOf(tool: string, input: JsonObject): string {
  const unsandboxed = input["dangerouslyDisableSandbox"] === true ? " (outside the sandbox)" : "";
  const field = Object.hasOwn(SUBJECTS, tool) ? input[SUBJECTS[tool]!] : undefined;
  return `${typeof field === "string" ? field : JSON.stringify(input)}${unsandboxed}`;
}

/** Characters that could hide or reorder what is approved become visible escapes. */
function visible(text: string): string {
  return text
    .replace(HIDDEN, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`)
    .replace(GAP, (gap) => ` […${gap.length} blank characters…] `);
}

/** A form may be too small for what follows. */
const GAP = /[ \t\u00a0\u2000-\u200a\u3000]{20,}|(?:[ \t]*\n){4,}/g;

// Control characters except the newline and the tab, and everything that formats or is invisible.
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;
