// /plugin: which plugins are used. Turning one on or off takes effect at once.

import { isObject, type ReplyTo } from "@keelson/protocol";
import type { Panel } from "../../screen/view.ts";
import type { StyleName } from "../../theme/theme.ts";
import { errorText, type PanelContext, type PanelEnd } from "../context.ts";
import { ListPanel, type ListEntry } from "../list-panel.ts";

export async function pluginPanel(context: PanelContext): Promise<Panel<PanelEnd> | PanelEnd> {
  const state = new PluginsState(context);
  await state.load();
  if (state.entries().length === 0) return { note: "No plugins. Install one with `keelson plugin install`" };
  return state.panel();
}

/** What settings say of each plugin. */
function enabledIn(settings: unknown): Readonly<Record<string, unknown>> {
  const enabled = isObject(settings) ? settings["enabledPlugins"] : undefined;
  return isObject(enabled) ? enabled : {};
}

class PluginsState {
  readonly #context: PanelContext;
  #active: ReplyTo<"reload_plugins">["plugins"] = [];
  #enabled: Readonly<Record<string, unknown>> = {};
  /** What the user's own file says. */
  #own: Readonly<Record<string, unknown>> = {};
  #said: { readonly text: string; readonly style: StyleName } | undefined;
  #note: string | undefined;

  constructor(context: PanelContext) {
    this.#context = context;
  }

  async load(): Promise<void> {
    const { requests } = this.#context;
    const reply = await requests.request("reload_plugins");
    const { effective, sources } = await requests.request("get_settings");
    this.#active = reply.plugins;
    this.#enabled = enabledIn(effective);
    this.#own = enabledIn(sources.find(({ source }) => source === "userSettings")?.settings);
    if (reply.error_count > 0) {
      const count = `${reply.error_count} ${reply.error_count === 1 ? "plugin" : "plugins"}`;
      this.#said = { text: `${count} could not be loaded; see /doctor`, style: "error" };
    }
  }

  panel(): Panel<PanelEnd> {
    return new ListPanel<PanelEnd>({
      title: "Plugins",
      keys: this.#context.keys,
      contexts: ["Plugin"],
      entries: () => this.entries(),
      empty: () => "No plugins",
      accept: ({ id }) => void this.#toggle(id),
      act: (action, entry) => {
        if (action === "plugin:toggle" && entry) void this.#toggle(entry.id);
        if (action === "plugin:reload") void this.#reload("Read the plugins again");
      },
      closed: () => (this.#note === undefined ? {} : { note: this.#note }),
      hints: (entry) => [
        ...(entry ? [{ action: "plugin:toggle", does: this.#isActive(entry.id) ? "disable" : "enable" }] : []),
        { action: "plugin:reload", does: "reload" },
      ],
      status: () => this.#said,
    });
  }

  entries(): readonly ListEntry[] {
    const active = this.#active.map(({ name, source = name, version, path }): ListEntry => ({
      id: source,
      label: name,
      value: version === undefined ? "in use" : `in use · ${version}`,
      valueStyle: "success",
      about: [source, ...(path === undefined ? [] : [path])].join(" · "),
    }));
    const known = new Set(active.map(({ id }) => id));
    const others = Object.keys(this.#enabled)
      .filter((id) => !known.has(id))
      .map((id): ListEntry => {
        const isOn = this.#enabled[id] !== false;
        return {
          id,
          label: id.split("@")[0]!,
          value: isOn ? "not loaded" : "off",
          valueStyle: isOn ? "error" : "dim",
          about: id,
        };
      });
    return [...active, ...others];
  }

  #isActive(id: string): boolean {
    return this.#active.some(({ source, name }) => (source ?? name) === id);
  }

  async #toggle(id: string): Promise<void> {
    const { requests, redraw } = this.#context;
    const enabled = !this.#isActive(id);
    const enabledPlugins = { ...this.#own, [id]: enabled };
    this.#said = { text: "Saving…", style: "dim" };
    try {
      await requests.request("update_settings", { source: "userSettings", settings: { enabledPlugins } });
      await this.#reload(`${enabled ? "Enabled" : "Disabled"} ${id}`);
      if (this.#isActive(id) !== enabled) {
        const text = `${id} is still ${enabled ? "off" : "on"}: another settings file decides, or it cannot be loaded`;
        this.#said = { text, style: "warning" };
        redraw();
      }
    } catch (error) {
      this.#said = { text: errorText(error), style: "error" };
      redraw();
    }
  }

  async #reload(done: string): Promise<void> {
    this.#said = undefined;
    try {
      await this.load();
      this.#said ??= { text: done, style: "success" };
      this.#note = done;
    } catch (error) {
      this.#said = { text: errorText(error), style: "error" };
    }
    this.#context.redraw();
  }
}
