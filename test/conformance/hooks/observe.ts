// What came of a row: the program's lines, the requests of its model and the files it left, reduced to what a row can say.

import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { JsonObject } from "@keelson/protocol";
import type { Ended, RecordedRequest, TemporaryHome } from "@keelson/testkit";
import { kindOf, messagesOf, spoken } from "../../sessions/front-door.ts";
import { workplaceOf } from "../kinds.ts";
import { filesIn } from "./furnish.ts";
import type { Observed } from "./row.ts";

interface Seen {
  readonly home: TemporaryHome;
  readonly ended: Ended;
  readonly own: readonly RecordedRequest[];
  readonly asides: readonly RecordedRequest[];
  readonly asked: readonly unknown[];
  readonly posted: readonly unknown[];
  readonly before: ReadonlySet<string>;
  /** The agent is not one of the session that the lines are of. */
  readonly ownSession: boolean;
}

export function observe({ home, ended, own: requests, asides, asked, posted, before, ownSession }: Seen): Observed {
  const session = sessionOf(ended);
  const plain = plainly(home, ownSession ? otherSession(home, session) : session);
  const told = toldTo(home).map(plain);
  const result = messagesOf(ended, "result").at(-1) ?? {};
  return {
    heard: plain(requests.map(newIn)),
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
      filesIn(workplaceOf(home))
        .filter((path) => !before.has(path))
        .map((path) => [path, readFileSync(join(workplaceOf(home), path), "utf8")]),
    ),
    notices: plain(ended.messages.flatMap(noticeOf)),
    denied: messagesOf(ended, "system/permission_denied").map(
      (line) => `${line.tool_name} ${line.decision_reason_type}`,
    ),
    asked: plain(asked),
    posted: plain(posted),
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

function noticeOf(message: any): string[] {
  const kind = kindOf(message);
  if (kind === "system/informational") return [`${message.level}: ${message.content}`];
  return kind === "system/notification" ? [`notification: ${message.key}`] : [];
}

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

const sessionOf = ({ messages }: Pick<Ended, "messages">): string =>
  messages.find(({ session_id: id }) => typeof id === "string")?.session_id ?? "none";

/** Whose transcript lies beside that of the session. */
function otherSession({ configDir }: TemporaryHome, session: string): string {
  const paths = [...new Bun.Glob("projects/*/*.jsonl").scanSync(configDir)];
  return paths.map((path) => basename(path, ".jsonl")).find((id) => id !== session) ?? "none";
}

/** What is different every time, named. */
function plainly(home: TemporaryHome, session: string) {
  return <T>(value: T): T => {
    const text = JSON.stringify(value)
      .replaceAll(new RegExp(`${home.configDir}/projects/[^/"]*/${session}\\.jsonl`, "g"), "<transcript>")
      .replaceAll(session, "<session>")
      .replaceAll(new RegExp(`${home.project}/\\.claude/worktrees/agent-a[0-9a-f]{16}`, "g"), "<project>")
      .replaceAll(home.project, "<project>")
      .replaceAll(home.root, "<root>")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uuid>")
      .replaceAll(/"duration_ms":\d+/g, '"duration_ms":0');
    return JSON.parse(text);
  };
}
