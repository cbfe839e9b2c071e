// One line about an answer of the routines server, for people and the model. Pure; empty for answers it does not know.

import type { RemoteTriggerInput } from "./remote-trigger.ts";

type Fields = Readonly<Record<string, unknown>>;

export function answerSummary(
  action: RemoteTriggerInput["action"],
  { status, json }: { readonly status: number; readonly json: string },
): string | undefined {
  const answer = parsed(json);
  if (answer === undefined) return undefined;
  if (status >= 400) return errorIn(answer);
  switch (action) {
    case "list":
      return counted(answer, "routine");
    case "list_runs":
      return counted(answer, "run");
    case "create":
    case "update":
    case "get":
      return routine(answer);
    case "run":
      return text(answer["session_id"]) && `Started session ${text(answer["session_id"])}`;
    case "create_webhook_trigger":
      return text(answer["url"]) && `Calls to ${text(answer["url"])} start the routine`;
    case "get_run_log":
      return undefined;
  }
}

function routine(answer: Fields): string | undefined {
  const id = text(answer["id"]);
  if (id === undefined) return undefined;
  const next = answer["enabled"] === false ? "disabled" : text(answer["next_run_at"]);
  return [
    `${text(answer["name"]) ?? "Routine"} (${id})`,
    ...(next === undefined ? [] : [next === "disabled" ? next : `next run ${next}`]),
  ].join(", ");
}

function counted({ data, next_cursor: more }: Fields, what: string): string | undefined {
  if (!Array.isArray(data)) return undefined;
  const count = `${data.length} ${what}${data.length === 1 ? "" : "s"}`;
  return typeof more === "string" ? `${count}; more with cursor ${more.slice(0, 200)}` : count;
}

function errorIn({ error }: Fields): string | undefined {
  const { message } = (typeof error === "object" && error !== null ? error : {}) as Fields;
  return text(message);
}

function parsed(json: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value.slice(0, 200) : undefined);
