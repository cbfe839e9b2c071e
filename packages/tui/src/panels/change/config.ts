// /config: settings one changes while working. Each change is written at once, one after the other.

import { isList, isObject, type ReplyTo } from "@keelson/protocol";
import type { Panel } from "../../screen/view.ts";
import type { StyleName } from "../../theme/theme.ts";
import { errorText, type PanelContext, type PanelEffect, type PanelEnd } from "../context.ts";
import { ListPanel, type ListEntry } from "../list-panel.ts";
import { counted } from "../../blocks/amounts.ts";
import { SETTINGS_TABLE, type SettingsRow } from "@keelson/protocol/settings-table";
import { preferences, type Preference } from "./preferences.ts";

/** Where a value is set, in the words of the list. */
const WORDS: Readonly<Record<string, string>> = {
  policySettings: "managed",
  flagSettings: "--settings",
  localSettings: "local",
  projectSettings: "project",
  userSettings: "user",
};

/** `permissions.allow`: a field of an object. */
function valueAt(settings: unknown, key: string): unknown {
  return key.split(".").reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), settings);
}

const isPlain = (value: unknown) =>
  typeof value === "boolean" || typeof value === "number" || (typeof value === "string" && value.length < 40);
const sizeOf = (value: unknown) => (isList(value) ? value.length : isObject(value) ? Object.keys(value).length : 1);
const sentence = (text: string) => text[0]!.toUpperCase() + text.slice(1);

/** Files whose values win over those of the user, the strongest first. */
const STRONGER = ["policySettings", "flagSettings", "localSettings", "projectSettings"];

export async function configPanel(context: PanelContext): Promise<Panel<PanelEnd>> {
  const { requests, themes } = context;
  const [settings, styles] = await Promise.all([
    requests.request("get_settings"),
    requests.request("reload_output_styles"),
  ]);
  const offered = preferences({
    themes: themes.map(({ name }) => name),
    outputStyles: styles.available_output_styles ?? ["default"],
  });
  return new ConfigState(offered, settings, context).panel;
}

class ConfigState {
  readonly panel: Panel<PanelEnd>;
  readonly #offered: readonly Preference[];
  readonly #settings: ReplyTo<"get_settings">;
  readonly #context: PanelContext;
  readonly #changed = new Map<string, string | boolean>();
  #writing: Promise<void> = Promise.resolve();
  #said: { readonly text: string; readonly style: StyleName } | undefined;

  constructor(offered: readonly Preference[], settings: ReplyTo<"get_settings">, context: PanelContext) {
    this.#offered = offered;
    this.#settings = settings;
    this.#context = context;
    const known = new Set(offered.map(({ key }) => key));
    const others = Object.entries(SETTINGS_TABLE as Readonly<Record<string, SettingsRow>>).flatMap(
      ([key, { means }]) =>
        means === undefined || known.has(key) || key === "$schema" ? [] : [this.#otherEntry(key, means)],
    );
    this.panel = new ListPanel<PanelEnd>({
      title: "Settings",
      keys: context.keys,
      contexts: ["Settings"],
      searches: true,
      entries: () => [...offered.map((each) => this.#entry(each)), ...others],
      empty: () => "No settings",
      accept: (entry) => {
        if (offered.some(({ key }) => key === entry.id)) return this.#step(entry, 1);
        return { value: this.#opened(entry.id) };
      },
      act: (action, entry) => {
        if (action === "settings:nextValue") this.#step(entry, 1);
        if (action === "settings:previousValue") this.#step(entry, -1);
      },
      closed: () => this.#end(),
      hints: (entry) =>
        offered.some(({ key }) => key === entry?.id)
          ? [
              { action: "select:accept", does: "change" },
              { action: "settings:previousValue", does: "previous" },
              { action: "settings:nextValue", does: "next" },
            ]
          : [{ action: "select:accept", does: "open the file in the editor" }],
      status: () => this.#said,
    });
  }

  #entry(preference: Preference): ListEntry {
    const { key, label, about } = preference;
    const value = this.#valueOf(preference);
    const from = this.#changed.has(key) ? undefined : this.#sourceOf(key);
    const shown = typeof value === "boolean" ? (value ? "on" : "off") : value;
    return {
      id: key,
      label,
      value: from === undefined ? shown : `${shown} · ${WORDS[from.source] ?? from.source}`,
      valueStyle: this.#changed.has(key) ? "success" : "text",
      about: from === undefined ? about : `${about}. Set in ${from.path}`,
    };
  }

  /** One that is changed in its file. What it holds may be secret if it is more than a word. */
  #otherEntry(key: string, means: string): ListEntry {
    const from = this.#sourceOf(key);
    const value = valueAt(this.#settings.effective, key);
    const shown =
      value === undefined ? "not set" : isPlain(value) ? String(value) : counted(sizeOf(value), "entry", "entries");
    return {
      id: key,
      label: key,
      value: from === undefined ? shown : `${shown} · ${WORDS[from.source] ?? from.source}`,
      about: from === undefined ? sentence(means) : `${sentence(means)}. Set in ${from.path}`,
    };
  }

  /** The file that has the last word on a setting. */
  #sourceOf(key: string) {
    const { sources } = this.#settings;
    const having = sources.filter(({ settings }) => isObject(settings) && valueAt(settings, key) !== undefined);
    return [...STRONGER, "userSettings"].flatMap((each) => having.filter(({ source }) => source === each))[0];
  }

  get #configDir(): string {
    const { env, home } = this.#context.host;
    return env["CLAUDE_CONFIG_DIR"] || `${home}/.claude`;
  }

  /** The file that sets it, or that of the user. */
  #opened(key: string): PanelEnd {
    const file = this.#sourceOf(key) ?? this.#settings.sources.find(({ source }) => source === "userSettings");
    const path = file?.path ?? `${this.#configDir}/settings.json`;
    const end = this.#end();
    const effects = [...(end.effects ?? []), { kind: "edit-file", path } as const];
    return { ...end, note: `Opened ${path} for ${key}`, effects };
  }

