// The hooks in the frontmatter of a skill or an agent, checked as those of settings files are.

import { HOOK_EVENTS, type HookRegistration, type PluginIdentity, type Settings } from "@keelson/protocol";
import { checkHooks } from "../check/check-hooks.ts";
import type { HeadProblem } from "./frontmatter/head-node.ts";

export interface HookPlace {
  /** Absent for an agent that a client describes. */
  readonly file?: string;
  readonly folder?: string;
  readonly plugin: PluginIdentity | undefined;
  readonly source: "skill" | "agent";
  /** The file is an administrator's. */
  readonly managed: boolean;
  report(problem: HeadProblem): void;
}

export function frontmatterHooks(
  { value, line }: { readonly value: unknown; readonly line: number },
  { file, folder, plugin, source, managed, report }: HookPlace,
): readonly HookRegistration[] {
  const root = plugin?.root ?? folder;
  const warn = (key: string, problem: string, outcome = "it is ignored") =>
    report({ line, why: `\`${key}\` ${problem}; ${outcome}` });
  const page = { holder: "user", asks: [], unread: false, unreadMode: false, warn } as const;
  const checked = (checkHooks(value, "hooks", { ...page, asks: [] }) ?? {}) as NonNullable<Settings["hooks"]>;
  return HOOK_EVENTS.flatMap((event) =>
    (checked[event] ?? []).flatMap(({ matcher, hooks }) =>
      hooks.map((handler): HookRegistration => ({
        event,
        ...(matcher !== undefined && { matcher }),
        handler,
        source,
        ...((managed || plugin?.managed) && { managed: true }),
        ...(file !== undefined && { file }),
        ...(root !== undefined && { root }),
        ...(plugin !== undefined && { data: plugin.data, plugin: plugin.id }),
      })),
    ),
  );
}
