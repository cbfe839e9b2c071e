// What an editor lets the user choose in a session: mode, model and effort. Pure.

import type { PermissionMode, ReplyTo } from "@keelson/protocol";
import type { SessionConfigOption, SessionModeState } from "../schema/types.ts";

/** What of a session the choices follow from. */
export interface ChoiceFacts {
  readonly mode: PermissionMode;
  /** Those that the session may switch to. */
  readonly modes: readonly PermissionMode[];
  /** As the model list names it; the first one that is the session's model if absent. */
  readonly chosenModel?: string | undefined;
  readonly modelId: string;
  readonly effort: string | null;
  readonly models: ReplyTo<"list_models">["models"];
}

export type ChoiceId = "mode" | "model" | "effort";

const MODE_TEXTS: Readonly<Record<PermissionMode, readonly [name: string, description: string]>> = {
  default: ["Default", "Ask before anything that is not allowed"],
  acceptEdits: ["Accept edits", "Edit files without asking"],
  plan: ["Plan", "Read and plan; change nothing"],
  auto: ["Auto", "Ask only about what looks risky"],
  dontAsk: ["Don't ask", "Deny what is not allowed, without asking"],
  bypassPermissions: ["Bypass permissions", "Run everything without asking"],
};

const MODES: readonly PermissionMode[] = ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"];

/** What the flags and the settings allow; the one that it has can always be shown. */
const offeredModes = ({ mode, modes }: ChoiceFacts) => MODES.filter((each) => each === mode || modes.includes(each));

export function modeState(facts: ChoiceFacts): SessionModeState {
  const availableModes = offeredModes(facts).map((id) => ({
    id,
    name: MODE_TEXTS[id][0],
    description: MODE_TEXTS[id][1],
  }));
  return { currentModeId: facts.mode, availableModes };
}

export function configOptions(facts: ChoiceFacts): readonly SessionConfigOption[] {
  const { mode, effort, models } = facts;
  const model = currentModel(facts);
  const levels = model?.supportedEffortLevels ?? [];
  const select = (id: ChoiceId, name: string, currentValue: string) =>
    ({ type: "select", id, name, currentValue }) as const;
  return [
    {
      ...select("mode", "Mode", mode),
      category: "mode",
      options: offeredModes(facts).map((value) => ({
        value,
        name: MODE_TEXTS[value][0],
        description: MODE_TEXTS[value][1],
      })),
    },
    ...(model === undefined
      ? []
      : [
          {
            ...select("model", "Model", model.value),
            category: "model" as const,
            options: models.map(({ value, displayName: name, description }) => ({ value, name, description })),
          },
        ]),
    ...(effort === null || !levels.some((level) => level === effort)
      ? []
      : [
          {
            ...select("effort", "Effort", effort),
            category: "thought_level" as const,
            options: levels.map((value) => ({ value, name: value.charAt(0).toUpperCase() + value.slice(1) })),
          },
        ]),
  ];
}

/** The values that may be set. */
export const offeredValues = (facts: ChoiceFacts, id: string): readonly string[] =>
  configOptions(facts).flatMap((option) =>
    option.id === id && option.type === "select" ? option.options.map(({ value }) => value) : [],
  );

function currentModel({ chosenModel, modelId, models }: ChoiceFacts) {
  const isCurrent = ({ resolvedModel }: (typeof models)[number]) => resolvedModel === modelId;
  return models.find((model) => model.value === chosenModel && isCurrent(model)) ?? models.find(isCurrent);
}
