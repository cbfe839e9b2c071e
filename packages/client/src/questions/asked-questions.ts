// The input of AskUserQuestion, read, and the answers to it.

import { isList, isObject, type JsonObject } from "@keelson/protocol";

export interface QuestionOption {
  readonly label: string;
  readonly description: string;
  readonly preview?: string;
}

export interface AskedQuestion {
  readonly question: string;
  readonly header: string;
  readonly options: readonly QuestionOption[];
  readonly several: boolean;
}

/** What was answered to one question. */
export interface GivenAnswer {
  /** Labels of options and the user's own words. */
  readonly texts: readonly string[];
  readonly notes?: string;
  readonly preview?: string;
}

/** Undefined if it is not what the tool sends. */
export function readQuestions({ questions }: JsonObject): readonly AskedQuestion[] | undefined {
  if (!isList(questions) || questions.length === 0) return undefined;
  const read = questions.map(readQuestion);
  return read.every((each) => each !== undefined) ? read : undefined;
}

/** The input with the answers; questions without one are left out. */
export function withAnswers(
  input: JsonObject,
  questions: readonly AskedQuestion[],
  given: readonly (GivenAnswer | undefined)[],
): JsonObject {
  const answers: Record<string, string> = {};
  const annotations: Record<string, JsonObject> = {};
  questions.forEach(({ question }, index) => {
    const { texts, notes, preview } = given[index] ?? { texts: [] };
    if (texts.length === 0) return;
    answers[question] = texts.join(", ");
    if (notes || preview) annotations[question] = { ...(preview ? { preview } : {}), ...(notes ? { notes } : {}) };
  });
  return { ...input, answers, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) };
}

function readQuestion(value: unknown): AskedQuestion | undefined {
  if (!isObject(value)) return undefined;
  const { question, header, options, multiSelect } = value;
  if (typeof question !== "string" || !isList(options)) return undefined;
  const read = options.map(readOption);
  if (!read.every((each) => each !== undefined)) return undefined;
  return { question, header: typeof header === "string" ? header : "", options: read, several: multiSelect === true };
}

function readOption(value: unknown): QuestionOption | undefined {
  if (!isObject(value)) return undefined;
  const { label, description, preview } = value;
  if (typeof label !== "string") return undefined;
  return {
    label,
    description: typeof description === "string" ? description : "",
    ...(typeof preview === "string" && preview.trim() !== "" ? { preview } : {}),
  };
}
