// The parameters of requests, read field by field. What is wrong is an error that names the field; what is unknown is ignored.

import { isAbsolute } from "node:path";
import { isObject, type JsonObject } from "@keelson/protocol";
import { wrongParams } from "../rpc/rpc-error.ts";
import type { EditorServers } from "../host.ts";

export type Params = Readonly<Record<string, unknown>>;

export function paramsIn(params: unknown): Params {
  if (params === undefined || params === null) return {};
  if (!isObject(params)) throw wrongParams("they must be an object");
  return params;
}

export function textParam(params: Params, name: string): string {
  const value = params[name];
  if (typeof value !== "string") throw wrongParams(`"${name}" must be a string`);
  return value;
}

export function optionalText(params: Params, name: string): string | undefined {
  return params[name] === undefined || params[name] === null ? undefined : textParam(params, name);
}

/** A folder of the editor's machine, which is ours. */
export function folderParam(params: Params, name: string): string {
  return absolute(textParam(params, name), name);
}

export function foldersParam(params: Params, name: string): readonly string[] {
  const folders = listParam(params, name).map((each) => {
    if (typeof each !== "string") throw wrongParams(`"${name}" must be a list of strings`);
    return absolute(each, name);
  });
  return [...new Set(folders)];
}

/** More folders or servers than any project has. */
const MOST_IN_LIST = 200;

function listParam(params: Params, name: string): readonly unknown[] {
  const value = params[name] ?? [];
  if (!Array.isArray(value)) throw wrongParams(`"${name}" must be a list`);
  if (value.length > MOST_IN_LIST) throw wrongParams(`"${name}" may have at most ${MOST_IN_LIST} elements`);
  return value;
}

function absolute(path: string, name: string): string {
  // Where this program runs: the path of another system is a relative one here.
  if (!isAbsolute(path) || path.includes("\0")) throw wrongParams(`"${name}" must be an absolute path`);
  return path;
}

/** `mcpServers` of a session. Lists of variables and headers become objects. */
export function serversParam(params: Params): EditorServers {
  const servers = listParam(params, "mcpServers").map((each, index): readonly [string, JsonObject] => {
    const problem = (what: string) => wrongParams(`"mcpServers[${index}]" ${what}`);
    if (!isObject(each)) throw problem("must be an object");
    const { name, type, url, command, args = [] } = each;
    if (typeof name !== "string" || name.trim() === "") throw problem('needs a "name"');
    if (type === "http" || type === "sse") {
      if (typeof url !== "string" || !/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
        throw problem('needs a "url" that begins with http:// or https://');
      return [name, { type, url, headers: pairs(each["headers"], problem) }];
    }
    if (type !== undefined && type !== "stdio")
      throw problem(`has the type ${JSON.stringify(type)}; use stdio, http or sse`);
    if (typeof command !== "string" || command === "") throw problem('needs a "command"');
    if (!isTexts(args)) throw problem('needs "args" to be a list of strings');
    return [name, { type: "stdio", command, args: [...args], env: pairs(each["env"], problem) }];
  });
  return Object.fromEntries(servers);
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

function pairs(value: unknown, problem: (what: string) => Error): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!Array.isArray(value)) throw problem('needs lists of {"name", "value"}');
  const entries = value.map((each: unknown): readonly [string, string] => {
    const { name, value: text } = isObject(each) ? each : {};
    if (typeof name !== "string" || typeof text !== "string") throw problem('needs lists of {"name", "value"}');
    return [name, text];
  });
  return Object.fromEntries(entries);
}
