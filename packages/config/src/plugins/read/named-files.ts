// A manifest field that is a path, an object, or a list of both: the objects it stands for, each with its file.

import { join } from "node:path";
import { isObject } from "@keelson/protocol";
import { insidePath } from "./inside.ts";
import type { Manifest, PathsOrInline } from "./manifest.ts";
import type { JsonPath } from "./problem.ts";
import { readJsonInside, type FolderReading } from "./read-json.ts";

export interface OwnManifest {
  readonly manifest: Manifest;
  readonly file: string;
  lineOf(path: JsonPath): number | undefined;
}

export interface Described {
  readonly file: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** Where the value is in its file. */
  readonly at: JsonPath;
  lineOf(path: JsonPath): number | undefined;
}

/** The default file, if there is one, then what the manifest adds. A file named twice is read once. */
export function described(
  field: "hooks" | "mcpServers" | "lspServers",
  standard: string,
  own: OwnManifest,
  reading: FolderReading,
): readonly Described[] {
  const { root, problems } = reading;
  const seen = new Set<string>();
  const fromFile = (file: string): Described[] => {
    if (seen.has(file)) return [];
    seen.add(file);
    const read = readJsonInside(file, reading);
    return read === undefined ? [] : [{ ...read, at: [] }];
  };
  const given: PathsOrInline | undefined = own.manifest[field];
  const items = given === undefined ? [] : Array.isArray(given) ? (given as readonly (string | object)[]) : [given];
  const usual = insidePath(root, `./${standard}`);
  // A missing file counts as a source: a session must not create it. A link that leads out is reported by the reader.
  if ("problem" in usual && usual.missing) reading.sources.push({ path: join(root, standard), stamp: "absent" });
  const first = "path" in usual ? fromFile(usual.path) : usual.missing ? [] : fromFile(join(root, standard));
  return [
    ...first,
    ...items.flatMap((item, index): Described[] => {
      const at = Array.isArray(given) ? [field, index] : [field];
      if (isObject(item)) return [{ file: own.file, value: item, at, lineOf: own.lineOf }];
      const found = insidePath(root, item as string);
      if ("path" in found && found.kind === "file") return fromFile(found.path);
      const line = own.lineOf(at);
      const why = "problem" in found ? found.problem : "is a folder; name a file";
      const text = `"${field}": ${JSON.stringify(item)} ${why}`;
      problems.push({ file: own.file, ...(line === undefined ? {} : { line }), text });
      return [];
    }),
  ];
}
