// Line numbers of settings in their files. Only commands that show them load this.

import type { Rule } from "@keelson/engine";
import { isObject, type HookRegistration } from "@keelson/protocol";
import { readWholeFile, readSettingsFile } from "../scopes/read.ts";
import type { Snapshot } from "../load/snapshot.ts";

/** Adds line numbers to rules that are still in their files. */
export async function locateRules({ rules }: Pick<Snapshot, "rules">): Promise<readonly Rule[]> {
  const files = new Set(rules.flatMap(({ file }) => file ?? []));
  const maps = new Map(await Promise.all([...files].map(async (file) => [file, await fileLines(file)] as const)));
  const taken = new Set<string>();
  return rules.map((rule) => {
    const lines = rule.file === undefined ? undefined : maps.get(rule.file);
    const path = lines?.rules(rule.behavior, rule.text).find((at) => !taken.has(`${rule.file}\0${at.join("\0")}`));
    if (path === undefined) return rule;
    taken.add(`${rule.file}\0${path.join("\0")}`);
    const line = lines?.lineOf(path);
    return line === undefined ? rule : { ...rule, line };
  });
}

/** Line numbers of the hooks that are still in their files. */
export async function locateHooks({ hooks }: Pick<Snapshot, "hooks">): Promise<ReadonlyMap<HookRegistration, number>> {
  const found = new Map<HookRegistration, number>();
  const all = [...hooks.active, ...hooks.off.map(({ registration }) => registration)];
  for (const [file, here] of Map.groupBy(all, (each) => each.file)) {
    const reading = file === undefined ? undefined : readSettingsFile(file);
    if (file === undefined || reading?.kind !== "read") continue;
    const lines = await fileLines(file);
    const places = handlersIn(reading.value["hooks"]);
    for (const registration of here) {
      const at = places.findIndex((place) => place.sign === signOf(registration.event, registration.handler));
      const [place] = at < 0 ? [] : places.splice(at, 1);
      const line = place && lines.lineOf(place.path);
      if (line !== undefined) found.set(registration, line);
    }
  }
  return found;
}

interface HandlerPlace {
  readonly path: readonly (string | number)[];
  readonly sign: string;
}

function handlersIn(hooks: unknown): HandlerPlace[] {
  if (!isObject(hooks)) return [];
  const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  return Object.entries(hooks).flatMap(([event, groups]) =>
    listed(groups).flatMap((group, at) =>
      listed(isObject(group) ? group["hooks"] : undefined).map((handler, index) => ({
        path: ["hooks", event, at, "hooks", index],
        sign: signOf(event, handler),
      })),
    ),
  );
}

/** Identifies a handler. Other fields may have been corrected when the file was checked. */
function signOf(event: string, handler: unknown): string {
  const { type, command, args, url, prompt, server, tool } = (isObject(handler) ? handler : {}) as Record<
    string,
    unknown
  >;
  return JSON.stringify([event, type, command, args, url, prompt, server, tool]);
}

export interface Lines {
  lineOf(path: readonly (string | number)[]): number | undefined;
  /** The paths of the rules with this text. */
  rules(behavior: string, text: string): readonly (readonly (string | number)[])[];
}

/** An unreadable file has no lines. */
export async function fileLines(file: string): Promise<Lines> {
  const text = readWholeFile(file);
  if (typeof text !== "string") return { lineOf: () => undefined, rules: () => [] };
  const { parseTree } = await import("jsonc-parser");
  const root = parseTree(text.replace(/^\ufeff/, " "), undefined, { allowTrailingComma: true }) as Node | undefined;

  return {
    lineOf(path) {
      const node = path.reduce<Node | undefined>((at, step) => inside(at, step)?.value, root);
      // A property is on the line of its name, even if its value starts further down.
      const shown =
        typeof path.at(-1) === "string" ? (inside(parent(root, path), path.at(-1)!)?.property ?? node) : node;
      return shown === undefined ? undefined : text.slice(0, shown.offset).split("\n").length;
    },
    rules(behavior, wanted) {
      const list = ["permissions", behavior].reduce<Node | undefined>((at, step) => inside(at, step)?.value, root);
      if (list?.type === "string") return list.value === wanted ? [["permissions", behavior]] : [];
      return (list?.children ?? []).flatMap(({ value }, index) =>
        value === wanted ? [["permissions", behavior, index]] : [],
      );
    },
  };
}

interface Node {
  readonly type: string;
  readonly offset: number;
  readonly value?: unknown;
  readonly children?: readonly Node[];
}

function parent(root: Node | undefined, path: readonly (string | number)[]): Node | undefined {
  return path.slice(0, -1).reduce<Node | undefined>((at, step) => inside(at, step)?.value, root);
}

/** If a name is repeated, the last one wins, as when the file is parsed. */
function inside(node: Node | undefined, step: string | number): { value?: Node; property?: Node } | undefined {
  if (typeof step === "number") return node?.type === "array" ? { value: node.children?.[step] } : undefined;
  const property =
    node?.type === "object" ? node.children?.findLast((at) => at.children?.[0]?.value === step) : undefined;
  return property && { value: property.children?.[1], property };
}
