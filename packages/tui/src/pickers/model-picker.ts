// Choosing a model and how much effort it makes: Up and Down for the model, Left and Right for the effort.

import type { ReplyTo } from "@keelson/protocol";
import type { InputEvent } from "../input/event.ts";
import { panelKeys, typedText } from "../panels/panel-keys.ts";
import { cleanRow } from "../screen/clean.ts";
import { fit, width } from "../screen/rows.ts";
import type { Done, Frame, Panel, Rendered } from "../screen/view.ts";
import type { Requests } from "@keelson/client";
import { headingRow, hintRows } from "../widgets/heading.ts";
import type { KeyLookup } from "../widgets/key-lookup.ts";
import { TextField } from "../widgets/text-field.ts";
import { ChoiceList } from "./choice-rows.ts";

/** A row of `list_models`. */
export type ModelOption = ReplyTo<"list_models">["models"][number];
export type ModelInForce = ReplyTo<"get_settings">["applied"];

export interface PickedModel {
  /** For `set_model`; undefined if the model stays. */
  readonly model?: string;
  /** Null for the model's own default; undefined if the effort stays. */
  readonly effort?: string | null;
}

export function modelPicker(
  models: readonly ModelOption[],
  inForce: ModelInForce,
  options: { readonly keys: KeyLookup },
): Panel<PickedModel | null> {
  return new ModelPicker(models, inForce, panelKeys(options.keys));
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

class ModelPicker implements Panel<PickedModel | null> {
  readonly #models: readonly ModelOption[];
  readonly #inForce: ModelInForce;
  readonly #keys: KeyLookup;
  readonly #list: ChoiceList;
  readonly #current: number;
  readonly #other = new TextField();
  #effort: string;
  #effortChanged = false;

  constructor(models: readonly ModelOption[], inForce: ModelInForce, keys: KeyLookup) {
    this.#models = models;
    this.#inForce = inForce;
    this.#keys = keys;
    this.#current = models.findIndex(({ resolvedModel }) => resolvedModel === inForce.model);
    this.#list = new ChoiceList(Math.max(0, this.#current));
    this.#effort = inForce.effort ?? AUTO;
  }

  take(event: InputEvent): Done<PickedModel | null> | undefined {
    const isOther = this.#list.selected === this.#models.length;
    if (event.kind === "paste" && isOther) this.#other.take(event);
    if (event.kind !== "key") return undefined;
    if (isOther && (typedText(event) !== undefined || EDITING.has(event.name))) {
      this.#other.take(event);
      return undefined;
    }
    const action = this.#keys.action(event, ["ModelPicker"]);
    if (action === "modelPicker:decreaseEffort" || action === "modelPicker:increaseEffort") {
      this.#changeEffort(action === "modelPicker:increaseEffort" ? 1 : -1);
      return undefined;
    }
    const { selected } = this.#list;
    const end = this.#list.take(event, this.#models.length + 1, this.#keys);
    // A digit does not open the field for a name: the rest of a text would be the name.
    if (typedText(event) !== undefined && this.#list.selected === this.#models.length) this.#list.selected = selected;
    if (end === "cancel") return { value: null };
    return end === "accept" ? this.#choose() : undefined;
  }

  #choose(): Done<PickedModel | null> | undefined {
    const model = this.#models[this.#list.selected];
    const name = model?.value ?? this.#other.text.trim();
    if (name === "") return undefined;
    const isSame = model !== undefined && this.#list.selected === this.#current;
    const levels = this.#levels();
    const setsEffort = this.#effortChanged && levels.includes(this.#effort);
    return {
      value: {
        ...(isSame ? {} : { model: name }),
        ...(setsEffort ? { effort: this.#effort === AUTO ? null : this.#effort } : {}),
      },
    };
  }

  /** Of the marked model, the default first. Empty if it has none. */
  #levels(): readonly string[] {
    const levels = this.#models[this.#list.selected]?.supportedEffortLevels ?? [];
    return levels.length === 0 ? [] : [AUTO, ...levels];
  }

  #changeEffort(step: 1 | -1): void {
    const levels = this.#levels();
    if (levels.length === 0) return;
    const at = Math.max(0, levels.indexOf(this.#effort));
    this.#effort = levels[Math.max(0, Math.min(levels.length - 1, at + step))]!;
    this.#effortChanged = this.#effort !== (this.#inForce.effort ?? AUTO);
  }

  render({ columns, rows, theme }: Frame): Rendered {
    const choices = this.#models.map(({ displayName, description, resolvedModel }, index) => ({
      label: cleanRow(displayName),
      detail: cleanRow(`${resolvedModel} · ${description}`),
      isCurrent: index === this.#current,
    }));
    const isOther = this.#list.selected === this.#models.length;
    const levels = this.#levels();
    const shown = levels.map((level) =>
      level === this.#effort ? theme.paint("bold", `[${level}]`) : theme.paint("dim", level),
    );
    const at = Math.max(0, levels.indexOf(this.#effort));
    const all = `Effort: ${shown.join(" ")}`;
    const effort =
      levels.length === 0
        ? theme.paint("dim", "This model has no effort levels")
        : width(all) <= columns
          ? all
          : `Effort: ${theme.paint("bold", levels[at]!)} (${at + 1} of ${levels.length})`;
    const hints = hintRows(
      [
        { action: "select:accept", does: "use" },
        { action: "modelPicker:decreaseEffort", does: "less effort" },
        { action: "modelPicker:increaseEffort", does: "more effort" },
        { action: "select:cancel", does: "cancel" },
      ],
      columns,
      theme,
      this.#keys,
    ).slice(0, rows > 12 ? 2 : 1);
    const room = Math.max(1, rows - 2 - hints.length);
    const list = this.#list.render([...choices, { label: "Another model" }], { columns, rows: room, theme });
    const label = "Model id: ";
    const field = this.#other.render({
      columns: Math.max(2, columns - label.length),
      theme,
      placeholder: "provider/model",
    });
    const last = isOther ? label + (field.rows[0] ?? "") : fit(effort, columns);
    return {
      rows: [headingRow(columns, theme, { title: "Model" }), ...list, last, ...hints].slice(0, rows),
      ...(isOther
        ? { cursor: { row: Math.min(rows - 1, list.length + 1), column: label.length + (field.cursor?.column ?? 0) } }
        : {}),
    };
  }
}

const EDITING = new Set(["backspace", "delete", "left", "right"]);
