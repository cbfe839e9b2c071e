// The hooks of a plugin: `hooks/hooks.json` and those of its manifest. A bad handler drops only itself.

import { HOOK_EVENTS, isObject, type HookEvent, type HookHandler, type Settings } from "@keelson/protocol";
import { checkHooks } from "../../check/check-hooks.ts";
import type { SettingsPage } from "../../check/page.ts";
import { described, type OwnManifest } from "./named-files.ts";
import type { FolderReading } from "./read-json.ts";

export interface PluginHook {
  readonly event: HookEvent;
  readonly matcher?: string;
  readonly handler: HookHandler;
  readonly file: string;
}

export function hooksOf(own: OwnManifest, reading: FolderReading): readonly PluginHook[] {
  return described("hooks", "hooks/hooks.json", own, reading).flatMap(({ file, value, at, lineOf }) => {
    const wrapped = isObject(value["hooks"]) || at.length === 0;
    const base = wrapped ? [...at, "hooks"] : at;
    const report = (key: string, problem: string, outcome = "it is ignored") => {
      const line = lineOf(pathIn(key, base));
      reading.problems.push({ file, ...(line === undefined ? {} : { line }), text: `${key} ${problem}; ${outcome}` });
    };
    if (wrapped && value["hooks"] === undefined) {
      report("hooks", 'is missing; put the events inside {"hooks": { … }}', "no hooks are read");
      return [];
    }
    const page: SettingsPage = { holder: "user", asks: [], unread: false, unreadMode: false, warn: report };
    const hooks = checkHooks(wrapped ? value["hooks"] : value, "hooks", page) as Settings["hooks"] | undefined;
    return HOOK_EVENTS.flatMap((event) =>
      (hooks?.[event] ?? []).flatMap(({ matcher, hooks: handlers }, group) =>
        handlers.flatMap((handler): PluginHook[] => {
          if (putsOptionInShell(handler)) {
            report(
              `hooks.${event}[${group}]`,
              "uses ${user_config…} in a shell command, where its value would be code; " +
                'use "args", or read the variable CLAUDE_PLUGIN_OPTION_<KEY>',
              "this hook is ignored",
            );
            return [];
          }
          return [{ event, ...(matcher === undefined ? {} : { matcher }), handler, file }];
        }),
      ),
    );
  });
}

const putsOptionInShell = (handler: HookHandler) =>
  handler.type === "command" && handler.args === undefined && handler.command.includes("${user_config.");

/** `hooks.PreToolUse[0].hooks[1].type` as a path below `base`, which stands for `hooks`. */
function pathIn(key: string, base: readonly (string | number)[]): (string | number)[] {
  const steps = key.split(/[.[\]]+/).filter((step) => step !== "");
  return [...base, ...steps.slice(1).map((step) => (/^\d+$/.test(step) ? Number(step) : step))];
}
