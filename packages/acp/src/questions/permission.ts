// Whether a call may run: yes, yes and each thing that may be remembered, no, no and stop.

import { isObject, type JsonObject } from "@keelson/protocol";
import type { PermissionOption } from "../schema/types.ts";
import { callFields, inputOf, shownRule, textAt, type AskedCall } from "./asked-call.ts";
import { choiceQuestion, type QuestionStep, type QuestionContext } from "./question.ts";

// Everything that an editor says and that is not clearly something else is a no.
const NO: JsonObject = { behavior: "deny", message: "The user did not allow this call." };

const NO_AND_STOP: JsonObject = {
  behavior: "deny",
  message: "The call was not made. Stop here and wait until the user says how to continue.",
  interrupt: true,
};

export function permissionQuestion(request: AskedCall, context: QuestionContext): QuestionStep {
  const remembered = rememberable(request);
  const options: readonly PermissionOption[] = [
    { optionId: "allow", name: "Yes", kind: "allow_once" },
    ...remembered.map(({ name }, index) => ({
      optionId: `allow_always_${index}`,
      name,
      kind: "allow_always" as const,
    })),
    { optionId: "reject", name: "No", kind: "reject_once" },
    { optionId: "reject_and_stop", name: "No, and stop", kind: "reject_once" },
  ];
  const params = { sessionId: context.sessionId, toolCall: callFields(request, context), options };
  const ask = choiceQuestion(params, (option) => {
    if (option === undefined || option.optionId === "reject") return { reply: NO };
    if (option.optionId === "reject_and_stop") return { reply: NO_AND_STOP };
    const always = remembered[options.indexOf(option) - 1];
    const updates = always === undefined ? {} : { updatedPermissions: [always.update] };
    return { reply: { behavior: "allow", updatedInput: inputOf(request), ...updates } };
  });
  return { ask };
}

interface Remembered {
  readonly name: string;
  readonly update: JsonObject;
}

/** One for each suggestion that allows something. It says what is allowed, until when, and where that is stored. */
function rememberable({
  permission_suggestions: some,
  suppress_always_allow_rule: none,
}: AskedCall): readonly Remembered[] {
  if (!Array.isArray(some) || none === true) return [];
  return (some as unknown[]).filter(isObject).flatMap((update) => {
    const what = allowed(update);
    return what === undefined
      ? []
      : [{ name: `Yes, and allow ${what} ${until(update)}`, update: update as JsonObject }];
  });
}

function allowed({ type, rules, behavior, directories, mode }: Record<string, unknown>): string | undefined {
  if (type === "setMode")
    return mode === "acceptEdits"
      ? "all edits"
      : typeof mode === "string"
        ? `everything that mode ${mode} allows`
        : undefined;
  if (type === "addDirectories") return areTexts(directories) ? `access to ${directories.join(", ")}` : undefined;
  if (type !== "addRules" || behavior !== "allow" || !Array.isArray(rules) || rules.length === 0) return undefined;
  const texts = (rules as unknown[]).map((rule) => {
    const tool = isObject(rule) ? textAt(rule, "toolName") : undefined;
    return tool === undefined ? undefined : shownRule(tool, textAt(rule as object, "ruleContent"));
  });
  return texts.includes(undefined) ? undefined : texts.join(", ");
}

const areTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string");

const FILES: Readonly<Record<string, string>> = {
  localSettings: ".claude/settings.local.json",
  projectSettings: ".claude/settings.json",
  userSettings: "~/.claude/settings.json",
};

function until({ destination }: Record<string, unknown>): string {
  const file = typeof destination === "string" && Object.hasOwn(FILES, destination) ? FILES[destination] : undefined;
  return file === undefined ? "until this session ends (nothing is saved)" : `from now on (saved in ${file})`;
}
