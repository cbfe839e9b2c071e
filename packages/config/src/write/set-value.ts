// Sets one key in one settings file, if that file may hold the key and the value is valid.

import type { SettingsKey } from "@keelson/protocol";
import { checkValue } from "../check/check-value.ts";
import { whose } from "../check/check.ts";
import { keyPath, valueAt, type KnownKey, type KeyPath } from "../check/known.ts";
import { ignoreLocalSettings } from "./git-ignore.ts";
import { standardFiles } from "../scopes/scopes.ts";
import { strings } from "../load/rules.ts";
import { NOT_EDITABLE, updateSettingsFile } from "./settings-file.ts";
import { keptElsewhere, writeTarget, type WritePlaces } from "./write-rules.ts";

export interface SetRequest {
  readonly key: string;
  /** As typed. */
  readonly value: string;
  readonly scope: "user" | "project" | "local";
}

export type SetResult =
  | {
      readonly ok: true;
      readonly file: string;
      readonly path: readonly string[];
      readonly value: unknown;
      readonly known: KnownKey;
      readonly note?: string;
    }
  | { readonly ok: false; readonly problem: string };

export async function setValue({ key, value: typed, scope }: SetRequest, places: WritePlaces): Promise<SetResult> {
  const found = keyPath(key);
  if (found === undefined) return { ok: false, problem: `"${key}" is not a settings key` };
  const { known, path } = found;
  if (!known.holders.includes(scope)) {
    return { ok: false, problem: `${known.key} is only valid in ${whose(known.holders)}, not in ${scope} settings` };
  }
  const parsed = parseTyped(typed, found);
  if ("problem" in parsed) return { ok: false, problem: parsed.problem };

  const { isEditable, setAt } = await import("./edit.ts");
  const standard = standardFiles(places).find(({ name }) => name === scope)!;
  const elsewhere = keptElsewhere(standard, places);
  if (elsewhere !== undefined) return { ok: false, problem: elsewhere };
  const result = await updateSettingsFile(writeTarget(standard, places), (text) => {
    if (!isEditable(text)) return NOT_EDITABLE;
    const changed = setAt(text, path, parsed.value);
    const now = Bun.JSONC.parse(changed.replace(/^\ufeff/, ""));
    const holds = JSON.stringify(valueAt(now, path)) === JSON.stringify(parsed.value);
    return holds ? { text: changed } : { problem: `could not be changed at ${key}` };
  });
  if (result.kind === "refused") return { ok: false, problem: result.problem };
  const note = scope === "local" ? await keepLocal(key, parsed.value, places) : undefined;
  return { ok: true, file: standard.file, path, value: parsed.value, known, ...(note === undefined ? {} : { note }) };
}

const WIDENS = {
  "permissions.allow": "rules",
  "permissions.additionalDirectories": "directories",
} as const satisfies Partial<Record<SettingsKey, string>>;

/** In an untrusted folder, a local file allows only what its user accepted. Setting a value here accepts it. */
async function keepLocal(key: string, value: unknown, places: WritePlaces): Promise<string | undefined> {
  const list = Object.hasOwn(WIDENS, key) ? WIDENS[key as keyof typeof WIDENS] : undefined;
  const ignored = ignoreLocalSettings(places);
  if (list === undefined) return ignored;
  const { accept } = await import("./accept.ts");
  return (await accept([{ list, wanted: { add: strings(value) } }], places)) ?? ignored;
}

type Typed = { readonly value: unknown } | { readonly problem: string };

function parseTyped(typed: string, { known, path, entry }: KeyPath): Typed {
  const name = path.join(".");
  const value = takesText(known, entry) && !/^\s*["[{]/.test(typed) ? typed : json(typed);
  if (value === undefined) {
    return { problem: `${name}: '${typed}' is not JSON; write, for example, '${exampleOf(known, entry)}'` };
  }
  let problem: string | undefined;
  const checked = checkValue(
    entry ? { [path.at(-1)!]: value } : value,
    known,
    (key, why) => void (problem ??= `${key} ${why}`),
  );
  if (problem !== undefined) return { problem };
  return { value: entry ? (checked as Record<string, unknown>)[path.at(-1)!] : checked };
}

/** Whether a value may be typed without quotes. */
function takesText({ type }: KnownKey, entry: boolean): boolean {
  if (entry) return type.kind === "variables" || (type.kind === "map" && type.of === "text");
  return ["text", "choice", "mode", "models"].includes(type.kind);
}

const PROVIDER = '{"api": "openai-chat", "baseUrl": "http://127.0.0.1:8000/v1"}';

function exampleOf({ type }: KnownKey, entry: boolean): string {
  if (type.kind === "rules") return '["Bash(git *)"]';
  if (type.kind === "list") return '["one", "two"]';
  if (type.kind === "flag") return "true";
  if (type.kind === "number") return String(type.least ?? 1);
  if (type.kind === "prices") return entry ? '{"input": 3, "output": 15}' : '{"model": {"input": 3, "output": 15}}';
  if (type.kind === "providers") return entry ? PROVIDER : `{"local": ${PROVIDER}}`;
  if (type.kind === "hooks") return '{"Stop": [{"hooks": [{"type": "command", "command": "./check.sh"}]}]}';
  return '{"name": "value"}';
}

function json(typed: string): unknown {
  try {
    return Bun.JSONC.parse(typed);
  } catch {
    return undefined;
  }
}
