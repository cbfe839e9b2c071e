// Runs rows of the hooks table somewhere: a stage is a kind of agent. Whatever hooks do for the main agent they must do
// for every other, so a new kind of agent is a new stage here and no new table.

import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@keelson/protocol";
import {
  startKeelson,
  startMockModel,
  temporaryHome,
  type Ended,
  type RecordedRequest,
  type TemporaryHome,
} from "@keelson/testkit";
import { answer, kindOf, messagesOf, prompt, spoken, STREAM } from "../../sessions/front-door.ts";
import { nameOf, ONE_CALL, PROMPT, type Hook, type Observed, type Row } from "./row.ts";

export interface Stage {
  readonly name: string;
  /**
   * Has an agent of this kind do what the row's model says, with the row's hooks registered. What it reports is told
   * from the agent's side: `heard` are the agent's own requests, and what only its kind has in a hook's input
   * (`agent_id`, `agent_type`) is checked by the stage and taken out of `told`.
   */
  run(row: Row): Promise<Observed>;
}

export const mainAgent: Stage = {
  name: "main agent",
  async run(row) {
    using home = temporaryHome();
    const before = furnish(home, row);
    const isOwn = ({ body }: Pick<RecordedRequest, "body">) => hasPrompt(body);
    const script = { own: [...(row.says ?? ONE_CALL)], aside: [...(row.aside ?? [])] };
    await using model = await startMockModel(
      (body) => script[isOwn({ body }) ? "own" : "aside"].shift() ?? { status: 400, message: "Nothing more to say" },
    );
    const { person } = row;
    const talks = ["--input-format", "stream-json", "--permission-prompt-tool", "stdio"];
    const flags = [...STREAM, ...(person === undefined ? ["-p", PROMPT] : ["-p", ...talks]), ...(row.flags ?? [])];
    const env = { TOLD: join(home.root, "told"), ...row.env };
    await using program = startKeelson(flags, {
      home,
      url: model.url,
      env,
      timeoutMs: 40_000,
      ...(person === undefined ? {} : { stdin: "open" }),
    });
    const asked = person === undefined ? [] : await converse(program, person);
    const ended = await program.done;
    const own = model.requests.filter(isOwn);
    const asides = model.requests.filter((request) => !isOwn(request));
    return observe({ home, ended, own, asides, asked, before });
  },
};

/** Everything the row wants to find in the home and the project. Returns what is there before the session. */
export function furnish(
  home: TemporaryHome,
  { hooks, settings, files = {} }: Pick<Row, "hooks" | "settings" | "files">,
) {
  const groups = (wanted: boolean) =>
    Object.fromEntries(
      Object.entries(hooks).map(([event, list]) => [
        event,
        list.flatMap((hook, at) =>
          (hook.user === true) === wanted ? [groupOf(home, hook, nameOf(event as Row["event"], at + 1))] : [],
        ),
      ]),
    );
  home.settings({ ...(settings ?? { permissions: { allow: ["Bash(touch *)"] } }), hooks: groups(true) });
  home.write(".claude/settings.json", { hooks: groups(false) });
  for (const [path, text] of Object.entries(files)) home.write(path, text);
  return new Set(filesIn(home.project));
}

function groupOf(home: TemporaryHome, hook: Hook, name: string): object {
  const { matcher, user: _, ...handler } = hook;
  const group = matcher === undefined ? {} : { matcher };
  if (!("script" in handler)) return { ...group, hooks: [handler] };
  const { script, called = name, ...fields } = handler;
  chmodSync(home.write(called, `#!/bin/sh\ninput=$(cat)\nprintf '%s\\n' "$input" >> "$TOLD"\n${script}\n`), 0o755);
  return { ...group, hooks: [{ type: "command", command: called, ...fields }] };
}

/** Sends the prompt, answers questions as the person would, and leaves after the result. */
async function converse(program: ReturnType<typeof startKeelson>, person: JsonObject | "silent") {
  const asked: unknown[] = [];
  program.send(prompt(PROMPT));
  for (let after = undefined; ;) {
    const line = await program.waitForLine(
      ({ type, request }) => type === "result" || request?.subtype === "can_use_tool",
      after === undefined ? {} : { after },
    );
    const { type, request_id: id, request } = line.json as any;
    if (type === "result") break;
    asked.push(request);
    if (person !== "silent") program.send(answer(id, person));
    after = line as never;
  }
  program.closeStdin();
  return asked;
}