  #valueOf({ key, standard }: Preference): string | boolean {
    const changed = this.#changed.get(key);
    if (changed !== undefined) return changed;
    // The theme may be kept outside of the settings files.
    const value = this.#settings.effective[key] ?? this.#context.setting(key);
    return typeof value === typeof standard ? (value as string | boolean) : standard;
  }

  #strongerFile(key: string): string | undefined {
    const found = this.#settings.sources.find(
      ({ source, settings }) => STRONGER.includes(source) && isObject(settings) && key in settings,
    );
    return found?.path;
  }

  #step(entry: ListEntry | undefined, by: 1 | -1): void {
    const preference = this.#offered.find(({ key }) => key === entry?.id);
    if (preference === undefined) return;
    const file = this.#strongerFile(preference.key);
    if (file !== undefined) {
      this.#said = { text: `Set in ${file}: change it there`, style: "warning" };
      return;
    }
    const before = this.#valueOf(preference);
    const values = preference.values;
    const at = values?.indexOf(String(before)) ?? 0;
    const next = values === undefined ? before !== true : (values[(at + by + values.length) % values.length] ?? before);
    if (next !== before) this.#write(preference, next, before);
  }

  #write({ key, label }: Preference, value: string | boolean, before: string | boolean): void {
    this.#changed.set(key, value);
    this.#said = undefined;
    const { requests, redraw } = this.#context;
    this.#writing = this.#writing.then(async () => {
      try {
        await requests.request("update_settings", { source: "userSettings", settings: { [key]: value } });
        // The file is for later sessions; this one keeps the effort it started with unless it is told.
        if (key === "effortLevel") await requests.request("apply_flag_settings", { settings: { effortLevel: value } });
      } catch (error) {
        // A later change of the same key may be waiting; it has its own answer.
        if (this.#changed.get(key) === value) this.#changed.set(key, before);
        this.#said = { text: `${label} was not saved: ${errorText(error)}`, style: "error" };
        redraw();
      }
    });
  }

  #end(): PanelEnd {
    if (this.#changed.size === 0) return {};
    return { later: this.#writing.then(() => this.#saved()) };
  }

  #saved(): PanelEnd {
    const changed = [...this.#changed].filter(([key, value]) => this.#settings.effective[key] !== value);
    const effects = changed.map(([key, value]): PanelEffect => ({ kind: "setting", key, value }));
    const names = changed.map(([key, value]) => {
      const label = this.#offered.find((each) => each.key === key)!.label;
      return `${label} to ${typeof value === "boolean" ? (value ? "on" : "off") : value}`;
    });
    const failed = this.#said?.style === "error" ? [this.#said.text] : [];
    const saved = names.length === 0 ? [] : [`Set ${names.join(", ")}`];
    const note = [...saved, ...failed].join(". ");
    return { ...(note === "" ? {} : { note }), effects };
  }
}
