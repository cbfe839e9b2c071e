// Reads a claim: the folder, arguments and environment that a waiting program should use.
//
// Our SDK sends `claim`, which replaces everything. The official SDK sends `claim_session` (test/sessions/sdk/clients-typescript.test.ts), which keeps
// the arguments the process was started with and adds to its environment.

import { isObject } from "@keelson/protocol";
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { parseArguments } from "../args/args.ts";
import { toInvocation } from "../args/invocation.ts";
import type { ProcessIO } from "../process/process-io.ts";

export interface Claim {
  readonly id: string;
  readonly cwd: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Whether to include the reply to `initialize` in the reply to the claim. */
  readonly wantsFacts: boolean;
}

export interface ClaimRefusal {
  readonly id: string;
  readonly problem: string;
}

export interface ProcessStart {
  readonly argv: readonly string[];
  readonly env: ProcessIO["env"];
}

type Request = Readonly<Record<string, unknown>>;

export const isClaim = ({ subtype }: Request) => subtype === "claim" || subtype === "claim_session";

export function readClaim(id: string, request: Request, started: ProcessStart): Claim | ClaimRefusal {
  const claim = request["subtype"] === "claim" ? wholeClaim(id, request) : sessionClaim(id, request, started);
  const problem = claim === undefined ? misshapen(request) : problemWith(claim);
  return claim === undefined || problem !== undefined ? { id, problem: String(problem) } : claim;
}

function wholeClaim(id: string, { cwd, argv = [], env = {} }: Request): Claim | undefined {
  if (!isFolder(cwd) || !isTexts(argv) || !isTextMap(env)) return undefined;
  return { id, cwd, argv, env, wantsFacts: false };
}

function sessionClaim(id: string, request: Request, started: ProcessStart): Claim | undefined {
  const { cwd, env = {}, permission_mode: mode, additional_directories: added = [], include_initialize } = request;
  if (!isFolder(cwd) || !isTexts(added) || !isTextMap(env)) return undefined;
  if (mode !== undefined && typeof mode !== "string") return undefined;
  const kept = Object.entries(started.env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return {
    id,
    cwd,
    argv: [
      ...started.argv.filter((word) => word !== "--await-claim"),
      ...(mode === undefined ? [] : [`--permission-mode=${mode}`]),
      ...added.map((path) => `--add-dir=${path}`),
    ],
    env: { ...Object.fromEntries(kept), ...env },
    wantsFacts: include_initialize === true,
  };
}

function misshapen({ subtype }: Request): string {
  return subtype === "claim"
    ? "A claim requires an absolute cwd, a list of arguments, and an environment of strings"
    : "A claim_session requires an absolute cwd, and strings as permission mode, additional directories and environment";
}

function problemWith({ cwd, argv }: Claim): string | undefined {
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return `Folder not found: ${cwd}`;
  const parsed = parseArguments(argv);
  if (!parsed.ok) return parsed.error;
  if (parsed.arguments.has("await-claim")) return "A claim cannot contain --await-claim";
  try {
    toInvocation(parsed.arguments, cwd);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const isFolder = (value: unknown): value is string => typeof value === "string" && isAbsolute(value);
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === "string");
const isTextMap = (value: unknown): value is Record<string, string> => isObject(value) && isTexts(Object.values(value));
