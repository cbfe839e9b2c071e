// What the prompt completes: commands after `/`; files, agents and resources of MCP servers after `@`.

import { isObject } from "@keelson/protocol";
import type { CompletionSources } from "../../complete/completion.ts";
import type { MentionItem } from "../../complete/mention.ts";
import type { CommandFact } from "../session/session-facts.ts";
import type { Talk } from "../session/talk.ts";

interface Source {
  readonly talk: Pick<Talk, "request" | "facts">;
  commands(): readonly CommandFact[];
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
        asked.list = resourcesIn(reply);
        if (asked.list.length > 0) app.changed();
      },
      () => undefined,
    );
    return asked.list;
  };

  return {
    commands: () => app.commands(),
    async files(query) {
      const reply = await app.talk.request("file_suggestions", { query });
      const found = isObject(reply) ? reply["suggestions"] : undefined;
      return Array.isArray(found) ? found.flatMap(pathOf) : [];
    },
    mentions: () => [
      ...app.talk.facts.agents.map(({ name, description }) => ({ value: `agent-${name}`, description })),
      ...known(),
    ],
  };
}

function resourcesIn(reply: unknown): readonly MentionItem[] {
  const found = isObject(reply) ? reply["resources"] : undefined;
  if (!Array.isArray(found)) return [];
  return (found as unknown[]).filter(isObject).map(({ server, uri, name, description }) => ({
    value: `${String(server)}:${String(uri)}`,
    description: String(description ?? name ?? ""),
  }));
}

function pathOf(suggestion: unknown): string[] {
  if (typeof suggestion === "string") return [suggestion];
  return isObject(suggestion) && typeof suggestion["path"] === "string" ? [suggestion["path"]] : [];
}
