// SendMessage: a message to another agent. The caller knows who can be reached and delivers it.

import { defineTool, object, optional, string, ToolError, type Schema, type Tool } from "@keelson/engine";
import { isObject } from "@keelson/protocol";
import description from "./send-message.md" with { type: "text" };

const LONGEST_SUMMARY = 200;

export interface SendMessageInput {
  readonly to: string;
  /** A text, or a message of the protocol between members of a team. */
  readonly message: string | Readonly<Record<string, unknown>>;
  readonly summary?: string;
}

export interface SendMessageOutput {
  readonly success: boolean;
  readonly message: string;
}

export interface Recipients {
  /** `from` is the id of the call. Never throws for a recipient that cannot be reached. */
  send(
    to: string,
    message: string | Readonly<Record<string, unknown>>,
    summary: string | undefined,
    from: string,
  ): Promise<SendMessageOutput>;
}

const text: Schema<string | Readonly<Record<string, unknown>>> = {
  json: {
    description: 'What to tell them; or an object such as {type: "shutdown_request"}',
    anyOf: [
      { type: "string" },
      { type: "object", properties: { type: { type: "string" } }, required: ["type"], additionalProperties: {} },
    ],
  },
};

/** Described once: every agent has its own instance. */
const schema = object({
  to: string("The name or the id of an agent; team-lead; or * for all members of the team", { minLength: 1 }),
  message: text,
  summary: optional(string("The message in five to ten words", { maxLength: LONGEST_SUMMARY })),
});

export function sendMessageTool(recipients: Recipients): Tool<SendMessageInput, SendMessageOutput> {
  return defineTool<SendMessageInput, SendMessageOutput>({
    name: "SendMessage",
    description,
    input: schema,

    dropsUnknown: true,
    /** Models write a structured message as its JSON text. */
    repair(input) {
      const { message } = input;
      if (typeof message !== "string" || !message.trimStart().startsWith("{")) return input;
      const parsed = parse(message);
      return isObject(parsed) && typeof parsed.type === "string" ? { ...input, message: parsed } : input;
    },

    check({ message, summary }) {
      if (typeof message === "string" && !summary?.trim())
        throw new ToolError("summary is required when message is a string");
    },
    describe: (input) => [input.text("to"), input.text("summary")].filter((word) => word !== "").join(": "),
    access: () => ({ kind: "none" }),
    run: ({ to, message, summary }, { toolUseId }) => recipients.send(to.trim(), message, summary, toolUseId),
    show: (output) => JSON.stringify(output),
  });
}

function parse(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