interface Seen {
  readonly home: TemporaryHome;
  readonly ended: Ended;
  readonly own: readonly RecordedRequest[];
  readonly asides: readonly RecordedRequest[];
  readonly asked: readonly unknown[];
  readonly before: ReadonlySet<string>;
}

export function observe({ home, ended, own, asides, asked, before }: Seen): Observed {
  const plain = plainly(home, ended);
  const informational = messagesOf(ended, "system/informational");
  const told = toldTo(home).map(plain);
  const result = messagesOf(ended, "result").at(-1) ?? {};
  return {
    heard: plain(own.map(newIn)),
    told,
    keys: told.map((input) => Object.keys(input).join(" ")),
    asides: plain(
      asides.map(({ body: { system, messages, tools, model, thinking, output_config } }) => ({
        model,
        system: (system ?? []).map(({ text }: any) => text),
        messages,
        tools: (tools ?? []).map(({ name }: any) => name),
        thinking,
        output_config,
      })),
    ),
    files: Object.fromEntries(
      filesIn(home.project)
        .filter((path) => !before.has(path))
        .map((path) => [path, readFileSync(join(home.project, path), "utf8")]),
    ),
    notices: plain(informational.map(({ level, content }) => `${level}: ${content}`)),
    denied: messagesOf(ended, "system/permission_denied").map(
      (line) => `${line.tool_name} ${line.decision_reason_type}`,
    ),
    asked: plain(asked),
    hookLines: plain(ended.messages.filter((line) => kindOf(line).startsWith("system/hook_"))),
    result: plain({
      text: result.result,
      ends: result.terminal_reason,
      stop: result.stop_reason,
      denials: (result.permission_denials ?? []).map(({ tool_name }: any) => tool_name),
      ...(result.deferred_tool_use ? { deferred: result.deferred_tool_use } : {}),
    }),
    stderr: plain(ended.stderr),
    code: ended.code,
  };
}

const hasPrompt = ({ messages }: any): boolean =>
  (messages ?? []).some(({ content }: any) =>
    typeof content === "string" ? content === PROMPT : content.some(({ text }: any) => text === PROMPT),
  );

function newIn(request: RecordedRequest): string[] {
  return spoken(request)
    .at(-1)
    .content.map((block: any) => {
      if (block.type !== "tool_result") return block.text;
      const text =
        typeof block.content === "string" ? block.content : block.content.map(({ text }: any) => text).join("");
      return `${block.is_error ? "error" : "result"}: ${text}`;
    });
}

export function toldTo(home: TemporaryHome): JsonObject[] {
  const path = join(home.root, "told");
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.flatMap((line) => (line === "" ? [] : [JSON.parse(line) as JsonObject]));
}

/** What is different every time, named. */
export function plainly(home: TemporaryHome, ended: Pick<Ended, "messages">) {
  const session: string = ended.messages.find(({ session_id: id }) => typeof id === "string")?.session_id ?? "none";
  return <T>(value: T): T => {
    const text = JSON.stringify(value)
      .replaceAll(new RegExp(`${home.configDir}/projects/[^/"]*/${session}\\.jsonl`, "g"), "<transcript>")
      .replaceAll(session, "<session>")
      .replaceAll(home.project, "<project>")
      .replaceAll(home.root, "<root>")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uuid>")
      .replaceAll(/"duration_ms":\d+/g, '"duration_ms":0');
    return JSON.parse(text);
  };
}

function filesIn(directory: string): string[] {
  return (readdirSync(directory, { recursive: true }) as string[])
    .filter((path) => !path.startsWith(".claude") && statSync(join(directory, path)).isFile())
    .sort();
}

/** At most so many at once: a row has a program of its own. */
export function inTurn(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let busy = 0;
  return async (work) => {
    if (busy >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    busy++;
    try {
      return await work();
    } finally {
      busy--;
      waiting.shift()?.();
    }
  };
}
