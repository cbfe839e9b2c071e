// The one function that every request passes, also for page files and streams: it checks the host, the origin, the token and the
// size. What it refuses has caused no work.

import { isObject, tryParse } from "@keelson/protocol";
import type { DeviceRole, SignedDevice } from "../devices/devices.ts";
import type { PageFile, PageFiles } from "../page/page-file.ts";
import type { Route, RouteReply, RouteRequest, SignedInRoute } from "../routes/route.ts";
import { fieldProblem } from "./check-body.ts";
import { namesTag } from "./etags.ts";
import { responseHeaders } from "./headers.ts";
import { AtOnce, MAX_BODIES, MAX_BODY, MAX_COSTLY_OF_DEVICE, MAX_URL } from "./limits.ts";
import type { Origins } from "./origins.ts";
import { HttpRefusal, type HttpRefusalType } from "./refusal.ts";
import { findRoute } from "./find-route.ts";
import { HeldBodies, type HeldBody } from "./held-bodies.ts";

export interface DoorOptions {
  readonly origins: Origins;
  readonly devices: { holder(token: string): SignedDevice | undefined | Promise<SignedDevice | undefined> };
  readonly routes: readonly Route[];
  page(): Promise<PageFiles>;
  now(): number;
  /** In bytes, of all bodies that are being received or answered. */
  readonly maxBodies?: number;
  /** What is said to whoever is not signed in. */
  readonly signInFirst?: string;
  /** The cookie in which a browser may send its token instead of a header. */
  readonly cookie?: string;
  /** Called for each request that was refused because of who asked, where that is known. It must not throw. */
  denied?(denied: DeniedRequest): void;
  /** What is at this path, if it is a stream. Default: sessions, and their list. */
  streamAt?(path: string): StreamTarget | undefined;
  /** The type of an error as clients of these routes know it. Default: as it is. */
  typeOf?(type: HttpRefusalType): string;
  /** Any error other than a refusal. */
  failed(error: unknown): void;
}

export interface DeniedRequest {
  readonly route: Route;
  /** Undefined: not signed in. */
  readonly device: SignedDevice | undefined;
  readonly from: string;
  /** What the path names, such as an id. */
  readonly params: Readonly<Record<string, string>>;
  readonly reason: string;
}

/** What the server knows of a connection. */
export interface WebConnection {
  /** The address of the other end. */
  readonly from: string;
  /** Whether a command of a session is there. It takes a few milliseconds. */
  isCommand(): boolean;
  /** Makes it a stream. Throws a HttpRefusal. */
  upgrade(stream: StreamRequest): boolean;
  /** Opening a session may take longer than a request usually may. Call the result when that is over. */
  patient(): () => void;
}

export interface SessionStreamRequest {
  readonly kind: "session";
  readonly session: string;
  readonly after: string | undefined;
  readonly device: SignedDevice;
}

export interface ListStreamRequest {
  readonly kind: "list";
  readonly device: SignedDevice;
}

/** A run of a routine. */
export interface RunStreamRequest {
  readonly kind: "run";
  readonly run: string;
  readonly after: string | undefined;
  readonly device: SignedDevice;
}

/** That something changed among routines and their runs. */
export interface ChangesStreamRequest {
  readonly kind: "changes";
  readonly device: SignedDevice;
}

export type StreamRequest = SessionStreamRequest | ListStreamRequest | RunStreamRequest | ChangesStreamRequest;

/** A stream, before anyone asks for it. */
export type StreamTarget = TargetOf<StreamRequest>;
type TargetOf<Wanted> = Wanted extends StreamRequest ? Omit<Wanted, "device" | "after"> : never;

export type Door = (request: Request, connection: WebConnection) => Promise<Response | undefined>;

/** The protocol that a stream speaks. */
export const STREAM_PROTOCOL = "keelson.v1";

