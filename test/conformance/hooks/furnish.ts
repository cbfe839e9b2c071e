// Puts a row's hooks where the program finds them: scripts in the project, settings of the user and of the project, a
// server for hooks that post.

import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TemporaryHome } from "@keelson/testkit";
import type { Kind } from "../kinds.ts";
import { nameOf, type Answer, type Hook, type Row } from "./row.ts";

/** What comes from elsewhere: the address of the row's server, and what the kind of agent needs. */
interface Surroundings {
  readonly url?: string | undefined;
  readonly hooks?: Kind["hooks"];
  readonly settings?: Kind["settings"];
}

/** Everything the row wants to find in the home and the project. Returns what is there before the session. */
export function furnish(
  home: TemporaryHome,
  { hooks: given, settings, files = {} }: Pick<Row, "hooks" | "settings" | "files">,
  { url = "<server>", hooks: more = {}, settings: common }: Surroundings = {},
): ReadonlySet<string> {
  const hooks = at(url, given);
  const groups = (wanted: boolean) =>
    Object.fromEntries(
      Object.entries(hooks).map(([event, list]) => [
        event,
        list.flatMap((hook, at) =>
          (hook.user === true) === wanted ? [groupOf(home, hook, nameOf(event as Row["event"], at + 1))] : [],
        ),
      ]),
    );
  home.settings({
    ...common,
    ...(settings ?? { permissions: { allow: ["Bash(touch *)"] } }),
    hooks: { ...groups(true), ...more },
  });
  home.write(".claude/settings.json", { hooks: groups(false) });
  for (const [path, text] of Object.entries(files)) home.write(path, text);
  return new Set(filesIn(home.project));
}

function groupOf(home: TemporaryHome, hook: Hook, name: string): object {
  const { matcher, user: _, ...handler } = hook;
  const group = matcher === undefined ? {} : { matcher };
  if (!("script" in handler)) return { ...group, hooks: [handler] };
  const { script, called = name, ...fields } = handler as { script: string; called?: string };
  chmodSync(home.write(called, `#!/bin/sh\ninput=$(cat)\nprintf '%s\\n' "$input" >> "$TOLD"\n${script}\n`), 0o755);
  return { ...group, hooks: [{ type: "command", command: called, ...fields }] };
}

const at = <T>(url: string, value: T): T => JSON.parse(JSON.stringify(value).replaceAll("<server>", url));

/** The other end of http hooks. */
export function listen({ status = 200, headers = {}, body = "{}", silent }: Answer) {
  const posted: unknown[] = [];
  const server: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const own = [...request.headers].filter(([name]) => name.startsWith("x-"));
      posted.push({
        method: request.method,
        path: new URL(request.url).pathname,
        type: request.headers.get("content-type"),
        headers: Object.fromEntries(own),
        body: await request.json(),
      });
      if (silent) await new Promise(() => {});
      return new Response(body, { status, headers: at(`http://127.0.0.1:${server.port}`, headers) });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, posted, [Symbol.dispose]: () => void server.stop(true) };
}

/** Without what is ours. */
export function filesIn(directory: string): string[] {
  return (readdirSync(directory, { recursive: true }) as string[])
    .filter((path) => !/^\.(?:claude|git)(?:\/|$)/.test(path) && statSync(join(directory, path)).isFile())
    .sort();
}
