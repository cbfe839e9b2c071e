// What the prompt completes: commands after `/`; files, agents and resources of MCP servers after `@`.

import type { ListedCommand } from "@keelson/protocol";
import type { CompletionSources } from "../../complete/completion.ts";
import type { MentionItem } from "@keelson/client/mention";
import type { Talk } from "../session/talk.ts";

interface Source {
  readonly talk: Pick<Talk, "request" | "facts">;
  commands(): readonly ListedCommand[];
  changed(): void;
}

/** Servers connect and change what they have; asking with each key would be too much. */
const FRESH_MS = 10_000;

export function promptSources(app: Source, now: () => number = Date.now): CompletionSources {
  let resources: { readonly of: Source["talk"]; readonly atMs: number; list: readonly MentionItem[] } | undefined;

  /** What is known; what has to be asked for is there for the next frame. */
  const known = (): readonly MentionItem[] => {
    const { talk } = app;
    const before = resources?.of === talk ? resources : undefined;
    if (before && now() - before.atMs < FRESH_MS) return before.list;
    const asked = { of: talk, atMs: now(), list: before?.list ?? [] };
    resources = asked;
    talk.request("mcp_list_resources").then(
      (reply) => {
        asked.list = reply.resources.map(({ server, uri, name, description = name }) => ({
          value: `${server}:${uri}`,
          description,
        }));
        if (asked.list.length > 0) app.changed();
      },
      () => undefined,
    );
    return asked.list;
  };

  return {
    commands: () => app.commands(),
    async files(query) {
      const { suggestions } = await app.talk.request("file_suggestions", { query });
      return suggestions.map(({ path }) => path);
    },
    mentions: () => [
      ...app.talk.facts.agents.map(({ name, description }) => ({ value: `agent-${name}`, description })),
      ...known(),
    ],
  };
}