export function createDoor(options: DoorOptions): Door {
  const bodies = new HeldBodies(options.maxBodies ?? MAX_BODIES);
  const costly = new AtOnce(MAX_COSTLY_OF_DEVICE);
  return async (request, connection) => {
    const held = bodies.begin();
    try {
      return await answer(request, connection, options, { held, costly });
    } catch (error) {
      if (error instanceof HttpRefusal) return refused(error, options);
      options.failed(error);
      return refused(
        unstored(error) ?? new HttpRefusal("server", "The server failed; its terminal shows why"),
        options,
      );
    } finally {
      held.end();
    }
  };
}

const NO_ROOM: Readonly<Record<string, string>> = {
  ENOSPC: "the disk of the server is full; free some space, then try again",
  EDQUOT: "the disk quota of the server's user is used up; free some space, then try again",
  EROFS: "the server may only read there; its terminal says where",
};

/** What failed because something cannot be written. */
function unstored(error: unknown): HttpRefusal | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const why = NO_ROOM[String((at as NodeJS.ErrnoException).code)];
    if (why !== undefined) return new HttpRefusal("storage", `Nothing was changed: ${why}`);
  }
  return undefined;
}

const overloaded = () =>
  new HttpRefusal("rate_limit", "The server is receiving too much at once; try again", { "Retry-After": "1" });

async function answer(
  request: Request,
  connection: WebConnection,
  options: DoorOptions,
  { held, costly }: { readonly held: HeldBody; readonly costly: AtOnce },
): Promise<Response | undefined> {
  const { origins, routes } = options;
  const origin = originOf(request, origins);
  const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
  // A request line may have a whole address, which replaces the Host header.
  if (url === undefined || origins.originOf(url.host) === undefined) throw unknownName();
  if (request.url.length > MAX_URL) throw new HttpRefusal("invalid_request", "The address is too long");
  const path = pathOf(url, origins.base);
  checkSource(request, origin, path, routes);
  const isUpgrade = request.headers.has("upgrade");
  const target = (options.streamAt ?? sessionStreamAt)(path);
  const isStream = target !== undefined;
  if (isUpgrade !== isStream || (isUpgrade && request.method !== "GET"))
    throw isUpgrade
      ? new HttpRefusal("not_found", "There is no stream at this address")
      : new HttpRefusal("invalid_request", "A stream is opened as a WebSocket");
  if (isStream) {
    checkSender(request);
    return openStream(request, connection, { url, target }, options);
  }
  // The addresses in the page are relative to it.
  if (origins.base !== "" && url.pathname === origins.base && url.search === "")
    return new Response(null, { status: 308, headers: responseHeaders({ Location: `${origins.base}/` }) });
  if (!path.startsWith("/v1/") && !routes.some((route) => route.path === path))
    return pageFile(request, url, path, await options.page());

  const { route, params } = findRoute(routes, request.method, path);
  if (route.takesBytes !== true) checkSender(request);
  const query = queryOf(url, route);
  const device =
    route.access === "anyone" ? undefined : await admitted(request, connection, { route, params }, options);
  if (device !== undefined || !SAFE.has(request.method)) checkNoCommand(connection);
  checkBodyHeaders(request, route);
  if (route.access === "anyone") await route.admit?.(request.headers, params);
  const bytes = route.takesBytes === true || route.body ? await readBytes(request, held, route.maxBody) : NO_BYTES;
  const body = route.body ? objectIn(bytes) : {};
  const problem = route.body && fieldProblem(body, route.body);
  if (problem) throw new HttpRefusal("invalid_request", problem);
  const { headers, signal } = request;
  const from = connection.from;
  const common: RouteRequest = { params, query, body, bytes, headers, signal, from, now: options.now() };
  const over = route.isCostly?.(query) && device ? costly.begin(device.id) : () => undefined;
  if (over === undefined) throw tooMany();
  const hurry = connection.patient();
  try {
    const reply = route.access === "anyone" ? route.run(common) : route.run({ ...common, device: device! });
    return responseTo(await reply, route.status);
  } catch (error) {
    // Not by the role alone: whose it is, or what it is about.
    if (device && error instanceof HttpRefusal && error.type === "permission")
      options.denied?.({ route, device, from, params, reason: error.message });
    throw error;
  } finally {
    hurry();
    over();
  }
}

