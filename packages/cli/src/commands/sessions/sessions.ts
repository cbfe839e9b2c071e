// keelson sessions: lists sessions, shows what is known of one, names and deletes them. One that is open in another program is
// renamed by that program, and not deleted before it has ended.

import { resolve } from "node:path";
import type { ListedSession } from "@keelson/protocol";
import { UsageError } from "../../args/invocation.ts";
import { loadOptions, type ProcessIO } from "../../process/process-io.ts";
import { columns } from "../columns.ts";
import { runGroup, type Invoked } from "../group.ts";
import { shortenFrom, visible } from "../permissions/words.ts";
import { SESSIONS_FLAGS, SESSIONS_OWN_FLAGS } from "./flags.ts";

const USAGE = `Usage: keelson sessions <command> [session] [options]

List the sessions of this folder, show what is known of one, rename or delete them. A session is
given by its ID, the start of its ID, or its title. One that is open in another program is renamed
there, and can be deleted once that program has ended.

Commands:
  list                        List the sessions, the newest first
  show [session]              Show one; default: the most recent session in this folder
  rename <session> <title>    Give it a title
  rm <session>...             Delete it for good, with what its subagents wrote and its
                              copies of files

Examples:
  keelson sessions list
  keelson sessions list --all --json | jq -r '.[].id'
  keelson sessions rename 4f1c "Fix the parser"
  keelson export "$(keelson sessions show --json | jq -r .id)" -o last.html
`;

export function runSessions(argv: readonly string[], io: ProcessIO): Promise<number> {
  return runGroup(
    {
      name: "sessions",
      usage: USAGE,
      flags: SESSIONS_FLAGS,
      own: SESSIONS_OWN_FLAGS,
      commands: { list, show, rename, rm: remove },
    },
    argv,
    io,
  );
}

interface Shelf {
  readonly place: { readonly configDir: string; readonly cwd: string; readonly dirName: string | undefined };
  readonly home: string;
}

async function shelfOf({ given, io }: Invoked): Promise<Shelf> {
  const { load } = await import("@keelson/config");
  const at = resolve(io.cwd, given.text("cwd") ?? ".");
  const { configDir, cwd, env, home } = load(loadOptions({ ...io, cwd: at }, {}));
  return { place: { configDir, cwd, dirName: env["CLAUDE_CODE_PROJECT_DIR_NAME"] }, home };
}

async function stored({ place }: Shelf) {
  const { StoredSessions } = await import("@keelson/store/stored-sessions");
  return new StoredSessions(place);
}

const DEFAULT_LIMIT = 50;

async function list(call: Invoked): Promise<number> {
  const { given, io, words } = call;
  if (words.length > 0) throw new UsageError("usage: keelson sessions list [--all] [--limit count] [--json]");
  const limit = given.number("limit") ?? DEFAULT_LIMIT;
  const shelf = await shelfOf(call);
  const sessions = await stored(shelf);
  const all = await sessions.rows({ allProjects: given.has("all") });
  const shown = await sessions.counted(all.slice(0, limit));
  if (given.has("json")) {
    await io.write(`${JSON.stringify(shown.map(asJson), null, 2)}\n`);
    return 0;
  }
  if (shown.length === 0) {
    await io.write(
      given.has("all") ? "No sessions\n" : "No sessions in this folder; --all lists those of all folders\n",
    );
    return 0;
  }
  const short = shortenFrom(io.cwd, shelf.home);
  const rows = shown.map((each) => [
    each.sessionId,
    localTime(each.lastModified),
    each.messageCount === undefined ? "?" : String(each.messageCount),
    ...(given.has("all") ? [visible(short(each.cwd ?? ""))] : []),
    titleOf(each),
  ]);
  const head = ["id", "modified", "messages", ...(given.has("all") ? ["folder"] : []), "title"];
  const more = all.length > limit ? [`${all.length - limit} more; --limit ${all.length} shows all`] : [];
  await io.write(`${[...columns([head, ...rows]), ...more].join("\n")}\n`);
  return 0;
}

