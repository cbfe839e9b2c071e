// Choosing a model of any provider, and how much effort it makes: typing searches, Left and Right change the effort. The
// models of the session are there at once; what the providers list comes in when they have answered.

import type { ReplyTo } from "@keelson/protocol";
import type { Requests } from "@keelson/client";
import { shortCount } from "../blocks/amounts.ts";
import { ListPanel, type ListEntry } from "../panels/list-panel.ts";
import { cleanRow } from "../screen/clean.ts";
import type { Done, Panel } from "../screen/view.ts";
import type { KeyLookup } from "../widgets/key-lookup.ts";

type Listed = ReplyTo<"list_models">;
/** A row of `list_models`. */
export type ModelOption = Listed["models"][number];
export type ModelInForce = ReplyTo<"get_settings">["applied"];
type ListedProvider = NonNullable<Listed["providers"]>[number];
type ProviderModel = ListedProvider["models"][number];

export interface PickedModel {
  /** For `set_model`; undefined if the model stays. */
  readonly model?: string;
  /** Null for the model's own default; undefined if the effort stays. */
  readonly effort?: string | null;
}

export interface ModelsToPick {
  readonly models: readonly ModelOption[];
  readonly inForce: ModelInForce;
  /** Asked for the models of every provider. */
  readonly requests: Requests;
}

export interface ModelPickerOptions {
  readonly keys: KeyLookup;
  redraw(): void;
  /** Enter on a provider that cannot be asked yet. */
  login(provider: string): void;
}

export async function loadModels(
  requests: Requests,
): Promise<{ models: readonly ModelOption[]; inForce: ModelInForce }> {
  const [listed, settings] = await Promise.all([requests.request("list_models"), requests.request("get_settings")]);
  return { models: listed.models, inForce: settings.applied };
}

/** Returns a line for the user about the effort; the session itself tells of the model. Rejects with its error. */
export async function applyModel({ model, effort }: PickedModel, requests: Requests): Promise<{ note?: string }> {
  if (model !== undefined) await requests.request("set_model", { model });
  if (effort === undefined) return {};
  await requests.request("apply_flag_settings", { settings: { effortLevel: effort } });
  return { note: `Set effort to ${effort ?? "default"}` };
}

const AUTO = "default";

/** Null if nothing was chosen. */
export function modelPicker(given: ModelsToPick, options: ModelPickerOptions): Panel<PickedModel | null> {
  const { models, inForce } = given;
  const { keys, redraw, login } = options;
  const current = models.find(({ resolvedModel }) => resolvedModel === inForce.model);
  let effort = inForce.effort ?? AUTO;
  let providers: readonly ListedProvider[] | undefined;
  let problem: string | undefined;
  given.requests
    .request("list_models", { providers: true })
    .then(
      (reply) => (providers = reply.providers ?? []),
      (error: unknown) => {
        providers = [];
        problem = error instanceof Error ? error.message : String(error);
      },
    )
    .finally(redraw);

  const sessionEntries = models.map((each): ListEntry => ({
    id: `session ${each.value}`,
    label: each === current ? `${each.displayName} (current)` : each.displayName,
    value: each.resolvedModel ?? each.value,
    about: each.description,
  }));
  const levelsOf = (entry: ListEntry | undefined): readonly string[] => {
    const levels = models.find(({ value }) => entry?.id === `session ${value}`)?.supportedEffortLevels ?? [];
    return levels.length === 0 ? [] : [AUTO, ...levels];
  };
  const choose = (model: string | undefined, entry: ListEntry): Done<PickedModel> => {
    const sets = effort !== (inForce.effort ?? AUTO) && levelsOf(entry).includes(effort);
    return {
      value: {
        ...(model === undefined ? {} : { model }),
        ...(sets ? { effort: effort === AUTO ? null : effort } : {}),
      },
    };
  };

  return new ListPanel<PickedModel | null>({
    title: "Model",
    keys,
    contexts: ["ModelPicker"],
    searches: true,
    // The conversation may go to another company, so a name that was typed ahead chooses none.
    harmless: false,
    entries: () => [...sessionEntries, ...(providers ?? []).flatMap((each) => entriesOf(each, inForce.model))],
    typed: (text) => ({ id: `typed ${text}`, label: `Use "${text}"`, value: "as it is written" }),
    empty: () => "No models",
    accept(entry) {
      const [kind, name = ""] = split(entry.id);
      if (kind === "missing") return void login(name);
      if (kind === "session") return choose(name === current?.value ? undefined : name, entry);
      return choose(name === inForce.model ? undefined : name, entry);
    },
    act(action, entry) {
      const levels = levelsOf(entry);
      const step = action === "modelPicker:increaseEffort" ? 1 : action === "modelPicker:decreaseEffort" ? -1 : 0;
      if (levels.length === 0 || step === 0) return;
      const at = Math.max(0, levels.indexOf(effort)) + step;
      effort = levels[Math.max(0, Math.min(levels.length - 1, at))]!;
    },
    closed: () => null,
    hints: (entry) => [
      { action: "select:accept", does: entry?.id.startsWith("missing ") ? "log in" : "use" },
      ...(levelsOf(entry).length === 0
        ? []
        : [
            { action: "modelPicker:decreaseEffort", does: "less effort" },
            { action: "modelPicker:increaseEffort", does: "more" },
          ]),
    ],
    status(entry) {
      if (problem !== undefined) return { text: cleanRow(problem), style: "error" };
      const levels = levelsOf(entry);
      const shown = levels.map((level) => (level === effort ? `[${level}]` : level)).join(" ");
      const waits = providers === undefined ? "Asking the providers for their models…" : "";
      const text = [...(levels.length === 0 ? [] : [`Effort: ${shown}`]), ...(waits === "" ? [] : [waits])].join(" · ");
      return text === "" ? undefined : { text, style: "dim" };
    },
  });
}

function split(id: string): readonly [kind: string, name: string] {
  const at = id.indexOf(" ");
  return [id.slice(0, at), id.slice(at + 1)];
}

/** Its models, or why it has none. */
function entriesOf({ provider, title, credentials, missing, problem, models }: ListedProvider, inForce: string) {
  if (missing !== undefined || problem !== undefined) {
    const why = missing ?? problem!;
    return [
      {
        id: `missing ${provider}`,
        label: provider,
        value: why,
        valueStyle: missing === undefined ? "error" : "dim",
        about: `${title} · ${why}`,
      } as const,
    ];
  }
  const source = credentials === "keychain" ? "stored key" : (credentials ?? "no key");
  return models.map((model): ListEntry => {
    const name = provider === "anthropic" ? model.id : `${provider}/${model.id}`;
    const facts = [...windowOf(model), ...priceOf(model), source];
    return {
      id: `model ${name}`,
      label: name === inForce ? `${name} (current)` : name,
      value: facts.join(" · "),
      about: `${title} · key: ${source}`,
    };
  });
}

const windowOf = ({ contextWindow }: ProviderModel) => (contextWindow === null ? [] : [shortCount(contextWindow)]);

const priceOf = ({ price }: ProviderModel) =>
  price === null ? [] : [`$${Number(price.input.toPrecision(4))} in, $${Number(price.output.toPrecision(4))} out`];
