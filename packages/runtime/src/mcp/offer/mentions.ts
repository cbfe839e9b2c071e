// `@server:uri` in what the user typed: the resource is read and added to the prompt. Only the user's own words are
// searched, never text from a server or a file.

import { type Rule } from "@keelson/engine";
import { withoutReminderTags, type NewEntry } from "@keelson/protocol";
import type { ManagedServer } from "../servers/server.ts";
import type { McpServers } from "../servers/servers.ts";
import { isDenied } from "./resources.ts";

const MENTION = /(?:^|\s)@([^\s:@]+):(\S+)/g;
const MAX_MENTIONS = 10;
const MAX_TEXT = 100_000;

/** One entry for each resource. A mention that names no server, or one that is denied, is ordinary text. Never rejects. */
export async function mentionedResources(
  text: string,
  servers: McpServers,
  rules: readonly Rule[],
  newId: () => string,
  signal: AbortSignal,
): Promise<readonly NewEntry[]> {
  const mentions = [...text.matchAll(MENTION)].flatMap(([, name, uri]) => {
    const server = servers.get(name!);
    return server && !isDenied(name!, rules) ? [{ server, uri: uri! }] : [];
  });
  const found = await Promise.all(mentions.slice(0, MAX_MENTIONS).map(({ server, uri }) => read(server, uri, signal)));
  return found.map(({ server, uri, content }) => ({
    type: "attachment",
    uuid: newId(),
    attachment: { type: "mcp_resource", server, uri, content },
    rendered: [{ content: `Resource ${uri} of the MCP server ${server}:\n${content}` }],
    renderedRole: "user",
  }));
}

async function read(server: ManagedServer, mentioned: string, signal: AbortSignal) {
  const { name } = server;
  // "See @docs:file:///a.md." ends a sentence; few addresses end with such a character.
  const plain = mentioned.replace(/[.,;:!?)\]}>"']+$/, "");
  const fetch = (uri: string) => server.use(signal, (connection) => connection.readResource(uri, signal));
  try {
    const first = await fetch(plain).catch((error: unknown) => {
      if (plain === mentioned) throw error;
      return [];
    });
    const contents = first.length === 0 && plain !== mentioned ? await fetch(mentioned) : first;
    const shown = contents.map((each) => each.text ?? `[${each.mimeType ?? "binary content"}: not shown]`).join("\n");
    const text = withoutReminderTags(shown);
    const isLong = text.length > MAX_TEXT;
    return { server: name, uri: plain, content: isLong ? `${text.slice(0, MAX_TEXT)}\n[The rest is left out]` : text };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { server: name, uri: plain, content: `It could not be read: ${why}` };
  }
}
