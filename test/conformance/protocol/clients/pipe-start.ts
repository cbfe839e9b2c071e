// How options become flags and an initialize request, written down once more from what is known of existing clients:
// the bare pipe must not depend on the SDK it is compared with.

import type { Answers, Start } from "../scenario.ts";

const STREAM = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];

const FLAGS: { readonly [Name in keyof Start]: (value: any) => readonly string[] } = {
  allowedTools: (names) => [`--allowedTools=${names.join(",")}`],
  disallowedTools: (names) => [`--disallowedTools=${names.join(",")}`],
  additionalDirectories: (folders) => folders.map((folder: string) => `--add-dir=${folder}`),
  continue: () => ["--continue"],
  forkSession: () => ["--fork-session"],
  includeHookEvents: () => ["--include-hook-events"],
  includePartialMessages: () => ["--include-partial-messages"],
  fallbackModel: (name) => [`--fallback-model=${name}`],
  maxBudgetUsd: (amount) => [`--max-budget-usd=${amount}`],
  maxTurns: (count) => [`--max-turns=${count}`],
  model: (name) => [`--model=${name}`],
  outputFormat: ({ schema }) => [`--json-schema=${JSON.stringify(schema)}`],
  permissionMode: (mode) => [`--permission-mode=${mode}`],
  persistSession: (kept) => (kept ? [] : ["--no-session-persistence"]),
  resume: (id) => [`--resume=${id}`],
  resumeSessionAt: (id) => [`--resume-session-at=${id}`],
  sessionId: (id) => [`--session-id=${id}`],
  settings: (settings) => ["--settings", JSON.stringify(settings)],
  tools: (names) => [`--tools=${names.join(",")}`],
  extraArgs: (args) =>
    Object.entries(args).flatMap(([name, value]) => (value === null ? [`--${name}`] : [`--${name}`, String(value)])),
};

export function flagsOf(start: Start, { canUseTool }: Answers): string[] {
  const own = Object.entries(start).flatMap(([name, value]) => FLAGS[name as keyof Start]?.(value) ?? []);
  return [...STREAM, ...(canUseTool === undefined ? [] : ["--permission-prompt-tool=stdio"]), ...own];
}

/** Undefined when there is nothing to say: initialising is optional. */
export function initializeOf(start: Start, { hooks, servers }: Answers): object | undefined {
  let callbacks = 0;
  const { title, agents, systemPrompt, outputFormat, toolAliases } = start;
  const fields = {
    title,
    agents,
    toolAliases,
    jsonSchema: outputFormat?.schema,
    systemPrompt: typeof systemPrompt === "string" ? [systemPrompt] : systemPrompt,
    sdkMcpServers: servers && Object.keys(servers),
    hooks:
      hooks &&
      Object.fromEntries(
        Object.entries(hooks).map(([event, list]) => [
          event,
          list.map(({ outputs: _, ...matcher }) => ({ ...matcher, hookCallbackIds: [`hook_${callbacks++}`] })),
        ]),
      ),
  };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : { subtype: "initialize", ...Object.fromEntries(given) };
}
