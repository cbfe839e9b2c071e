// AskUserQuestion: multiple-choice questions for the user. The client or a hook adds the answers to the input; this
// tool only validates the questions and passes the answers on.

import {
  array,
  boolean,
  defineTool,
  item,
  object,
  optional,
  string,
  ToolError,
  type Infer,
  type Schema,
  type Tool,
} from "@keelson/engine";
import { isObject } from "@keelson/protocol";
import description from "./ask-user.md" with { type: "text" };

const option = (preview: string) =>
  item({
    label: string("The text of the choice: one to five words", { minLength: 1 }),
    description: string("What this choice means"),
    preview: optional(string(preview)),
  });

const question = (preview: string) =>
  item({
    question: string("The complete question, ending with a question mark", { minLength: 1 }),
    header: string("A word or two shown above the question"),
    options: array(option(preview), "Two to four mutually exclusive answers", { minItems: 2, maxItems: 4 }),
    multiSelect: boolean("Whether several options may be chosen", { default: false }),
  });

type Question = Infer<ReturnType<typeof question>>;

export interface Annotation {
  readonly preview?: string;
  readonly notes?: string;
}

export interface AskUserInput {
  readonly questions: readonly Question[];
  readonly answers?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, Annotation>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface AskUserOutput {
  readonly questions: readonly Question[];
  readonly answers: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, Annotation>>;
}

/** `preview` is the format a client can show for the preview of an option. */
export function askUserTool(options: { readonly preview: "markdown" | "html" }): Tool<AskUserInput, AskUserOutput> {
  const preview = `A preview of this choice (a mockup, a snippet) as ${options.preview === "html" ? "an HTML fragment" : "Markdown"}; only where it helps`;
  return defineTool<AskUserInput, AskUserOutput>({
    name: "AskUserQuestion",
    description,
    input: object({
      questions: array(question(preview), "One to four questions", { minItems: 1, maxItems: 4 }),
      answers: optional(mapOf({ type: "string" }, "Filled in by the user; omit it")),
      annotations: optional(mapOf({ type: "object" }, "Filled in by the user; omit it")),
      metadata: optional(mapOf({}, "Not shown to the user; omit it")),
    }) as Schema<AskUserInput>,

    repair(input) {
      // Clients send several choices as a list.
      const { answers } = input;
      if (!isObject(answers)) return input;
      const texts = Object.entries(answers).map(([key, value]) => [
        key,
        Array.isArray(value) ? value.join(", ") : value,
      ]);
      return { ...input, answers: Object.fromEntries(texts) };
    },

    // Runs on the model's input only; hooks and people add their answers later.
    check({ questions, answers = {}, annotations = {} }) {
      if (!areUnique(questions)) throw new ToolError(NOT_UNIQUE);
      if (Object.keys({ ...answers, ...annotations }).length > 0) {
        throw new ToolError("Only the user can answer: call it again without answers and annotations.");
      }
    },

    describe: () => ({ title: "", name: "Question" }),
    access: () => ({ kind: "person" }),

    async run({ questions, answers = {}, annotations }) {
      return { questions, answers, ...(annotations === undefined ? {} : { annotations }) };
    },

    show({ answers, annotations = {} }) {
      const given = Object.entries(answers);
      if (given.length === 0) return "The user did not answer the questions.";
      const texts = given.map(
        ([question, answer]) => `"${question}"="${answer}"${annotationText(annotations[question])}`,
      );
      return `Your questions have been answered: ${texts.join(", ")}. You can now continue with these answers in mind.`;
    },

    // Previews are the model's.
    answer({ answers, annotations = {} }) {
      const note = (question: string) => annotationText({ notes: annotations[question]?.notes ?? "" });
      return Object.entries(answers)
        .map(([question, answer]) => `"${question}"="${answer}"${note(question)}`)
        .join(", ");
    },
  });
}

const NOT_UNIQUE = "Question texts must be unique, option labels must be unique within each question";

function areUnique(questions: readonly Question[]): boolean {
  const distinct = (texts: readonly string[]) => new Set(texts).size === texts.length;
  return (
    distinct(questions.map((each) => each.question)) &&
    questions.every(({ options }) => distinct(options.map(({ label }) => label)))
  );
}

function annotationText({ preview, notes }: Annotation = {}): string {
  return `${notes ? ` (user's note: ${notes})` : ""}${preview ? ` (chosen preview:\n${preview}\n)` : ""}`;
}

/** An object with any keys and values of this type. */
function mapOf(values: { readonly type?: string }, about: string): Schema<Record<string, unknown>> {
  return { json: { description: about, type: "object", additionalProperties: values } };
}
