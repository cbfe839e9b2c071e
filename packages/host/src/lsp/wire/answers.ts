// Answers to what a language server asks of us. It learns its own settings and the folder; it edits no file, runs no
// command, opens no window and asks no one anything through us.

import { isObject, type JsonObject } from "@keelson/protocol";

export interface AnswerSource {
  /** For `workspace/configuration`. */
  readonly settings: JsonObject;
  readonly folder: { readonly uri: string; readonly name: string };
  /** The server registered a capability; without a method, it withdrew the one of this id. */
  registered(id: string, method: string | undefined): void;
  /** Diagnostics may have changed without an edit. */
  refreshDiagnostics(): void;
}

/** Undefined for a method that we do not know. */
export function answerServer(method: string, params: unknown, source: AnswerSource): { result: unknown } | undefined {
  switch (method) {
    case "workspace/configuration":
      return { result: itemsOf(params, "items").map((item) => sectionOf(source.settings, item["section"])) };
    case "workspace/workspaceFolders":
      return { result: [source.folder] };
    case "client/registerCapability":
      for (const each of itemsOf(params, "registrations"))
        source.registered(String(each["id"]), String(each["method"]));
      return { result: null };
    case "client/unregisterCapability":
      // The protocol spells it this way.
      for (const each of itemsOf(params, "unregisterations")) source.registered(String(each["id"]), undefined);
      return { result: null };
    case "workspace/applyEdit":
      return { result: { applied: false, failureReason: "Files are edited only by the user's own tools" } };
    case "window/showDocument":
      return { result: { success: false } };
    case "workspace/diagnostic/refresh":
      source.refreshDiagnostics();
      return { result: null };
    case "window/showMessageRequest":
    case "window/workDoneProgress/create":
    case "workspace/codeLens/refresh":
    case "workspace/foldingRange/refresh":
    case "workspace/inlayHint/refresh":
    case "workspace/inlineValue/refresh":
    case "workspace/semanticTokens/refresh":
      return { result: null };
    default:
      return undefined;
  }
}

const MOST_ITEMS = 1_000;

function itemsOf(params: unknown, key: string): readonly Readonly<Record<string, unknown>>[] {
  const items = isObject(params) ? params[key] : undefined;
  return Array.isArray(items) ? items.slice(0, MOST_ITEMS).map((item) => (isObject(item) ? item : {})) : [];
}

/** `python.analysis` is the setting of that name, or `analysis` inside `python`. All of them without a section. */
function sectionOf(settings: JsonObject, section: unknown): unknown {
  if (typeof section !== "string" || section === "") return settings;
  if (Object.hasOwn(settings, section)) return settings[section];
  let value: unknown = settings;
  for (const part of section.split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return null;
    value = value[part];
  }
  return value;
}
