// What the model reads about a task that ended in the background. Text from outside cannot pass for another field or
// another notice.

import { cutMiddle } from "@keelson/engine";
import type { Task } from "@keelson/host";
import { asReminder, type NewEntry } from "@keelson/protocol";

export const MAX_RESULT_CHARS = 30_000;
const MAX_LINE_CHARS = 1_000;

export function endNotice(task: Task, uuid: string): NewEntry {
  const { result, note, usage } = task;
  return taskReminder(
    [
      "A background task has ended. This notice is automatic; the user did not write it.",
      "<task-notification>",
      ...taskFields(task),
      field("status", shownStatus(task)),
      field("summary", summaryOf(task)),
      ...(note === undefined ? [] : [field("note", cutMiddle(note, MAX_LINE_CHARS))]),
      ...(result === undefined ? [] : [field("result", cutMiddle(result, MAX_RESULT_CHARS))]),
      ...(usage === undefined
        ? []
        : [
            `<usage>${field("subagent_tokens", usage.totalTokens)}${field("tool_uses", usage.toolUses)}${field("duration_ms", usage.durationMs)}</usage>`,
          ]),
      "</task-notification>",
    ],
    uuid,
  );
}

export function taskFields({ id, toolUseId, outputPath }: Task): readonly string[] {
  return [
    field("task-id", id),
    field("tool-use-id", toolUseId),
    ...(outputPath === "" ? [] : [field("output-file", outputPath)]),
  ];
}

export function taskReminder(lines: readonly string[], uuid: string): NewEntry {
  const content = [{ type: "text" as const, text: asReminder(lines.join("\n")) }];
  return { type: "user", uuid, isMeta: true, message: { role: "user", content } };
}

export function field(name: string, value: string | number): string {
  return `<${name}>${inertIn(name, String(value))}</${name}>`;
}

/** Only tags that would end the field or the notice are changed; other markup in a result stays as it is. */
function inertIn(name: string, text: string): string {
  return text.replaceAll(/<(?=[\s/]*(?:task-notification|([\w-]+)))/gi, (sign, tag?: string) =>
    tag === undefined || tag.toLowerCase() === name ? "&lt;" : sign,
  );
}

export function shownStatus({ status }: Task): "completed" | "failed" | "stopped" {
  return status === "completed" || status === "failed" ? status : "stopped";
}

/** What clients read about the end: of an agent, what it answered or why it did not. */
export function reportOf(task: Task): string {
  if (task.type !== "local_agent" || task.summary !== undefined) return summaryOf(task);
  const report = { completed: task.result, failed: task.error }[task.status as string];
  return cutMiddle(report ?? task.description, MAX_RESULT_CHARS);
}

/** One line about the end. */
function summaryOf(task: Task): string {
  const { summary, type, inBackground, description, command = "", status, exitCode, error } = task;
  if (summary !== undefined) return summary;
  const name = cutMiddle(description || command, MAX_LINE_CHARS);
  if (type === "local_agent") {
    if (status === "killed") return `Agent "${name}" was stopped`;
    return `Agent "${name}" ${status}${error === undefined ? "" : `: ${cutMiddle(error, MAX_LINE_CHARS)}`}`;
  }
  if (!inBackground) return name;
  if (status === "killed") return `Background command "${name}" was stopped`;
  return `Background command "${name}" ${status} (exit code ${exitCode ?? "unknown"})`;
}
