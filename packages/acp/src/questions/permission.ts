// Whether a call may run: yes, yes and each thing that may be remembered, no, no and stop.

import { allowedBy, savedIn, type PermissionAsk } from "@keelson/client/permission-ask";
import type { JsonObject, PermissionUpdate } from "@keelson/protocol";
import type { PermissionOption } from "../schema/types.ts";
import { callFields } from "./asked-call.ts";
import { choiceQuestion, type QuestionStep, type QuestionContext } from "./question.ts";

// Everything that an editor says and that is not clearly something else is a no.
const NO: JsonObject = { behavior: "deny", message: "The user did not allow this call." };

const NO_AND_STOP: JsonObject = {
  behavior: "deny",
  message: "The call was not made. Stop here and wait until the user says how to continue.",
  interrupt: true,
};

export function permissionQuestion(asked: PermissionAsk, context: QuestionContext): QuestionStep {
  const { input, suggestions } = asked;
  const options: readonly PermissionOption[] = [
    { optionId: "allow", name: "Yes", kind: "allow_once" },
    ...suggestions.map((update, index) => ({
      optionId: `allow_always_${index}`,
      name: alwaysName(update),
      kind: "allow_always" as const,
    })),
    { optionId: "reject", name: "No", kind: "reject_once" },
    { optionId: "reject_and_stop", name: "No, and stop", kind: "reject_once" },
  ];
  const params = { sessionId: context.sessionId, toolCall: callFields(asked, context), options };
  const ask = choiceQuestion(params, (option) => {
    if (option === undefined || option.optionId === "reject") return { reply: NO };
    if (option.optionId === "reject_and_stop") return { reply: NO_AND_STOP };
    const always = suggestions[options.indexOf(option) - 1];
    const updates = always === undefined ? {} : { updatedPermissions: [always] };
    return { reply: { behavior: "allow", updatedInput: input, ...updates } };
  });
  return { ask };
}

/** It says what is allowed, until when, and where that is stored. */
function alwaysName(update: PermissionUpdate): string {
  const file = savedIn(update);
  const until = file === undefined ? "until this session ends (nothing is saved)" : `from now on (saved in ${file})`;
  return `Yes, and allow ${allowedBy(update)} ${until}`;
}