const tooMany = () =>
  new HttpRefusal("rate_limit", "This device asks for too much at once; try again", { "Retry-After": "1" });

const SESSION_STREAM = /^\/v1\/sessions\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/stream$/;
const LIST_STREAM = "/v1/sessions/stream";

const RANK: Readonly<Record<DeviceRole, number>> = { viewer: 0, driver: 1, admin: 2 };

/** The one place where it is decided who may use a route. */
async function admitted(
  request: Request,
  { from }: WebConnection,
  { route, params }: { readonly route: SignedInRoute; readonly params: Readonly<Record<string, string>> },
  options: DoorOptions,
): Promise<SignedDevice> {
  let device: SignedDevice | undefined;
  try {
    device = await signedIn(bearer(request) ?? inCookie(request, options), options);
    if (RANK[device.role] < RANK[route.access]) throw roleRefusal(device, route);
    if (route.isForPeople === true && device.isProgram === true) throw programRefusal();
    return device;
  } catch (error) {
    if (error instanceof HttpRefusal) options.denied?.({ route, device, from, params, reason: error.message });
    throw error;
  }
}

function roleRefusal({ user, isProgram }: SignedDevice, { access }: SignedInRoute): HttpRefusal {
  if (access === "admin")
    return new HttpRefusal(
      "permission",
      `Only admins may do this; ${isProgram ? "a program needs a token of an admin, made with --scope admin" : "ask one of them"}`,
    );
  if (user === undefined) return viewerRefusal();
  return new HttpRefusal("permission", "You may only read here; an admin can give you another role");
}

const programRefusal = () => new HttpRefusal("permission", "A token cannot do this; sign in on the page of the server");

function sessionStreamAt(path: string): StreamTarget | undefined {
  if (path === LIST_STREAM) return { kind: "list" };
  const session = SESSION_STREAM.exec(path)?.[1];
  return session === undefined ? undefined : { kind: "session", session };
}

export const viewerRefusal = () =>
  new HttpRefusal("permission", "This device only watches; sign in with a link that may do more");

/** The origin of the address at which the server was found, by the Host header alone. */
function originOf({ headers }: Request, { originOf }: Origins): string {
  const origin = originOf(headers.get("host") ?? "");
  if (origin === undefined) throw unknownName();
  return origin;
}

const unknownName = () =>
  new HttpRefusal("misdirected", "The server is not known under this name; docs/web-page.md says how to allow one");

/** Without what a proxy puts before it. */
function pathOf({ pathname }: URL, base: string): string {
  const isBelow = base !== "" && (pathname === base || pathname.startsWith(`${base}/`));
  const path = isBelow ? pathname.slice(base.length) || "/" : pathname;
  if (!/^(?:\/[\w.~-]*)+$/.test(path) || /\/\/|\/\.{1,2}(?:\/|$)/.test(path))
    throw new HttpRefusal("not_found", "There is nothing at this address");
  return path;
}

/** What it asks about must not answer itself, whichever token or link it came across: browsers keep theirs in files. */
function checkNoCommand(connection: WebConnection): void {
  if (connection.isCommand())
    throw new HttpRefusal("permission", "Commands of a session cannot use this server; open the page in a browser");
}

const SAFE = new Set(["GET", "HEAD"]);

/** Whether a page of ours may have sent it, or a program that has a token. */
function checkSource({ method, headers }: Request, origin: string, path: string, routes: readonly Route[]): void {
  const from = headers.get("origin");
  if (from !== null && from !== origin) throw foreign();
  const site = headers.get("sec-fetch-site") ?? "none";
  const isVisit = headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document";
  const isLinked = !path.startsWith("/v1/") || routes.some((each) => each.path === path && "isLinked" in each);
  if (site !== "same-origin" && site !== "none" && !(isVisit && SAFE.has(method) && isLinked)) throw foreign();
  if (/^(?:i?frame|embed|object|fencedframe)$/.test(headers.get("sec-fetch-dest") ?? ""))
    throw new HttpRefusal("permission", "The page cannot be part of another page");
}

