// Questions of the model with answers to choose from: one form where the editor shows forms; otherwise one after the other,
// each as a choice, and where several may be chosen, again and again until the user is done.

import { readQuestions, withAnswers, type AskedQuestion, type PermissionAsk } from "@keelson/client";
import { isList, isObject, type JsonObject } from "@keelson/protocol";
import type { PermissionOption, QuestionForm } from "../schema/types.ts";
import { textContent } from "../updates/call-content.ts";
import { callFields } from "./asked-call.ts";
import { choiceQuestion, type QuestionStep, type QuestionContext } from "./question.ts";

const UNANSWERED: JsonObject = {
  behavior: "deny",
  message: "The user did not answer the questions. Do not assume an answer.",
};

/** Undefined if the input has no questions that can be shown. */
export function choicesQuestion(call: PermissionAsk, context: QuestionContext): QuestionStep | undefined {
  const questions = readQuestions(call.input);
  if (questions === undefined || questions.some(({ options }) => options.length === 0)) return undefined;
  return isObject(context.capabilities.elicitation?.form)
    ? askForm(call, questions, context)
    : askOneByOne(call, questions, context, []);
}

function answered(
  { input }: PermissionAsk,
  questions: readonly AskedQuestion[],
  given: readonly (readonly string[])[],
): QuestionStep {
  if (given.every((texts) => texts.length === 0)) return { reply: UNANSWERED };
  const answers = given.map((texts) => ({ texts }));
  return { reply: { behavior: "allow", updatedInput: withAnswers(input, questions, answers) } };
}

function askForm(
  call: PermissionAsk,
  questions: readonly AskedQuestion[],
  { sessionId }: QuestionContext,
): QuestionStep {
  const properties = questions.flatMap(({ question, header, options, several }, index) => {
    const titles = options.map(({ label, description }) => ({
      const: label,
      title: label,
      ...(description === "" ? {} : { description }),
    }));
    const about = { title: header || question, description: question };
    const field: QuestionForm["properties"][string] = several
      ? { type: "array", ...about, items: { anyOf: titles } }
      : { type: "string", ...about, oneOf: titles };
    const other = { type: "string" as const, title: `${header || question}: something else`, description: OWN_WORDS };
    return [
      [`question_${index}`, field],
      [`other_${index}`, other],
    ] as const;
  });
  return {
    ask: {
      method: "elicitation/create",
      params: {
        sessionId,
        ...(call.id === "" ? {} : { toolCallId: call.id }),
        mode: "form",
        message: questions.map(({ question }) => question).join("\n"),
        requestedSchema: { type: "object", properties: Object.fromEntries(properties) },
      },
      answer(result) {
        const isAccepted = isObject(result) && result["action"] === "accept";
        const content = isAccepted && isObject(result["content"]) ? result["content"] : undefined;
        if (content === undefined) return { reply: UNANSWERED };
        const given = questions.map((each, index) =>
          formAnswer(each, content[`question_${index}`], content[`other_${index}`]),
        );
        // If one answer was not offered, none of them counts.
        const isWhole = given.every((each) => each !== undefined);
        return isWhole ? answered(call, questions, given) : { reply: UNANSWERED };
      },
    },
  };
}

const OWN_WORDS = "In your own words, instead of a choice or beside it";

function formAnswer({ options, several }: AskedQuestion, value: unknown, own: unknown): readonly string[] | undefined {
  const chosen: readonly unknown[] =
    value === undefined || value === null || value === "" ? [] : several && isList(value) ? value : [value];
  const labels = chosen.map((each) => options.find(({ label }) => label === each)?.label);
  const isOdd = labels.includes(undefined) || (own !== undefined && own !== null && typeof own !== "string");
  if (isOdd) return undefined;
  const words = typeof own === "string" && own.trim() !== "" ? [own.trim()] : [];
  return [...labels.filter((label) => label !== undefined), ...words];
}

/** `given`: to the questions before; the last list may be of a question that is still open. */
function askOneByOne(
  call: PermissionAsk,
  questions: readonly AskedQuestion[],
  context: QuestionContext,
  given: readonly (readonly string[])[],
  chosen: readonly string[] = [],
): QuestionStep {
  const asked = questions[given.length];
  if (asked === undefined) return answered(call, questions, given);
  const next = (texts: readonly string[]) => askOneByOne(call, questions, context, [...given, texts]);
  const rest = asked.options.filter(({ label }) => !chosen.includes(label));
  if (asked.several && rest.length === 0) return next(chosen);
  const options: readonly PermissionOption[] = [
    ...rest.map(({ label }) => ({
      optionId: `choice_${asked.options.findIndex((option) => option.label === label)}`,
      name: label,
      kind: "allow_once" as const,
    })),
    ...(chosen.length > 0 ? [{ optionId: "done", name: "Done", kind: "allow_once" as const }] : []),
    { optionId: "no_answer", name: "No answer", kind: "reject_once" as const },
  ];
  const fields = callFields(call, context, [textContent(questionText(asked, chosen))]);
  const toolCall = { ...fields, title: asked.question };
  const ask = choiceQuestion({ sessionId: context.sessionId, toolCall, options }, (option) => {
    if (option === undefined || option.optionId === "no_answer") return { reply: UNANSWERED };
    if (option.optionId === "done") return next(chosen);
    const all = [...chosen, option.name];
    return asked.several ? askOneByOne(call, questions, context, given, all) : next(all);
  });
  return { ask };
}

function questionText({ question, options, several }: AskedQuestion, chosen: readonly string[]): string {
  const list = options.map(
    ({ label, description }, index) =>
      `${index + 1}. ${label}${chosen.includes(label) ? " ✓" : ""}${description === "" ? "" : `: ${description}`}`,
  );
  return [question, list.join("\n"), ...(several ? ["Several may be chosen, one after the other."] : [])].join("\n\n");
}
