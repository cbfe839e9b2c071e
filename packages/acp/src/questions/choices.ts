// Questions of the model with answers to choose from: one form where the editor shows forms; otherwise one after the other,
// each as a choice, and where several may be chosen, again and again until the user is done.

import { isObject, type JsonObject } from "@keelson/protocol";
import type { PermissionOption, QuestionForm } from "../schema/types.ts";
import { textContent } from "../updates/call-content.ts";
import { callFields, inputOf, textAt, type AskedCall } from "./asked-call.ts";
import { choiceQuestion, type QuestionStep, type QuestionContext } from "./question.ts";

interface Choice {
  readonly label: string;
  readonly description: string;
}

interface OpenQuestion {
  readonly question: string;
  readonly header: string;
  readonly choices: readonly Choice[];
  readonly several: boolean;
}

const UNANSWERED: JsonObject = {
  behavior: "deny",
  message: "The user did not answer the questions. Do not assume an answer.",
};

/** Undefined if the input has no questions that can be shown. */
export function choicesQuestion(request: AskedCall, context: QuestionContext): QuestionStep | undefined {
  const questions = readQuestions(inputOf(request)["questions"]);
  if (questions === undefined) return undefined;
  return isObject(context.capabilities.elicitation?.form)
    ? askForm(request, questions, context)
    : askOneByOne(request, questions, context, []);
}

function readQuestions(value: unknown): readonly OpenQuestion[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const read = (value as unknown[]).map((each): OpenQuestion | undefined => {
    if (!isObject(each) || !Array.isArray(each["options"])) return undefined;
    const question = textAt(each, "question");
    const choices = (each["options"] as unknown[]).filter(isObject).flatMap((option) => {
      const label = textAt(option, "label");
      return label === undefined ? [] : [{ label, description: textAt(option, "description") ?? "" }];
    });
    if (question === undefined || choices.length === 0) return undefined;
    return { question, header: textAt(each, "header") ?? "", choices, several: each["multiSelect"] === true };
  });
  return read.every((each) => each !== undefined) ? read : undefined;
}

/** The answers by question; a question without one is left out. */
function answered(
  request: AskedCall,
  questions: readonly OpenQuestion[],
  given: readonly (readonly string[])[],
): JsonObject {
  const answers = questions.flatMap(({ question }, index): [string, string][] => {
    const texts = given[index] ?? [];
    return texts.length === 0 ? [] : [[question, texts.join(", ")]];
  });
  if (answers.length === 0) return UNANSWERED;
  return { behavior: "allow", updatedInput: { ...inputOf(request), answers: Object.fromEntries(answers) } };
}

function askForm(request: AskedCall, questions: readonly OpenQuestion[], { sessionId }: QuestionContext): QuestionStep {
  const toolCallId = textAt(request, "tool_use_id");
  const properties = questions.flatMap(({ question, header, choices, several }, index) => {
    const titles = choices.map(({ label, description }) => ({
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
        ...(toolCallId === undefined ? {} : { toolCallId }),
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
        return { reply: given.includes(undefined) ? UNANSWERED : answered(request, questions, given as string[][]) };
      },
    },
  };
}

const OWN_WORDS = "In your own words, instead of a choice or beside it";

function formAnswer({ choices, several }: OpenQuestion, value: unknown, own: unknown): readonly string[] | undefined {
  const chosen: unknown[] =
    value === undefined || value === null || value === "" ? [] : several && Array.isArray(value) ? value : [value];
  const labels = chosen.map((each) => choices.find(({ label }) => label === each)?.label);
  const isOdd = labels.includes(undefined) || (own !== undefined && own !== null && typeof own !== "string");
  if (isOdd) return undefined;
  const words = typeof own === "string" && own.trim() !== "" ? [own.trim()] : [];
  return [...labels.filter((label) => label !== undefined), ...words];
}

/** `given`: to the questions before; the last list may be of a question that is still open. */
function askOneByOne(
  request: AskedCall,
  questions: readonly OpenQuestion[],
  context: QuestionContext,
  given: readonly (readonly string[])[],
  chosen: readonly string[] = [],
): QuestionStep {
  const asked = questions[given.length];
  if (asked === undefined) return { reply: answered(request, questions, given) };
  const next = (texts: readonly string[]) => askOneByOne(request, questions, context, [...given, texts]);
  const rest = asked.choices.filter(({ label }) => !chosen.includes(label));
  if (asked.several && rest.length === 0) return next(chosen);
  const options: readonly PermissionOption[] = [
    ...rest.map(({ label }) => ({
      optionId: `choice_${asked.choices.findIndex((choice) => choice.label === label)}`,
      name: label,
      kind: "allow_once" as const,
    })),
    ...(chosen.length > 0 ? [{ optionId: "done", name: "Done", kind: "allow_once" as const }] : []),
    { optionId: "no_answer", name: "No answer", kind: "reject_once" as const },
  ];
  const fields = callFields(request, context, [textContent(questionText(asked, chosen))]);
  const toolCall = { ...fields, title: asked.question };
  const ask = choiceQuestion({ sessionId: context.sessionId, toolCall, options }, (option) => {
    if (option === undefined || option.optionId === "no_answer") return { reply: UNANSWERED };
    if (option.optionId === "done") return next(chosen);
    const all = [...chosen, option.name];
    return asked.several ? askOneByOne(request, questions, context, given, all) : next(all);
  });
  return { ask };
}

function questionText({ question, choices, several }: OpenQuestion, chosen: readonly string[]): string {
  const list = choices.map(
    ({ label, description }, index) =>
      `${index + 1}. ${label}${chosen.includes(label) ? " ✓" : ""}${description === "" ? "" : `: ${description}`}`,
  );
  return [question, list.join("\n"), ...(several ? ["Several may be chosen, one after the other."] : [])].join("\n\n");
}