/** A page says where it comes from, and a program has a token. */
function checkSender({ method, headers }: Request): void {
  const needsOrigin = !SAFE.has(method) || headers.has("upgrade");
  if (needsOrigin && !headers.has("origin") && !headers.has("authorization"))
    throw new HttpRefusal("permission", "A request without an Origin header needs an Authorization header");
}

const foreign = () => new HttpRefusal("permission", "Requests of other sites are refused");

function queryOf({ searchParams, search }: URL, { query: known = {} }: Pick<Route, "query">): Record<string, string> {
  if (search.length > MAX_URL / 2) throw new HttpRefusal("invalid_request", "The query is too long");
  const query: Record<string, string> = {};
  for (const [name, value] of searchParams) {
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined;
    // Also a token, which would be in logs and in the history of the browser.
    if (parameter === undefined)
      throw new HttpRefusal("invalid_request", "The query has a parameter that is not known");
    if (value.length > parameter.maxLength || Object.hasOwn(query, name))
      throw new HttpRefusal(
        "invalid_request",
        `"${name}" may be given once, with at most ${parameter.maxLength} characters`,
      );
    query[name] = value;
  }
  return query;
}

const TOKEN = /^[\w-]{43}$/;

function bearer({ headers }: Request): string | undefined {
  return /^Bearer (\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

function inCookie({ headers }: Request, { cookie }: DoorOptions): string | undefined {
  // A header that is wrong is not replaced by a cookie that is right.
  if (cookie === undefined || headers.has("authorization")) return undefined;
  const found = (headers.get("cookie") ?? "").split(/; */).filter((each) => each.startsWith(`${cookie}=`));
  return found.length === 1 ? found[0]!.slice(cookie.length + 1) : undefined;
}

async function signedIn(
  token: string | undefined,
  { devices, signInFirst = "Sign in first: keelson web prints a link" }: DoorOptions,
): Promise<SignedDevice> {
  const device = token !== undefined && TOKEN.test(token) ? await devices.holder(token) : undefined;
  if (device) return device;
  throw new HttpRefusal("authentication", signInFirst, { "WWW-Authenticate": "Bearer" });
}

async function openStream(
  request: Request,
  connection: WebConnection,
  { url, target }: { readonly url: URL; readonly target: StreamTarget },
  options: DoorOptions,
): Promise<Response | undefined> {
  const { headers } = request;
  const hasCursor = target.kind === "session" || target.kind === "run";
  const { after } = queryOf(url, hasCursor ? { query: { after: { maxLength: 100, description: "" } } } : {});
  const protocols = (headers.get("sec-websocket-protocol") ?? "").split(",").map((each) => each.trim());
  if (!protocols.includes(STREAM_PROTOCOL))
    throw new HttpRefusal("invalid_request", `A stream needs the subprotocol ${STREAM_PROTOCOL}`);
  const offered = protocols.filter((each) => each.startsWith("bearer."));
  if (offered.length > 1) throw new HttpRefusal("invalid_request", "A stream has one token");
  // A browser cannot set headers here. Whoever can is a program, and need not say where it comes from.
  const inBrowser = offered[0]?.slice("bearer.".length) || inCookie(request, options);
  const token = bearer(request) ?? (headers.has("origin") ? inBrowser : undefined);
  const device = await signedIn(token, options);
  checkNoCommand(connection);
  if (connection.upgrade(hasCursor ? { ...target, after, device } : { ...target, device })) return undefined;
  throw new HttpRefusal("invalid_request", "Not a valid WebSocket request");
}

function checkBodyHeaders({ headers }: Request, { body, takesBytes, maxBody = MAX_BODY }: Route): void {
  const length = Number(headers.get("content-length") ?? 0);
  const hasBody = length > 0 || headers.has("transfer-encoding");
  if (body === undefined && takesBytes !== true) {
    if (hasBody) throw new HttpRefusal("invalid_request", "This request has no body");
    return;
  }
  if (body && !/^application\/json(?:\s*;\s*charset=utf-8)?$/i.test(headers.get("content-type") ?? ""))
    throw new HttpRefusal("unsupported_media_type", "The body must be application/json");
  if (headers.has("content-encoding"))
    throw new HttpRefusal("unsupported_media_type", "The body must not be compressed");
  if (!(length <= maxBody)) throw tooLarge(maxBody);
}

const tooLarge = (most: number) => new HttpRefusal("too_large", `The body may have at most ${most} bytes`);

const NO_BYTES = new Uint8Array();

async function readBytes({ body }: Request, held: HeldBody, most = MAX_BODY): Promise<Uint8Array> {
  if (body === null) return NO_BYTES;
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  const chunks: Uint8Array[] = [];
  let size = 0;
  held.arrives(cancel);
  try {
    for (;;) {
      const { done, value } = await arriving(reader);
      if (held.isCut) throw overloaded();
      if (done) return Buffer.concat(chunks);
      size += value.length;
      if (size > most) throw tooLarge(most);
      if (!held.add(value.length)) throw overloaded();
      chunks.push(value);
    }
  } catch (error) {
    // What still comes is of no interest.
    cancel();
    throw error;
  } finally {
    held.arrived();
  }
}

async function arriving(reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read">) {
  try {
    return await reader.read();
  } catch {
    // Nobody hears it: the connection was cut, by a phone without a signal or because the body is not well-formed.
    throw new HttpRefusal("invalid_request", "The body did not arrive whole");
  }
}

function objectIn(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const value = tryParse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"));
  if (!isObject(value)) throw new HttpRefusal("invalid_request", "The body must be a JSON object");
  if (isDeep(value))
    throw new HttpRefusal("invalid_request", `The body may have at most ${MAX_DEPTH} values inside each other`);
  return value;
}

/** Far less than what recursive functions can take: what is kept today is written again tomorrow. */
const MAX_DEPTH = 200;

function isDeep(value: object): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}

function pageFile(request: Request, url: URL, path: string, files: PageFiles): Response {
  const file = Object.hasOwn(files, path) ? files[path] : undefined;
  if (file === undefined) throw new HttpRefusal("not_found", "There is nothing at this address");
  if (!SAFE.has(request.method)) throw notAllowed("GET, HEAD");
  if (url.search !== "") throw new HttpRefusal("invalid_request", "The page takes nothing from its address");
  const kept = { ETag: file.tag, "Cache-Control": "no-cache", Vary: "Accept-Encoding" };
  if (namesTag(request.headers.get("if-none-match"), file.tag))
    return new Response(null, { status: 304, headers: responseHeaders(kept) });
  const isPacked = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  const headers = { ...kept, "Content-Type": file.type, ...(isPacked ? { "Content-Encoding": "gzip" } : {}) };
  return new Response(contentOf(file, isPacked), { headers: responseHeaders(headers) });
}

const contentOf = ({ packed, text }: PageFile, isPacked: boolean) => (isPacked ? packed : text);

const notAllowed = (methods: string) =>
  new HttpRefusal("method_not_allowed", `This address takes ${methods} only`, { Allow: methods });

function responseTo({ status, json, text, headers = {} }: RouteReply, usual = 200): Response {
  if (json === undefined && text === undefined)
    return new Response(null, { status: status ?? 204, headers: responseHeaders(headers) });
  const type = text === undefined ? "application/json; charset=utf-8" : "text/plain; charset=utf-8";
  const body = text ?? JSON.stringify(json);
  return new Response(body, {
    status: status ?? usual,
    headers: responseHeaders({ "Content-Type": type, ...headers }),
  });
}

function refused(refusal: HttpRefusal, { typeOf }: Pick<DoorOptions, "typeOf">): Response {
  const headers = { "Content-Type": "application/json; charset=utf-8", ...refusal.headers };
  return new Response(JSON.stringify(refusal.bodyAs(typeOf?.(refusal.type) ?? refusal.type)), {
    status: refusal.status,
    headers: responseHeaders(headers),
  });
}
