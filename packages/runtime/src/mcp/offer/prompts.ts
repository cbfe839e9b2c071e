// Prompts of MCP servers as slash commands: `/mcp__server__prompt a b`, or `/server:prompt (MCP) a b`.

import { type PromptExpansion } from "@keelson/engine";
import { normalizeName, toolName, type McpPrompt } from "@keelson/mcp";
import { withoutReminderTags, isText } from "@keelson/protocol";
import { commandHeading } from "../../skills/command-heading.ts";
import type { ManagedServer } from "../servers/server.ts";
import type { McpServers } from "../servers/servers.ts";

/** Undefined if the text is not the command of a known server. */
export async function promptExpansion(
  text: string,
  servers: McpServers,
  signal: AbortSignal,
): Promise<PromptExpansion | undefined> {
  const typed = readCommand(text);
  if (!typed) return undefined;
  const candidates = servers.all.filter((server) => typed.isOf(server.name));
  await Promise.all(candidates.map((server) => (server.status === "pending" ? server.connect() : undefined)));
  for (const server of candidates) {
    const prompts = await server.prompts();
    const prompt = prompts.find(({ name }) => typed.isNamed(server.name, name));
    if (prompt) return expansion(server, prompt, typed, signal);
  }
  return undefined;
}

interface TypedCommand {
  readonly args: string;
  isOf(server: string): boolean;
  isNamed(server: string, prompt: string): boolean;
}

function readCommand(text: string): TypedCommand | undefined {
  const [, name, args = ""] = /^\/(mcp__\S+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  if (name !== undefined) {
    return {
      args,
      isOf: (server) => name.startsWith(`mcp__${normalizeName(server)}__`),
      isNamed: (server, prompt) => name === toolName(server, prompt),
    };
  }
  const [, server, prompt, more = ""] = /^\/([^\s:]+):(\S+) \(MCP\)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  if (server === undefined) return undefined;
  return {
    args: more,
    isOf: (name_) => name_ === server || normalizeName(name_) === server,
    isNamed: (_, name_) => name_ === prompt,
  };
}

function expansion(
  server: ManagedServer,
  prompt: McpPrompt,
  { args }: TypedCommand,
  signal: AbortSignal,
): PromptExpansion {
  const name = toolName(server.name, prompt.name);
  // Split at blanks only, in order; surplus words are dropped (conformance: mcp, prompts).
  const words = args.split(" ").filter((word) => word !== "");
  const values = Object.fromEntries(
    prompt.arguments.flatMap(({ name: key }, at) => (words[at] === undefined ? [] : [[key, words[at]]])),
  );
  return {
    kind: "prompt",
    about: { expansion_type: "mcp_prompt", command_name: name, command_args: args, command_source: "mcp" },
    async render() {
      const { messages } = await server.use(signal, (connection) => connection.getPrompt(prompt.name, values, signal));
      // It is sent as the user, where such tags would be taken for Keelson's.
      const content = messages
        .flatMap((message) => message.content)
        .map((block) => (isText(block) ? { ...block, text: withoutReminderTags(block.text) } : block));
      return { content: [{ type: "text", text: commandHeading(name, args) }, ...content] };
    },
  };
}
