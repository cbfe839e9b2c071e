// Which server a file belongs to, by the end of its name. Pure.

import { basename } from "node:path";
import type { ConfiguredLanguageServer } from "@keelson/protocol";

/** The first server that names the longest end of the file's name. */
export function serverOf(
  path: string,
  servers: readonly ConfiguredLanguageServer[],
): ConfiguredLanguageServer | undefined {
  let best: { readonly server: ConfiguredLanguageServer; readonly length: number } | undefined;
  for (const server of servers) {
    const { length = 0 } = endingOf(path, server) ?? "";
    if (length > (best?.length ?? 0)) best = { server, length };
  }
  return best?.server;
}

export function languageIdOf(path: string, server: Pick<ConfiguredLanguageServer, "languages">): string | undefined {
  const ending = endingOf(path, server);
  return ending === undefined ? undefined : server.languages[ending];
}

function endingOf(path: string, { languages }: Pick<ConfiguredLanguageServer, "languages">): string | undefined {
  const name = basename(path).toLowerCase();
  for (let at = name.indexOf("."); at !== -1; at = name.indexOf(".", at + 1)) {
    const ending = name.slice(at);
    if (Object.hasOwn(languages, ending)) return ending;
  }
  return undefined;
}
