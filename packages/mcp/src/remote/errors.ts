// Turns what the official transports throw into errors that the rest of the client understands. HTTP failures have no
// JSON-RPC code, so they get one made from the status: 401 is -32401.

import { SdkError, SdkHttpError, SseError, UnauthorizedError } from "@modelcontextprotocol/client";
import { isObject, printableSentence } from "@keelson/protocol";
import { CONNECTION_CLOSED, INTERNAL_ERROR, McpError, NeedsSignInError } from "../connection/rpc.ts";
import { UnreachableError } from "./guarded-fetch.ts";
import { MessageTooLargeError } from "./limit-body.ts";

export interface ErrorContext {
  readonly name: string;
  readonly url: URL;
  /** The server gave us a session, which may have ended. */
  readonly hasSession: boolean;
  /** An Authorization header is configured; signing in would not help. */
  readonly hasOwnAuthorization: boolean;
  /** Values that must not appear in a message. */
  readonly secrets: readonly string[];
}

const SESSION_EXPIRED = -32001;
const HTTP_ERRORS = -32_000;
const MAX_BODY_LENGTH = 200;
/** How the SDK says that a redirect leaves the origin. The address has no query. */
const REDIRECT = /Redirect to (\S+) not followed/;

/** How the SDK says that an answer is neither JSON nor an event stream. */
const CONTENT_TYPE = /Unexpected content type: (.+)$/;

export function toMcpError(error: unknown, context: ErrorContext): McpError {
  if (error instanceof McpError) return error;
  if (UnauthorizedError.isInstance(error)) return needsSignIn(context);
  const redirect = REDIRECT.exec(messageOf(error));
  if (redirect) return redirected(redirect[1]!, context);
  if (SdkHttpError.isInstance(error)) return fromStatus(error.status, bodyOf(error), context);
  if (SseError.isInstance(error) && error.code !== undefined) return noEventStream(error.code, context);
  if (error instanceof MessageTooLargeError) return new McpError(INTERNAL_ERROR, error.message);
  if (error instanceof UnreachableError) return new McpError(CONNECTION_CLOSED, error.message);
  if (isInvalidMessage(error)) return new McpError(INTERNAL_ERROR, "the server's answer is not a JSON-RPC message");
  const contentType = CONTENT_TYPE.exec(messageOf(error));
  if (contentType) {
    const sent = contentType[1] === "null" ? "nothing" : printableSentence(contentType[1]!).slice(0, MAX_BODY_LENGTH);
    return new McpError(INTERNAL_ERROR, `"${context.url.host}" answered with ${sent} instead of JSON; check its URL`);
  }
  const status = /\(HTTP (\d{3})\): ?(.*)$/s.exec(messageOf(error));
  if (status) return fromStatus(Number(status[1]), status[2], context);
  return new McpError(CONNECTION_CLOSED, redact(messageOf(error).replace(/^SSE error: /, ""), context));
}

/** How servers answer that only know streamable HTTP. */
const NO_EVENTS: readonly number[] = [200, 400, 405, 406, 415];

function noEventStream(status: number, context: ErrorContext): McpError {
  if (!NO_EVENTS.includes(status)) return fromStatus(status, undefined, context);
  const how = status === 200 ? "without an event stream" : `with HTTP ${status}`;
  return new McpError(
    HTTP_ERRORS - status,
    `"${context.url.host}" answered ${how}; if it speaks streamable HTTP, change its type to "http"`,
  );
}

/** The JSON-RPC error in the body of a failed request: servers send it with 400 and 404. */
export function rpcErrorIn(error: unknown): unknown {
  const text =
    SdkHttpError.isInstance(error) && error.status !== 401 && error.status !== 403 ? bodyOf(error) : undefined;
  if (text === undefined) return undefined;
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) && isObject(body["error"]) && typeof body["error"]["code"] === "number" ? body : undefined;
  } catch {
    return undefined;
  }
}

export function isSessionExpired(error: unknown, context: ErrorContext): boolean {
  return SdkHttpError.isInstance(error) && endsSession(error.status, bodyOf(error), context);
}

