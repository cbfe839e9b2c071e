// The routines, runs and webhooks of the test server, with the checks that docs/routines-api.md names.

import type { Webhook } from "./signature.ts";

export type Fields = Record<string, unknown>;

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  404: "not_found_error",
  409: "conflict_error",
  413: "request_too_large",
};

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  get type(): string {
    return TYPES[this.status] ?? "invalid_request_error";
  }
}

interface Page {
  readonly cursor: string | null;
  readonly limit: string | null;
}

const SET_BY_SERVER = ["id", "version", "next_run_at", "last_fired_at", "last_runs", "disabled_reason"];

export class RoutineStore {
  readonly #now: () => number;
  readonly #pageSize: number;
  readonly #routines = new Map<string, Fields>();
  readonly #runs: Fields[] = [];
  readonly #webhooks = new Map<string, Webhook>();
  readonly #logs = new Map<string, Fields[]>();
  #count = 0;

  constructor(now: () => number, pageSize: number) {
    this.#now = now;
    this.#pageSize = pageSize;
  }

  list(page: Page): Fields {
    return this.#page([...this.#routines.values()].toReversed(), page);
  }

  get(id: string): Fields {
    return { ...this.#routine(id), last_runs: this.#runsOf(id).slice(0, 5) };
  }

  create(body: Fields): Fields {
    for (const name of ["name", "prompt"]) {
      if (typeof body[name] !== "string" || body[name] === "") throw new ApiError(400, `${name}: required`);
    }
    const id = this.#newId("trig");
    const own = { id, version: 1, enabled: true, last_fired_at: null, disabled_reason: null };
    const routine = this.#checked({ ...own, ...this.#given(body) });
    this.#routines.set(id, routine);
    return routine;
  }

  update(id: string, body: Fields, ifMatch: string | undefined): Fields {
    const old = this.#routine(id);
    if (ifMatch !== undefined && ifMatch !== `"${String(old["version"])}"`) {
      throw new ApiError(409, `The routine has version ${String(old["version"])}`);
    }
    const next = this.#checked({ ...old, ...this.#given(body), version: Number(old["version"]) + 1 });
    this.#routines.set(id, next);
    return next;
  }

  remove(id: string): void {
    this.#routine(id);
    this.#routines.delete(id);
  }

  run(id: string, cause: string, body: Fields): Fields {
    const routine = this.#routine(id);
    if (body["text"] !== undefined && typeof body["text"] !== "string") throw new ApiError(400, "text: not a text");
    const session = this.#newId("session");
    const at = this.#time();
    const run = {
      type: "routine_run",
      id: this.#newId("run"),
      trigger_id: id,
      session_id: session,
      cause,
      state: "queued",
    };
    this.#runs.unshift({ ...run, due_at: at, reason: null, outcome: null });
    this.#routines.set(id, { ...routine, last_fired_at: at });
    const text = String(routine["prompt"]);
    this.#logs.set(session, [
      { seq: 1, at, type: "user", text },
      { seq: 2, at, type: "assistant", text: "Working on it" },
      { seq: 3, at, type: "result", text: "Done" },
    ]);
    return run;
  }

  runs(id: string, page: Page): Fields {
    this.#routine(id);
    return this.#page(this.#runsOf(id), page);
  }

  log(session: string, page: Page): Fields {
    const entries = this.#logs.get(session);
    if (!entries) throw new ApiError(404, `There is no session '${session}'`);
    return this.#page(entries, page);
  }

  addWebhook(triggerId: string, { kind }: Fields, address: string): Fields {
    this.#routine(triggerId);
    if (kind !== "http" && kind !== "github") throw new ApiError(400, "kind: must be http or github");
    const id = this.#newId("hook");
    const secret = `whsec_${id}`;
    const webhook: Webhook = { id, triggerId, kind, secret, ...(kind === "http" && { token: `whtok_${id}` }) };
    this.#webhooks.set(id, webhook);
    const { token } = webhook;
    return { id, kind, url: `${address}/v1/webhooks/${id}`, ...(token && { token }), secret };
  }

  webhook(id: string): Webhook {
    const found = this.#webhooks.get(id);
    if (!found) throw new ApiError(404, `There is no webhook '${id}'`);
    return found;
  }

  #routine(id: string): Fields {
    const found = this.#routines.get(id);
    if (!found) throw new ApiError(404, `There is no routine '${id}'`);
    return found;
  }

  #runsOf = (id: string) => this.#runs.filter(({ trigger_id }) => trigger_id === id);

  #given(body: Fields): Fields {
    const { cron, ...rest } = body;
    const set = SET_BY_SERVER.find((name) => name in rest);
    if (set) throw new ApiError(400, `${set}: set by the server`);
    return cron === undefined ? rest : { ...rest, cron_expression: cron };
  }

  #checked(routine: Fields): Fields {
    const { cron_expression: cron, run_once_at: once } = routine;
    if (cron && once) throw new ApiError(400, "run_once_at: not together with cron_expression");
    if (cron && (typeof cron !== "string" || cron.trim().split(/\s+/).length !== 5)) {
      throw new ApiError(400, "cron_expression: not five fields");
    }
    // The field for minutes alone decides whether there can be two runs in an hour.
    if (cron && !/^\d+\s/.test(String(cron)))
      throw new ApiError(400, "cron_expression: runs are less than an hour apart");
    if (once && !(Date.parse(String(once)) > this.#now())) throw new ApiError(400, "run_once_at: in the past");
    const next =
      routine["enabled"] === false ? null : (once ?? (cron ? new Date(this.#now() + 3_600_000).toISOString() : null));
    return { ...routine, next_run_at: next };
  }

  #page(all: readonly Fields[], { cursor, limit }: Page): Fields {
    const size = Math.min(limit === null ? this.#pageSize : Number(limit), this.#pageSize);
    if (!(size >= 1)) throw new ApiError(400, "limit: not a number from 1");
    const start = cursor === null ? 0 : Number(/^after-(\d+)$/.exec(cursor)?.[1] ?? Number.NaN);
    if (Number.isNaN(start)) throw new ApiError(400, "cursor: not valid");
    const end = start + size;
    return { data: all.slice(start, end), next_cursor: end < all.length ? `after-${end}` : null };
  }

  #newId = (kind: string) => `${kind}_${++this.#count}`;

  #time = () => new Date(this.#now()).toISOString();
}
