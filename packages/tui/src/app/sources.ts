// What the prompt completes: commands after `/`, files and agents after `@`.

import { isObject } from "@keelson/protocol";
import type { CompletionSources } from "../complete/completion.ts";
import type { CommandFact } from "./session-facts.ts";
import type { Talk } from "./talk.ts";

export function promptSources(app: { readonly talk: Talk; commands(): readonly CommandFact[] }): CompletionSources {
  return {
    commands: () => app.commands(),
    async files(query) {
      const reply = await app.talk.request("file_suggestions", { query });
      const found = isObject(reply) ? reply["suggestions"] : undefined;
      return Array.isArray(found) ? found.flatMap(pathOf) : [];
    },
  };
}

function pathOf(suggestion: unknown): string[] {
  if (typeof suggestion === "string") return [suggestion];
  return isObject(suggestion) && typeof suggestion["path"] === "string" ? [suggestion["path"]] : [];
}
