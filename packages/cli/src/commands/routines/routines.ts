// keelson routines: the routines of a server, from the command line.

import { resolve } from "node:path";
import { readUserFile } from "@keelson/disk/own-files";
import { isList, isObject } from "@keelson/protocol";
import type { Arguments } from "../../args/args.ts";
import { UsageError } from "../../args/invocation.ts";
import type { ProcessIO } from "../../process/process-io.ts";
import { columns } from "../columns.ts";
import { runGroup, snapshotFor, type CommandGroup, type Invoked } from "../group.ts";
import { visible } from "../permissions/words.ts";
import { routinesApi, type ApiObject, type RoutinesApi } from "./api.ts";
import { ROUTINES_FLAGS, ROUTINES_OWN_FLAGS } from "./flags.ts";

const USAGE = `Usage: keelson routines <command> [options]

Routines of the server at KEELSON_ROUTINES_URL, with the token in KEELSON_ROUTINES_TOKEN
("keelson serve" is such a server).

Commands:
  list            List routines, with the next time each is due
  create          Create a routine
  run ID          Start a run now, and print its id
  logs RUN        Print what happened in a run, until it has ended
  export ID       Print a routine as JSON
  import FILE     Create a routine from such a file ("-": standard input)
`;

const GROUP: CommandGroup = {
  name: "routines",
  usage: USAGE,
  flags: ROUTINES_FLAGS,
  own: ROUTINES_OWN_FLAGS,
  commands: { list, create, run, logs, export: exportOne, import: importOne },
};

export const runRoutines = (argv: readonly string[], io: ProcessIO): Promise<number> => runGroup(GROUP, argv, io);

async function list(call: Invoked): Promise<number> {
  noWords(call, "usage: keelson routines list [--json]");
  const { given, io } = call;
  const api = await apiOf(call);
  const routines: ApiObject[] = [];
  for await (const routine of api.pages("/v1/code/triggers")) routines.push(routine);
  if (given.has("json")) await io.write(`${JSON.stringify(routines, null, 2)}\n`);
  else if (routines.length === 0) await io.write("No routines\n");
  else await io.write(`${columns(routines.map(row)).join("\n")}\n`);
  return 0;
}

const row = (routine: ApiObject): readonly string[] => [
  visible(String(routine["id"])),
  visible(String(routine["name"])),
  routine["enabled"] === true ? dueText(routine) : `paused${because(routine)}`,
];

const dueText = ({ next_run_at: next, schedule_text: when }: ApiObject) =>
  typeof next === "string" ? `${next}${typeof when === "string" ? ` (${when})` : ""}` : "when it is started";

const because = ({ disabled_reason: reason }: ApiObject) => (typeof reason === "string" ? `: ${visible(reason)}` : "");

async function create(call: Invoked): Promise<number> {
  noWords(call, "usage: keelson routines create --called NAME [--prompt TEXT] [options]");
  const { given, io } = call;
  const name = given.text("called");
  if (name === undefined)
    throw new UsageError("usage: keelson routines create --called NAME [--prompt TEXT] [options]");
  const optional = {
    cron_expression: given.text("cron"),
    zone: given.text("cron") === undefined ? undefined : (given.text("zone") ?? ownZone()),
    run_once_at: given.text("once"),
    model: given.text("model"),
    permission_mode: given.text("permission-mode"),
    allowed_tools: given.list("allowedTools"),
    sources: given.list("source")?.map((url) => ({ url })),
  };
  const body = { name, prompt: given.text("prompt") ?? (await read(io)), ...defined(optional) };
  return shownMade(await (await apiOf(call)).send("POST", "/v1/code/triggers", body), given, io);
}

async function run(call: Invoked): Promise<number> {
  const { given, io } = call;
  const id = oneWord(call, "usage: keelson routines run ID [--text TEXT]");
  const text = given.text("text");
  const started = await (
    await apiOf(call)
  ).send("POST", `/v1/code/triggers/${encodeURIComponent(id)}/run`, text === undefined ? {} : { text });
  await io.write(given.has("json") ? `${JSON.stringify(started, null, 2)}\n` : `${String(started["id"])}\n`);
  return 0;
}

const OVER = new Set(["succeeded", "failed", "cancelled", "timed_out", "skipped", "missed", "capped"]);
const LOOK_MS = 1_000;