/** 404 by the protocol. Many servers that were restarted answer with 400 and say what they miss. */
function endsSession(status: number | undefined, body: string | undefined, { hasSession }: ErrorContext): boolean {
  if (!hasSession) return false;
  if (status !== 400 || body === undefined) return status === 404;
  return /\bsession\b|not initialized/i.test(body) && !ABOUT_REQUEST.test(body);
}

/** JSON-RPC's codes for a method or parameters, which may be called a session too. */
const ABOUT_REQUEST = /"code"\s*:\s*-3260[123]\b/;

export function needsSignIn({ name, url }: Pick<ErrorContext, "name" | "url">): NeedsSignInError {
  return new NeedsSignInError(`"${url.host}" requires you to sign in; run "${loginCommand(name)}"`);
}

/** The error for 403 with `insufficient_scope`. */
export function scopeMissing(scope: string | undefined, { name, url, hasOwnAuthorization }: ErrorContext): McpError {
  const wanted = scope === undefined ? "more permissions" : `the scope "${scope}"`;
  if (!hasOwnAuthorization) {
    return new NeedsSignInError(`"${url.host}" requires ${wanted}; run "${loginCommand(name)}" to grant it`);
  }
  return new McpError(
    HTTP_ERRORS - 403,
    `"${url.host}" requires ${wanted}; the configured Authorization header lacks it`,
  );
}

/** Names may contain spaces. */
function loginCommand(name: string): string {
  return `keelson mcp login ${/^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`}`;
}

/** Within the origin only some redirects are followed, and not without end. */
function redirected(target: string, { url }: ErrorContext): McpError {
  const other = URL.parse(target)?.origin === url.origin ? "" : ", which is another origin";
  return new McpError(
    CONNECTION_CLOSED,
    `"${url.host}" redirects to "${target}"${other}; if that is the right server, configure this URL`,
  );
}

function fromStatus(status: number | undefined, body: string | undefined, context: ErrorContext): McpError {
  const { url, hasOwnAuthorization } = context;
  if (status === undefined) return new McpError(CONNECTION_CLOSED, `No answer from "${url.host}"`);
  if (status === 401 && !hasOwnAuthorization) return needsSignIn(context);
  if (status === 401) {
    return new McpError(HTTP_ERRORS - 401, `"${url.host}" rejected the configured Authorization header (HTTP 401)`);
  }
  if (endsSession(status, body, context)) return new McpError(SESSION_EXPIRED, "session expired");
  const shown = body && !/^\s*</.test(body) ? `: ${redact(body, context).slice(0, MAX_BODY_LENGTH)}` : "";
  const hint = status === 404 || status === 405 ? `; ${hintFor(url)}` : "";
  return new McpError(HTTP_ERRORS - status, `"${url.host}" answered with HTTP ${status}${hint}${shown}`);
}

/** A server of the older kind takes no message at the address of its events, which usually ends so. */
const hintFor = ({ pathname }: URL) =>
  /\/sse\/?$/.test(pathname) ? 'check its URL, or change its type to "sse"' : "check its URL";

function bodyOf({ data, statusText }: SdkHttpError): string | undefined {
  const { text } = data as { text?: unknown };
  return typeof text === "string" && text !== "" ? text : statusText;
}

function isInvalidMessage(error: unknown): boolean {
  if (SdkError.isInstance(error)) return false;
  return error instanceof SyntaxError || (error instanceof Error && /^\$?ZodError$/.test(error.name));
}

function redact(text: string, context: ErrorContext): string {
  return printableSentence(withoutSecrets(text, context));
}

function withoutSecrets(text: string, { secrets }: ErrorContext): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 6) clean = clean.replaceAll(secret, "…");
  return clean;
}

/** An answer as it is passed on: some servers repeat the credentials they refuse. */
export function answerWithoutSecrets<T>(answer: T, context: ErrorContext): T {
  const error = isObject(answer) ? answer["error"] : undefined;
  if (!isObject(error) || typeof error["message"] !== "string") return answer;
  return { ...answer, error: { ...error, message: withoutSecrets(error["message"], context) } };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
