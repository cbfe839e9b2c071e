// Sample entries for the tests of this package.

import type { ChainEntry } from "@keelson/protocol";

export const SESSION = "11111111-1111-4111-8111-111111111111";

const usage = {
  input_tokens: 1,
  output_tokens: 1,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

function envelope(uuid: string, parentUuid: string | null) {
  return {
    parentUuid,
    isSidechain: false,
    uuid,
    timestamp: "2026-11-15T06:57:32.416Z",
    userType: "external" as const,
    entrypoint: "sdk-cli",
    cwd: "/home/u/p",
    sessionId: SESSION,
    version: "2.1.325",
    gitBranch: "master",
  };
}

export function prompt(uuid: string, parentUuid: string | null, text = uuid): ChainEntry {
  return { type: "user", message: { role: "user", content: text }, promptSource: "sdk", ...envelope(uuid, parentUuid) };
}

export function says(uuid: string, parentUuid: string | null, text = uuid, replyId = `msg_${uuid}`): ChainEntry {
  return reply(uuid, parentUuid, replyId, { type: "text", text });
}

export function calls(
  uuid: string,
  parentUuid: string | null,
  replyId: string,
  input: object = {},
  id = `call_${uuid}`,
): ChainEntry {
  return reply(uuid, parentUuid, replyId, { type: "tool_use", id, name: "Read", input });
}

function reply(uuid: string, parentUuid: string | null, replyId: string, block: object): ChainEntry {
  return {
    type: "assistant",
    message: {
      id: replyId,
      type: "message",
      role: "assistant",
      model: "m",
      content: [block as never],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage,
    },
    ...envelope(uuid, parentUuid),
  };
}

/** The result of the call in entry `of`. */
export function answers(
  uuid: string,
  of: string,
  text = uuid,
  toolUseResult: unknown = { stdout: text },
  id = `call_${of}`,
): ChainEntry {
  return {
    type: "user",
    message: { role: "user", content: [{ tool_use_id: id, type: "tool_result", content: text }] },
    toolUseResult,
    sourceToolAssistantUUID: of,
    ...envelope(uuid, of),
  };
}

export function sampleEntry(uuid: string, parentUuid: string | null): ChainEntry {
  return { type: "attachment", attachment: { type: "date" }, ...envelope(uuid, parentUuid) };
}

export function putsOff(uuid: string, parentUuid: string): ChainEntry {
  return {
    type: "attachment",
    attachment: { type: "hook_deferred_tool", toolUseID: `call_${parentUuid}` },
    ...envelope(uuid, parentUuid),
  };
}

export function boundary(uuid: string, compactMetadata: object = {}): ChainEntry {
  return { type: "system", subtype: "compact_boundary", compactMetadata, ...envelope(uuid, null) };
}

export function summary(uuid: string, parentUuid: string): ChainEntry {
  return { ...prompt(uuid, parentUuid), isCompactSummary: true } as ChainEntry;
}
