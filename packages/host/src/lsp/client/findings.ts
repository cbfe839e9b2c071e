// What servers answer, in its many shapes, as `CodeFindings`. Nothing in it is trusted: what has no place is left out,
// and everything is bounded. Pure.

import {
  isObject,
  type CodeCall,
  type CodeOperation,
  type CodePlace,
  type CodePosition,
  type CodeSymbol,
} from "@keelson/protocol";
import { pathOf } from "../wire/uri.ts";

export interface Found {
  readonly places?: readonly CodePlace[];
  readonly symbols?: readonly CodeSymbol[];
  readonly calls?: readonly CodeCall[];
  readonly hover?: string;
  readonly callsIn?: string;
  readonly total?: number;
}

/** More are counted and left out. */
const MOST = 5_000;
const MAX_NAME = 300;
const MAX_HOVER = 50_000;
const MAX_DEPTH = 20;

/** `path` is the file that was asked about. */
export function findingsOf(operation: CodeOperation, answer: unknown, path: string): Found {
  switch (operation) {
    case "goToDefinition":
    case "goToImplementation":
    case "findReferences":
      return limited("places", uniquePlaces(listOf(answer).flatMap((each) => placeOf(each) ?? [])));
    case "hover":
      return { hover: hoverText(isObject(answer) ? answer["contents"] : undefined).slice(0, MAX_HOVER) };
    case "documentSymbol":
      return limited("symbols", nested(listOf(answer), path));
    case "workspaceSymbol":
    case "prepareCallHierarchy":
      return limited(
        "symbols",
        listOf(answer).flatMap((each) => symbolOf(each, "", 0) ?? []),
      );
    case "incomingCalls":
      return limited(
        "calls",
        listOf(answer).flatMap((each) => callOf(each, "from") ?? []),
      );
    case "outgoingCalls":
      return {
        ...limited(
          "calls",
          listOf(answer).flatMap((each) => callOf(each, "to") ?? []),
        ),
        callsIn: path,
      };
  }
}

/** `key` is what the list is called. */
function limited(key: "places" | "symbols" | "calls", all: readonly object[]): Found {
  return { [key]: all.slice(0, MOST), ...(all.length > MOST ? { total: all.length } : {}) };
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? [value] : [];
}

/** A Location, or a LocationLink. */
function placeOf(value: unknown): CodePlace | undefined {
  if (!isObject(value)) return undefined;
  const uri = value["targetUri"] ?? value["uri"];
  const start = startOf(value["targetSelectionRange"] ?? value["targetRange"] ?? value["range"]);
  return typeof uri === "string" && start ? { path: pathOf(uri), ...start } : undefined;
}

function startOf(range: unknown): CodePosition | undefined {
  const start = isObject(range) ? range["start"] : undefined;
  if (!isObject(start)) return undefined;
  const { line, character } = start;
  return isCount(line) && isCount(character) ? { line, character } : undefined;
}

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/** Some servers name a place twice, once for each project it belongs to. */
function uniquePlaces(places: readonly CodePlace[]): readonly CodePlace[] {
  const seen = new Set<string>();
  return places.filter(({ path, line, character }) => {
    const key = `${line}:${character}:${path}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** The symbols of a document as a list with depths: either a tree, or flat with the name of each one's container. */
function nested(items: readonly unknown[], path: string): readonly CodeSymbol[] {
  const all: CodeSymbol[] = [];
  const add = (each: unknown, depth: number) => {
    const symbol = symbolOf(each, path, depth);
    if (!symbol || depth > MAX_DEPTH) return;
    all.push(symbol);
    for (const child of listOf((each as { children?: unknown }).children)) add(child, depth + 1);
  };
  for (const item of items) add(item, 0);
  return all;
}

/** A DocumentSymbol, SymbolInformation, WorkspaceSymbol or CallHierarchyItem. */
function symbolOf(value: unknown, path: string, depth: number): CodeSymbol | undefined {
  if (!isObject(value) || typeof value["name"] !== "string") return undefined;
  const { name, kind, detail, containerName, location, uri } = value;
  const place =
    placeOf(location) ??
    // A workspace symbol may have a file only.
    (isObject(location) && typeof location["uri"] === "string"
      ? { path: pathOf(location["uri"]), line: 0, character: 0 }
      : undefined);
  const start = startOf(value["selectionRange"] ?? value["range"]);
  const at = place ?? (start && { path: typeof uri === "string" ? pathOf(uri) : path, ...start });
  if (!at || at.path === "") return undefined;
  return {
    name: name.slice(0, MAX_NAME),
    kind: KINDS[(kind as number) - 1] ?? "symbol",
    ...at,
    ...(typeof detail === "string" && detail !== "" ? { detail: detail.slice(0, MAX_NAME) } : {}),
    ...(typeof containerName === "string" && containerName !== ""
      ? { container: containerName.slice(0, MAX_NAME) }
      : {}),
    depth,
  };
}

function callOf(value: unknown, end: "from" | "to"): CodeCall | undefined {
  if (!isObject(value)) return undefined;
  const symbol = symbolOf(value[end], "", 0);
  if (!symbol) return undefined;
  const at = listOf(value["fromRanges"])
    .slice(0, MOST)
    .flatMap((range) => startOf(range) ?? []);
  const unique = new Map(at.map((each) => [`${each.line}:${each.character}`, each]));
  return { symbol, at: [...unique.values()] };
}

/** Markup, a marked string, or a list of those. */
function hoverText(contents: unknown): string {
  if (typeof contents === "string") return contents;
  if (Array.isArray(contents)) return contents.map(hoverText).filter(Boolean).join("\n\n");
  if (!isObject(contents) || typeof contents["value"] !== "string") return "";
  const { value, language } = contents;
  return typeof language === "string" ? `\`\`\`${language}\n${value}\n\`\`\`` : value;
}

const KINDS = [
  "file",
  "module",
  "namespace",
  "package",
  "class",
  "method",
  "property",
  "field",
  "constructor",
  "enum",
  "interface",
  "function",
  "variable",
  "constant",
  "string",
  "number",
  "boolean",
  "array",
  "object",
  "key",
  "null",
  "enum member",
  "struct",
  "event",
  "operator",
  "type parameter",
] as const;