async function show(call: Invoked): Promise<number> {
  const { given, io, words } = call;
  if (words.length > 1)
    throw new UsageError("usage: keelson sessions show [session] [--json]; quote a title with spaces");
  const shelf = await shelfOf(call);
  const { id, path } = await wantedSession(words[0], call, shelf);
  const session = await (await stored(shelf)).get(id);
  if (session === undefined) throw new UsageError(`session ${id} cannot be read`);
  const { leaseHolder } = await import("@keelson/disk/lease/take");
  const { ownerPath } = await import("@keelson/store");
  const holder = await leaseHolder(ownerPath(path)).catch(() => undefined);
  const open = holder === undefined ? null : { name: holder.name, pid: holder.pid };
  if (given.has("json")) {
    await io.write(`${JSON.stringify({ ...asJson(session), path, open }, null, 2)}\n`);
    return 0;
  }
  const facts = [
    ["Session", session.sessionId],
    ["Title", titleOf(session)],
    ["Modified", localTime(session.lastModified)],
    ...(session.messageCount === undefined ? [] : [["Messages", String(session.messageCount)]]),
    ...(session.cwd === undefined ? [] : [["Folder", visible(session.cwd)]]),
    ...(session.gitBranch === undefined ? [] : [["Branch", visible(session.gitBranch)]]),
    ...(session.firstPrompt === undefined ? [] : [["First prompt", visible(session.firstPrompt)]]),
    ["Transcript", visible(path)],
    ...(open === null ? [] : [["Open in", `${visible(open.name)} (process ${open.pid})`]]),
    ["To resume", `keelson --resume ${session.sessionId}`],
  ];
  await io.write(`${columns(facts).join("\n")}\n`);
  return 0;
}

async function rename(call: Invoked): Promise<number> {
  const [wanted, title, ...more] = call.words;
  if (wanted === undefined || title === undefined || more.length > 0)
    throw new UsageError("usage: keelson sessions rename <session> <title>; quote a title with spaces");
  if (title.trim() === "") throw new UsageError("the title is empty");
  const shelf = await shelfOf(call);
  const { id } = await wantedSession(wanted, call, shelf);
  const isRenamed = await (await stored(shelf)).rename(id, title.trim()).catch(asUsage);
  if (!isRenamed) throw new UsageError(`session ${id} cannot be read`);
  await call.io.write(`Renamed session ${id}\n`);
  return 0;
}

async function remove(call: Invoked): Promise<number> {
  if (call.words.length === 0) throw new UsageError("usage: keelson sessions rm <session>...");
  const shelf = await shelfOf(call);
  // A mistake in one name deletes none.
  const found = [];
  for (const wanted of call.words) found.push(await wantedSession(wanted, call, shelf));
  const sessions = await stored(shelf);
  for (const { id, path } of found)
    if ((await sessions.path(id)) !== path)
      throw new UsageError(`session ${id} cannot be read, or is in several folders; run this in its folder`);
  for (const { id } of found) {
    await sessions.remove(id).catch(asUsage);
    await call.io.write(`Deleted session ${id}\n`);
  }
  return 0;
}

function asUsage(error: unknown): never {
  if (error instanceof Error) throw new UsageError(error.message);
  throw error;
}

/** Throws UsageError if there is none, or several. */
async function wantedSession(wanted: string | undefined, { given }: Invoked, { place }: Shelf) {
  const { namedSession } = await import("@keelson/store/past");
  const allProjects = given.has("all");
  const found = namedSession(place, wanted, { allProjects });
  if (!("message" in found)) return found;
  const hint = found.isMissing && !allProjects ? "; --all looks in all folders" : "";
  throw new UsageError(`${found.message.split("\n").map(visible).join("\n")}${hint}`);
}

const asJson = ({ sessionId, summary, lastModified, fileSize, messageCount, ...rest }: ListedSession) => ({
  id: sessionId,
  title: summary,
  modified: new Date(lastModified).toISOString(),
  messages: messageCount ?? null,
  size: fileSize,
  cwd: rest.cwd ?? null,
  gitBranch: rest.gitBranch ?? null,
  worktree: rest.worktree ?? null,
  firstPrompt: rest.firstPrompt ?? null,
});

const LONGEST_TITLE = 80;

function titleOf({ summary, firstPrompt = "" }: ListedSession): string {
  const title = visible((summary.trim() || firstPrompt.trim()).replace(/\s+/g, " "));
  return title.length > LONGEST_TITLE ? `${title.slice(0, LONGEST_TITLE).trimEnd()}…` : title;
}

/** As the clock on the wall shows it. */
function localTime(ms: number): string {
  const at = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
