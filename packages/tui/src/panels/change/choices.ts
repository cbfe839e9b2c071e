// /login, /model, /effort, /theme, /output-style and /vim: one thing to choose.

import { applyModel, loadModels, modelPicker, type ModelOption } from "../../pickers/model-picker.ts";
import { LoginPanel, type LoginAnswer } from "../../dialogs/before/login-panel.ts";
import { themePicker } from "../../pickers/theme-picker.ts";
import { cleanRow } from "../../screen/clean.ts";
import type { Panel } from "../../screen/view.ts";
import { finishing, type PanelContext, type PanelEnd } from "../context.ts";
import { PanelStack } from "../panel-stack.ts";
import { choicesPanel, ending } from "../parts.ts";

/** The list is there at once; what the providers say comes into it. */
export async function modelPanel(context: PanelContext): Promise<Panel<PanelEnd>> {
  const { requests, host, keys, redraw } = context;
  const [loaded, logins] = await Promise.all([loadModels(requests), host.logins()]);
  return new PanelStack<PanelEnd>((stack) => {
    const login = (provider: string) =>
      stack.open(new LoginPanel({ logins, redraw, keys, provider }), (answer) =>
        answer === null ? undefined : { value: loggedIn(answer, context) },
      );
    return ending(modelPicker({ ...loaded, requests }, { keys, redraw, login }), (picked) => {
      if (picked === null || Object.keys(picked).length === 0) return {};
      return finishing(applyModel(picked, requests));
    });
  });
}

export async function loginPanel(provider: string, context: PanelContext): Promise<Panel<PanelEnd>> {
  const { host, keys, redraw } = context;
  const logins = await host.logins();
  const panel = new LoginPanel({ logins, redraw, keys, ...(provider === "" ? {} : { provider }) });
  return ending(panel, (answer) => (answer === null ? { note: "Kept the model" } : loggedIn(answer, context)));
}

/** For this session at once, and for later ones. */
function loggedIn({ model, note }: LoginAnswer, { requests, host }: PanelContext): PanelEnd {
  const use = async (): Promise<PanelEnd> => {
    await (await host.logins()).choose(model);
    // It reads the settings again, which may have a provider that was not there.
    await requests.request("apply_flag_settings", { settings: {} });
    await requests.request("set_model", { model });
    return { note: cleanRow(note) };
  };
  return finishing(use());
}

export async function effortPanel(context: PanelContext): Promise<Panel<PanelEnd> | PanelEnd> {
  const { requests, keys } = context;
  const { models, inForce } = await loadModels(requests);
  const levels = levelsOf(models, inForce.model);
  if (levels.length === 0) return { note: `${cleanRow(inForce.model)} has no effort levels` };
  const all = ["default", ...levels];
  const marked = Math.max(0, all.indexOf(inForce.effort ?? "default"));
  const choices = all.map((label, index) => ({ label, isCurrent: index === marked }));
  return ending(choicesPanel({ title: "Effort", choices, keys, marked, harmless: true }), (index) => {
    if (index === null || index === marked) return {};
    const effort = index === 0 ? null : all[index]!;
    return finishing(applyModel({ effort }, requests));
  });
}

function levelsOf(models: readonly ModelOption[], id: string): readonly string[] {
  return models.find(({ resolvedModel }) => resolvedModel === id)?.supportedEffortLevels ?? [];
}

export function themePanel(args: string, context: PanelContext): Panel<PanelEnd> | PanelEnd {
  const { themes, keys } = context;
  const names = themes.map(({ name }) => name);
  if (args !== "") {
    if (names.includes(args)) return saveSetting("theme", args, "Theme", context);
    return { note: `"${cleanRow(args)}" is not a theme; use one of ${names.join(", ")}` };
  }
  const current = String(context.setting("theme") ?? "");
  const picker = themePicker(themes, { keys, current, themeNamed: (name) => context.themeNamed(name) });
  return ending(picker, (name) =>
    name === null || name === current ? {} : saveSetting("theme", name, "Theme", context),
  );
}

export async function outputStylePanel(args: string, context: PanelContext): Promise<Panel<PanelEnd> | PanelEnd> {
  const { requests, keys } = context;
  const { available_output_styles: styles } = await requests.request("reload_output_styles");
  const save = (name: string) => saveSetting("outputStyle", name, "Output style", context);
  if (args !== "") {
    const found = styles.find((style) => style.toLowerCase() === args.toLowerCase());
    return found === undefined
      ? { note: `"${cleanRow(args)}" is not an output style; use one of ${styles.map(cleanRow).join(", ")}` }
      : save(found);
  }
  const current = String(context.setting("outputStyle") ?? "default");
  const marked = Math.max(0, styles.indexOf(current));
  const choices = styles.map((style, index) => ({ label: cleanRow(style), isCurrent: index === marked }));
  return ending(choicesPanel({ title: "Output style", choices, keys, marked, harmless: true }), (index) =>
    index === null || index === marked ? {} : save(styles[index]!),
  );
}

export function toggleVim(context: PanelContext): PanelEnd {
  const mode = context.setting("editorMode") === "vim" ? "normal" : "vim";
  return saveSetting("editorMode", mode, "Editor mode", context);
}

/** Writes it to the user's settings, so it also applies to later sessions. */
function saveSetting(key: string, value: string, label: string, { requests }: PanelContext): PanelEnd {
  return finishing(
    requests.request("update_settings", { source: "userSettings", settings: { [key]: value } }).then(() => ({
      note: `Set ${label.toLowerCase()} to ${cleanRow(value)}`,
      effects: [{ kind: "setting", key, value } as const],
    })),
  );
}
