// keelson serve: routines of a team, with an API, a scheduler and workers.

import { readdirSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { holdOwnFolder } from "@keelson/disk/own-files";
import { recordServed, SERVE_STATE } from "@keelson/disk/served-paths";
import { VERSION } from "@keelson/protocol";
import type { RunStore, ServedRoutines, RoutineWorker, SecretBox, WorkerOptions, WorkerStore } from "@keelson/routines";
import type { Arguments } from "../../args/args.ts";
import { SUBCOMMANDS } from "../../args/unknown-command.ts";
import { optionLines } from "../export/export.ts";
import { unknownSubcommand } from "../group.ts";
import { printError, printWarning, type ProcessIO } from "../../process/process-io.ts";
import { thisProgram } from "../../process/this-process.ts";
import { columns } from "../columns.ts";
import { visible } from "../permissions/words.ts";
import { readSingleCommand } from "../single-command.ts";
import { SERVE_FLAGS } from "./flags.ts";
import { openReports, type OpenedReports } from "./reports.ts";
import { openSecretBox } from "./key-file.ts";
import { readOidc } from "./oidc-flags.ts";

const USAGE = `Usage: keelson serve [options]
       keelson serve token NAME [--scope read|write|admin|worker|metrics] [--days N] [--db FILE|URL]
       keelson serve tokens [--db FILE|URL]
       keelson serve revoke TOKEN-ID [--db FILE|URL]
       keelson serve users [--db FILE|URL]
       keelson serve link [USER] [--make-admin] [--port N | --behind-proxy URL] [--db FILE|URL]
       keelson serve backup FILE [--db FILE]

Run routines: prompts that start on a schedule, when an address is called, or on an event on GitHub.
One process with a SQLite file does everything; for a fleet, start any number of them with one
PostgreSQL database. When it first starts, it prints a link that makes whoever opens it the first
admin, who invites the others. "users" lists them, and "link" makes a link that signs one of them in
once, such as when somebody has lost a passkey. Programs use tokens: "token" makes one and prints it
once, "tokens" lists those there are, and "revoke" ends one. "backup" copies the SQLite file,
also while it is in use. See docs/routines.md.

Options:
${optionLines(SERVE_FLAGS)}
`;

const SERVE = {
  name: "serve",
  flags: SERVE_FLAGS,
  usage: USAGE,
  synopsis:
    "usage: keelson serve [options], or keelson serve token NAME, tokens, revoke ID, users, link USER or backup FILE",
  words: 2,
};

const PORT = 4700;
const MAX_PORT = 65_535;
const MINUTE_MS = 60_000;

export async function runServe(argv: readonly string[], io: ProcessIO): Promise<number> {
  const given = await readSingleCommand(SERVE, argv, io);
  if (typeof given === "number") return given;
  try {
    const [command, name] = given.words;
    if (command === undefined) return await serve(given, io);
    if (command === "users" && name === undefined) return await listUsers(given, io);
    if (command === "link") return await makeLink(name, given, io);
    if (command === "tokens" && name === undefined) return await listTokens(given, io);
    if (name !== undefined && command === "revoke") return await revokeToken(name, given, io);
    if (name !== undefined && command === "token") return await makeToken(name, given, io);
    if (name !== undefined && command === "backup") return await backUp(name, given, io);
    const isKnown = Object.hasOwn(SUBCOMMANDS["serve"]!, command);
    return printError(
      io,
      isKnown ? SERVE.synopsis : unknownSubcommand("serve", Object.keys(SUBCOMMANDS["serve"]!), given.words),
    );
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      return printError(io, `port ${given.number("port") ?? PORT} is in use; choose another one with --port`);
    return printError(io, message);
  }
}

async function serve(given: Arguments, io: ProcessIO): Promise<number> {
  const role = given.text("role") ?? "all";
  const port = given.number("port") ?? PORT;
  if (port > MAX_PORT) return printError(io, `--port: "${port}" is not a port; use 0 to ${MAX_PORT}`);
  const proxy = given.text("behind-proxy");
  if (proxy !== undefined && !URL.canParse(proxy))
    return printError(io, `--behind-proxy: "${proxy}" is not a URL; use https://…`);
  if (role !== "worker" && given.has("server"))
    return printError(io, "--server is for workers: add --role worker, or leave it out");
  const oidc = readOidc(given, io.env);
  const note = (text: string) => printWarning(io, visible(text));
  const state = await stateFolder(io);
  const opened =
    role === "worker" && given.text("server") !== undefined ? undefined : await openStore(given, state, io);
  const store: WorkerStore = opened?.store ?? (await workerStore(given, io));
  let server: ServedRoutines | undefined;
  let worker: RoutineWorker | undefined;
  let reports: OpenedReports | undefined;
  try {
    if (role !== "worker" && opened) {
      const { serveRoutines } = await import("@keelson/routines");
      server = await serveRoutines({
        ...opened,
        host: given.text("host") ?? "127.0.0.1",
        port,
        behindProxy: proxy === undefined ? undefined : new URL(proxy),
        version: VERSION,
        ownLogins: given.list("own-login") ?? [],
        shortestGapMs: (given.number("shortest-gap") ?? 60) * MINUTE_MS,
        oidc,
        note,
      });
      await io.write(`Routines are at ${server.address}\n`);
      // On the terminal, and nowhere else: whoever opens it has the server.
      const first = await server.firstLink();
      if (first !== undefined)
        await io.write(
          `Nobody can sign in yet. Open this link, once and within an hour, to be the first admin:\n${first}\n`,
        );
      if ((await opened.store.tokens.list({}, { limit: 1 })).rows.length === 0)
        await io.write(`No program has a token yet: "keelson serve token NAME${dbHint(given)}" makes one.\n`);
    }
    reports = await openReports(io, server && (() => server!.figures()), note);
    const slots = given.number("workers") ?? 4;
    const hasWorker = role !== "api" && slots > 0;
    const folder = hasWorker ? workFolder(given, io) : undefined;
    const notified = notifyCommands(given);
    const database = opened === undefined ? [] : databaseOutside(given, state, io, note);
    await recordServed(state, { folder, files: [...database, ...Object.values(notified).flat()] });
    if (folder !== undefined)
      worker = await startOwnWorker(
        {
          store,
          slots,
          folder,
          hidden: [...(opened?.hidden ?? []), state],
          notifyCommands: notified,
          attempted: (attempt) => reports?.attempted(attempt),
          runUrl: `${server?.address ?? given.text("server") ?? ""}/#/run/{run}`,
        },
        io,
        (text) => io.error(visible(text)),
      );
    const signal = await firstSignal(io);
    await io.write(`${signal}: taking no more runs, and giving back those that run\n`);
    return 0;
  } finally {
    await worker?.drain();
    await reports?.close();
    await server?.close();
    await store.close();
  }
}

type OwnWorker = Pick<
  WorkerOptions,
  "store" | "slots" | "folder" | "hidden" | "notifyCommands" | "runUrl" | "attempted"
>;

async function startOwnWorker(own: OwnWorker, io: ProcessIO, note: (text: string) => void) {
  const [{ startWorker }, { findHelper, helperMissing }] = await Promise.all([
    import("@keelson/routines"),
    import("@keelson/host/programs"),
  ]);
  const path = io.env["PATH"];
  const need = (program: string) => {
    const found = findHelper(program, path);
    if (found === null)
      throw new Error(helperMissing(program, path, "install it, or start this server with --role api", "runs need it"));
    return found;
  };
  // The sandbox of a run needs the last one.
  const programs = { git: need("git"), bwrap: need("bwrap"), socat: need("socat") };
  return startWorker({
    ...own,
    name: `${hostname()}-${process.pid}`,
    version: VERSION,
    program: thisProgram(),
    programs,
    env: io.env,
    note,
  });
}

function notifyCommands(given: Arguments): Readonly<Record<string, readonly string[]>> {
  const pairs = (given.list("notify-command") ?? []).map((text) => {
    const [, name, program] = /^([\w-]{1,100})=(\/.+)$/.exec(text) ?? [];
    if (name === undefined || program === undefined)
      throw new Error(`--notify-command: "${text}" must be NAME=PROGRAM, with the whole path of the program`);
    return [name, [program]] as const;
  });
  return Object.fromEntries(pairs);
}

/** The sandbox has sockets in a folder of each run, and the path of a socket may have about 100 characters. */
const LONGEST_FOLDER = 45;

function workFolder(given: Arguments, io: ProcessIO): string {
  const folder = resolve(given.text("folder") ?? `/var/tmp/keelson-worker-${io.uid ?? 0}`);
  if (folder.length > LONGEST_FOLDER)
    throw new Error(
      `--folder: "${folder}" is longer than ${LONGEST_FOLDER} characters, so the sandbox of runs cannot work there`,
    );
  return folder;
}

/** The endings of a database and of what SQLite keeps beside it. */
const BESIDE = ["", "-wal", "-shm", "-journal"];

interface OpenedStore {
  readonly store: RunStore;
  readonly box: SecretBox;
  /** What no run may read. */
  readonly hidden: readonly string[];
}

async function openStore(given: Arguments, state: string, io: ProcessIO): Promise<OpenedStore> {
  const { openPostgresStore, openSqliteStore } = await import("@keelson/routines");
  const box = await openSecretBox(state);
  const { url, file } = databaseOf(given, state, io);
  if (url !== undefined) return { store: await openPostgresStore({ url, unseal: box.unseal }), box, hidden: [] };
  const store = await openSqliteStore({ file, unseal: box.unseal }).catch((error: Error) => {
    // SQLite does not say which file.
    if (error.name !== "SQLiteError") throw error;
    throw new Error(`--db: "${file}" cannot be used: ${error.message}; name a file in a folder that you can write to`);
  });
  // A rule names the file itself, not a link to it.
  const { realPathOf } = await import("@keelson/disk/real-path");
  const hidden = [...new Set([file, realPathOf(file)])];
  return { store, box, hidden: hidden.flatMap((path) => BESIDE.map((end) => path + end)) };
}

type DatabasePlace =
  { readonly url: string; readonly file?: undefined } | { readonly file: string; readonly url?: undefined };

function databaseOf(given: Arguments, state: string, io: ProcessIO): DatabasePlace {
  // Arguments can be read by every user of the machine, and an address may have a password.
  const db = given.text("db") ?? (io.env["KEELSON_SERVE_DB"] || undefined);
  if (db !== undefined && /^postgres(?:ql)?:\/\//.test(db)) return { url: db };
  if (db?.includes("://")) throw new Error(`--db: "${db.split(":")[0]}" is not supported; use a file or postgres://…`);
  return { file: db === undefined ? join(state, "routines.db") : resolve(db) };
}

/** What commands of sessions must not change of a database elsewhere. SQLite believes any file beside it that is named like it. */
function databaseOutside(given: Arguments, state: string, io: ProcessIO, note: (text: string) => void) {
  const { file } = databaseOf(given, state, io);
  if (file === undefined || dirname(file) === state) return [];
  const folder = dirname(file);
  if (readdirSync(folder).every((name) => name.startsWith(basename(file)))) return [folder];
  note(
    `Commands of sessions on this machine can put files beside "${file}" that change it; keep it in a folder of its own`,
  );
  return BESIDE.map((end) => file + end);
}

async function backUp(copy: string, given: Arguments, io: ProcessIO): Promise<number> {
  const { backUpSqlite } = await import("@keelson/routines");
  const { url, file } = databaseOf(given, await stateFolder(io), io);
  if (url !== undefined) throw new Error("--db: a copy of PostgreSQL is made by pg_dump; docs/routines.md says how");
  backUpSqlite(file, resolve(copy));
  await io.write(`Copied the database to ${visible(resolve(copy))}\n`);
  return 0;
}

async function workerStore(given: Arguments, io: ProcessIO): Promise<WorkerStore> {
  const { openHttpStore } = await import("@keelson/routines");
  const token = io.env["KEELSON_WORKER_TOKEN"];
  if (token === undefined || token === "")
    throw new Error('KEELSON_WORKER_TOKEN is not set; make a token with "keelson serve token NAME --scope worker"');
  return openHttpStore({ url: given.text("server")!, token });
}

/** Where the server keeps what is its own. */
async function stateFolder(io: ProcessIO): Promise<string> {
  const { servedSnapshot } = await import("../served-sessions.ts");
  const { realPathOf } = await import("@keelson/disk/real-path");
  const folder = join(realPathOf(servedSnapshot(io, {}).configDir), SERVE_STATE);
  holdOwnFolder(folder, { create: 0o700 })[Symbol.dispose]();
  return folder;
}

/** The second one ends the program at once. */
function firstSignal(io: ProcessIO): Promise<string> {
  const { promise, resolve: received } = Promise.withResolvers<string>();
  let isFirst = true;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    io.onSignal(signal, () => {
      if (!isFirst) io.exit(1);
      isFirst = false;
      received(signal);
    });
  return promise;
}

/** So that the token is for this server. An address may have a password. */
function dbHint(given: Arguments): string {
  const db = given.text("db");
  if (db === undefined) return "";
  return db.includes("://") ? " --db …" : ` --db ${/^[\w./-]+$/.test(db) ? db : "…"}`;
}

const DAY_MS = 24 * 60 * MINUTE_MS;

async function makeToken(name: string, given: Arguments, io: ProcessIO): Promise<number> {
  const { newApiToken, TOKEN_SCOPES } = await import("@keelson/routines");
  if (!/^[\p{L}\p{N}\p{P}\p{S} ]{1,100}$/u.test(name))
    throw new Error("The name of a token must have 1 to 100 letters, digits, spaces and signs; it says whose it is");
  const days = given.number("days");
  const scope = TOKEN_SCOPES.find((each) => each === (given.text("scope") ?? "write"))!;
  const { store } = await openStore(given, await stateFolder(io), io);
  try {
    const now = await store.now();
    const expiresAt = days === undefined ? null : now + days * DAY_MS;
    const { row, token } = newApiToken({ name, scope, expiresAt }, now);
    await store.tokens.insert(row);
    await note(store, "token.create", row.id, { name, scope });
    await io.write(`${token}\n`);
    return 0;
  } finally {
    await store.close();
  }
}

async function listTokens(given: Arguments, io: ProcessIO): Promise<number> {
  const { everyRow } = await import("@keelson/routines");
  const { store } = await openStore(given, await stateFolder(io), io);
  try {
    const rows = await everyRow(store.tokens);
    const lines = rows.map(({ id, name, scopes, userId, createdAt, usedAt, expiresAt }) => [
      id,
      visible(name),
      scopes.join("+"),
      userId ?? "",
      `made ${shortTime(createdAt)}`,
      usedAt === null ? "never used" : `used ${shortTime(usedAt)}`,
      expiresAt === null ? "" : `until ${shortTime(expiresAt)}`,
    ]);
    await io.write(rows.length === 0 ? "No tokens\n" : `${columns(lines).join("\n")}\n`);
    return 0;
  } finally {
    await store.close();
  }
}

async function revokeToken(id: string, given: Arguments, io: ProcessIO): Promise<number> {
  const { store } = await openStore(given, await stateFolder(io), io);
  try {
    const removed = await store.tokens.remove(id);
    if (removed === undefined) throw new Error(`There is no token "${id}"; "keelson serve tokens" lists them`);
    await note(store, "token.revoke", id, { name: removed.name });
    await io.write(`Revoked the token of "${visible(removed.name)}"\n`);
    return 0;
  } finally {
    await store.close();
  }
}

async function listUsers(given: Arguments, io: ProcessIO): Promise<number> {
  const { everyRow } = await import("@keelson/routines");
  const { store } = await openStore(given, await stateFolder(io), io);
  try {
    const passkeys = Map.groupBy(await everyRow(store.passkeys), ({ userId }) => userId);
    const lines = (await everyRow(store.users)).map(({ id, name, role, disabled, subject, seenAt }) => [
      id,
      visible(name),
      disabled ? `${role} (disabled)` : role,
      `${passkeys.get(id)?.length ?? 0} passkeys${subject === null ? "" : ", provider"}`,
      seenAt === null ? "never signed in" : `seen ${shortTime(seenAt)}`,
    ]);
    await io.write(lines.length === 0 ? "No users\n" : `${columns(lines).join("\n")}\n`);
    return 0;
  } finally {
    await store.close();
  }
}

/** For whoever is at the machine: it has the database, so it may let anybody in. */
async function makeLink(wanted: string | undefined, given: Arguments, io: ProcessIO): Promise<number> {
  const { LINK_LIFE_MS, changeUser, codeFor, codeForFirst, everyRow, hasPeople, peopleAddress } =
    await import("@keelson/routines");
  const proxy = given.text("behind-proxy");
  const address = peopleAddress({
    host: given.text("host") ?? "127.0.0.1",
    port: given.number("port") ?? PORT,
    behindProxy: proxy === undefined ? undefined : new URL(proxy),
  });
  const { store } = await openStore(given, await stateFolder(io), io);
  try {
    if (!(await hasPeople(store))) {
      if (wanted !== undefined)
        throw new Error(`There is no user "${wanted}"; "keelson serve link" makes the first admin`);
      await io.write(`${address}/#welcome=${await codeForFirst(store)}\n`);
      return 0;
    }
    const found = (await everyRow(store.users)).filter(({ id, name }) => wanted === id || wanted === name);
    const [user, other] = found;
    if (user === undefined || other !== undefined)
      throw new Error(
        wanted === undefined
          ? 'Name the user whom the link signs in; "keelson serve users" lists them'
          : `${found.length === 0 ? "There is no" : "There is more than one"} user "${wanted}"; use an id that "keelson serve users" lists`,
      );
    if (given.has("make-admin")) await changeUser(store, user, { role: "admin", disabled: false });
    else if (user.disabled) throw new Error(`"${user.name}" is disabled; --make-admin enables them, as an admin`);
    const code = await codeFor(store, user.id, LINK_LIFE_MS.machine);
    await note(store, "user.code", user.id, given.has("make-admin") ? { role: "admin" } : {});
    await io.write(`${address}/#code=${code}\n`);
    return 0;
  } finally {
    await store.close();
  }
}

const shortTime = (ms: number) => new Date(ms).toISOString().slice(0, 16);

/** For the audit: whoever can open the database is not known by a name. */
async function note(store: RunStore, action: string, target: string, detail: Readonly<Record<string, string>>) {
  const id = crypto.randomUUID();
  await store.audit.insert({ id, at: await store.now(), actor: "server", action, target, detail, address: null });
}
