// Finds every plugin that something asks for, in the order that decides who keeps a name: the administrator's, those of
// flags, the user's, then what a project asks for.

import type { Plugin, UnusedPlugin } from "@keelson/protocol";
import { atHome } from "../scopes/scopes.ts";
import type { Source } from "../load/sources.ts";
import type { PluginQuestion } from "./collect.ts";
import type { SkillsPlugin } from "../load/plugins-in-skills.ts";
import { pluginChoices, untrustedChoices, type PluginChoice } from "./enabled.ts";
import {
  installationFor,
  installedRoot,
  pluginsFolder,
  readPluginState,
  type InstallRecord,
  type PluginState,
} from "./state/installed.ts";
import type { Manifest } from "./read/manifest.ts";
import { parsePluginId } from "./read/names.ts";
import { marketplaceRefusal } from "./market/policy.ts";

export interface PluginCandidate {
  readonly from: Plugin["from"];
  /** Its folder. */
  readonly path: string;
  /** Absent if only the manifest says what it is called. */
  readonly id?: string;
  readonly name?: string;
  readonly managed: boolean;
  readonly withoutMcp?: true;
  /** It is in the skills of the folder, and may run only what the user trusted there. */
  readonly ofFolder?: true;
  readonly record?: InstallRecord;
  /** Asked once the manifest is read. */
  refusal?(id: string, manifest: Manifest): Pick<UnusedPlugin, "kind" | "why"> | undefined;
}

export interface FoundPlugins {
  readonly candidates: readonly PluginCandidate[];
  readonly unused: readonly UnusedPlugin[];
  readonly sources: readonly Source[];
}

export function pluginCandidates(question: PluginQuestion): FoundPlugins {
  const { flags, scopes, read, trust, places, env, warn } = question;
  const choices = pluginChoices(scopes);
  const unused: UnusedPlugin[] = [];
  if (flags.safe) {
    const why = "--safe-mode skips all plugins";
    const inline = (flags.pluginDirs ?? []).map(({ path }) => ({ id: path, kind: "disabled" as const, why }));
    const named = choices.filter(({ enabled }) => enabled).map(({ id }) => ({ id, kind: "disabled" as const, why }));
    return { candidates: [], unused: [...inline, ...named], sources: [] };
  }
  const folder = pluginsFolder(places.configDir, env);
  const needsState = choices.length > 0;
  const state = needsState ? readPluginState(folder) : NO_STATE;
  for (const problem of state.problems) warn(problem);
  const installed = {
    managed: [] as PluginCandidate[],
    user: [] as PluginCandidate[],
    project: [] as PluginCandidate[],
  };
  for (const choice of choices) {
    const result = installedCandidate(choice, { folder, state, question });
    if (result === undefined) continue;
    if ("why" in result) unused.push(result);
    else installed[groupOf(choice)].push(result);
  }
  for (const id of untrustedChoices(read, choices)) {
    unused.push({
      id,
      kind: "untrusted",
      why: `This folder asks for it and is not trusted; to trust it, ${trust.fix}`,
    });
  }
  const inline = (flags.pluginDirs ?? []).map(({ path, withoutMcp }): PluginCandidate => ({
    from: "inline",
    path: atHome(path, places.home, places.cwd),
    managed: false,
    ...(withoutMcp ? { withoutMcp } : {}),
  }));
  const inSkills = flags.bare ? [] : question.inSkills;
  const skills = (wanted: SkillsPlugin["of"]) =>
    inSkills.filter(({ of }) => of === wanted).map((each) => skillsCandidate(each, choices, question));
  return {
    candidates: [
      ...installed.managed,
      ...inline,
      ...skills("user"),
      ...installed.user,
      ...installed.project,
      ...skills("project"),
    ],
    unused,
    sources: state.sources,
  };
}

const NO_STATE: PluginState = { installed: {}, marketplaces: {}, sources: [], problems: [] };

function groupOf({ by }: PluginChoice): "managed" | "user" | "project" {
  if (by === "policySettings") return "managed";
  return by === "projectSettings" || by === "localSettings" ? "project" : "user";
}

function installedCandidate(
  { id, enabled, by, why }: PluginChoice,
  { folder, state, question }: { folder: string; state: PluginState; question: PluginQuestion },
): PluginCandidate | UnusedPlugin | undefined {
  const { places, settings } = question;
  const parsed = parsePluginId(id);
  // Those of a skills folder are found there.
  if (parsed?.marketplace === "skills-dir") return undefined;
  const without = (kind: UnusedPlugin["kind"], text: string): UnusedPlugin => ({
    id,
    kind,
    why: text.charAt(0).toUpperCase() + text.slice(1),
  });
  if (!enabled) return without(by === "policySettings" ? "blocked" : "disabled", why ?? "it is disabled");
  if (parsed === undefined) return without("invalid", `"${id}" is not a plugin; write it as "name@marketplace"`);
  const records = Object.hasOwn(state.installed, id) ? state.installed[id]! : [];
  const record = installationFor(records, places.projectRoot ?? places.cwd);
  const path = record && installedRoot(folder, id, record);
  if (record === undefined || path === undefined) {
    return without("missing", `it is enabled but not installed; to install it, run: keelson plugin install ${id}`);
  }
  const { marketplace, name } = parsed;
  const known = Object.hasOwn(state.marketplaces, marketplace) ? state.marketplaces[marketplace] : undefined;
  const refusal = marketplaceRefusal(known?.source, settings);
  if (refusal !== undefined) return without("blocked", refusal);
  return { from: "marketplace", path, id, name, managed: by === "policySettings", record };
}

function skillsCandidate(
  { folder, of }: SkillsPlugin,
  choices: readonly PluginChoice[],
  { settings, trusted, trust }: PluginQuestion,
): PluginCandidate {
  const refusal: PluginCandidate["refusal"] = (id, { defaultEnabled = true }) => {
    const choice = choices.find((each) => each.id === id);
    if (choice?.enabled === false) return { kind: "disabled", why: choice.why ?? "It is disabled" };
    if (of === "project" && !trusted) {
      return { kind: "untrusted", why: `This folder has it and is not trusted; to trust it, ${trust.fix}` };
    }
    const blocked = marketplaceRefusal({ source: "skills-dir" }, settings);
    if (blocked !== undefined) return { kind: "blocked", why: `${blocked.charAt(0).toUpperCase()}${blocked.slice(1)}` };
    if (isReserved(settings.strictPluginOnlyCustomization)) {
      const why = "Managed settings allow only plugins of marketplaces (strictPluginOnlyCustomization)";
      return { kind: "blocked", why };
    }
    if (choice === undefined && !defaultEnabled) {
      return { kind: "disabled", why: `It is off unless you enable it: keelson plugin enable ${id}` };
    }
    return undefined;
  };
  const ofFolder = of === "project" ? { ofFolder: true as const } : {};
  return { from: "skills-dir", path: folder, managed: false, refusal, ...ofFolder };
}

const isReserved = (value: unknown) =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