/** The exit code is 0 if the run succeeded. */
async function logs(call: Invoked): Promise<number> {
  const { given, io } = call;
  const id = oneWord(call, "usage: keelson routines logs RUN");
  const api = await apiOf(call);
  let cursor = "";
  for (;;) {
    const state = await api.send("GET", `/v1/runs/${encodeURIComponent(id)}`);
    const path = typeof state["session_id"] === "string" ? `/v1/code/sessions/${state["session_id"]}/log` : undefined;
    const page = path === undefined ? {} : await api.send("GET", `${path}${cursor && `?cursor=${cursor}`}`);
    const lines = isList(page["data"]) ? page["data"].filter(isObject) : [];
    for (const line of lines)
      await io.write(
        given.has("json") ? `${JSON.stringify(line)}\n` : `${String(line["type"])}: ${visible(String(line["text"]))}\n`,
      );
    const next = page["next_cursor"];
    if (typeof next === "string") cursor = encodeURIComponent(next);
    const isOver = OVER.has(String(state["state"]));
    if (isOver && (path === undefined || next === null || lines.length === 0)) {
      const { state: end, reason } = state;
      if (end !== "succeeded") io.error(`${String(end)}${typeof reason === "string" ? `: ${visible(reason)}` : ""}`);
      return end === "succeeded" ? 0 : 1;
    }
    if (lines.length === 0) await Bun.sleep(LOOK_MS);
  }
}

/** What is no part of what a person writes. */
const OF_THE_SERVER = [
  ...[
    "id",
    "version",
    "next_run_at",
    "last_fired_at",
    "last_runs",
    "disabled_reason",
    "failures_in_row",
    "may_change",
    "owner_name",
  ],
  ...["created_at", "updated_at", "schedule_text", "job_config", "last_run", "webhooks"],
];

async function exportOne(call: Invoked): Promise<number> {
  const id = oneWord(call, "usage: keelson routines export ID");
  const routine = await (await apiOf(call)).send("GET", `/v1/code/triggers/${encodeURIComponent(id)}`);
  const nested = unknownNested(routine["job_config"]);
  const written = {
    ...Object.fromEntries(Object.entries(routine).filter(([name]) => !OF_THE_SERVER.includes(name))),
    ...(nested === undefined ? {} : { job_config: nested }),
  };
  await call.io.write(`${JSON.stringify(written, null, 2)}\n`);
  return 0;
}

/** Of the nested names, what has no flat one: the others are written once, so that they can be changed in the file. */
function unknownNested(config: unknown): object | undefined {
  if (!isObject(config) || !isObject(config["ccr"])) return undefined;
  const { ccr, ...beside } = config;
  const { environment_id: _, events: __, session_context, ...others } = ccr as ApiObject;
  const { model, sources, allowed_tools, ...more } = isObject(session_context) ? session_context : {};
  const kept = { ...others, ...(Object.keys(more).length === 0 ? {} : { session_context: more }) };
  return Object.keys({ ...beside, ...kept }).length === 0 ? undefined : { ...beside, ccr: kept };
}

async function importOne(call: Invoked): Promise<number> {
  const file = oneWord(call, "usage: keelson routines import FILE");
  const text = file === "-" ? await read(call.io) : textOf(file, call.io.cwd);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${visible(file)} is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(body)) throw new UsageError(`${visible(file)} has no routine: it must be a JSON object`);
  return shownMade(await (await apiOf(call)).send("POST", "/v1/code/triggers", body), call.given, call.io);
}

function textOf(file: string, cwd: string): string {
  try {
    const bytes = readUserFile(resolve(cwd, file), MAX_FILE);
    if (bytes !== undefined) return bytes.toString("utf8");
  } catch (error) {
    throw new UsageError(`${visible(file)} cannot be read: ${(error as Error).message}`);
  }
  throw new UsageError(`${visible(file)} cannot be read: there is no such file`);
}

const MAX_FILE = 1024 * 1024;

async function shownMade(routine: ApiObject, given: Arguments, io: ProcessIO): Promise<number> {
  await io.write(given.has("json") ? `${JSON.stringify(routine, null, 2)}\n` : `${row(routine).join("  ")}\n`);
  return 0;
}

async function apiOf(call: Invoked): Promise<RoutinesApi> {
  const { routinesServer } = await import("@keelson/runtime/optional-tools");
  return routinesApi(routinesServer(await snapshotFor(call)));
}

function noWords({ words }: Invoked, usage: string): void {
  if (words.length > 0) throw new UsageError(usage);
}

function oneWord({ words }: Invoked, usage: string): string {
  const [word, ...more] = words;
  if (word === undefined || more.length > 0) throw new UsageError(usage);
  return word;
}

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

const defined = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

async function read(io: ProcessIO): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of io.stdin()) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8").trim();
}
