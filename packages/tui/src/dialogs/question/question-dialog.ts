// Questions of the model to the user. One question with one answer is answered by choosing; several, or one with several
// answers, are tabs with a review at the end.

import { readQuestions, withAnswers, type PermissionAsk } from "@keelson/client";
import type { InputEvent, Key } from "../../input/event.ts";
import { cleanRow } from "../../screen/clean.ts";
import { wrap } from "../../screen/rows.ts";
import type { Done, Frame, Panel, Rendered } from "../../screen/view.ts";
import { headingRow, hintRows, type Hint } from "../../widgets/heading.ts";
import { isDigit } from "../../keys/deliberate.ts";
import { typesText } from "../../widgets/key-lookup.ts";
import { ScrollText } from "../../widgets/scroll-text.ts";
import { SelectList } from "../../widgets/select-list.ts";
import { stacked } from "../../widgets/stacked.ts";
import { tabsRow } from "../../widgets/tabs-row.ts";
import { plainNo, reply, type DialogAnswer, type DialogContext } from "../dialog-context.ts";
import { askedBy } from "../permission/permission-dialog.ts";
import { showRow } from "../visible.ts";
import { QuestionPage } from "./question-page.ts";

/** Undefined if the input has no questions that can be shown. */
export function questionDialog(ask: PermissionAsk, context: DialogContext): Panel<DialogAnswer> | undefined {
  const questions = readQuestions(ask.input);
  return (
    questions &&
    new QuestionPanel(
      ask,
      questions.map((asked) => new QuestionPage(asked, context)),
      context,
    )
  );
}

class QuestionPanel implements Panel<DialogAnswer> {
  readonly #ask: PermissionAsk;
  readonly #pages: readonly QuestionPage[];
  readonly #context: DialogContext;
  readonly #review: SelectList<"submit" | "cancel">;
  readonly #summary: ScrollText;
  readonly #hasTabs: boolean;
  #tab = 0;

  constructor(ask: PermissionAsk, pages: readonly QuestionPage[], context: DialogContext) {
    this.#ask = ask;
    this.#pages = pages;
    this.#context = context;
    this.#hasTabs = pages.length > 1 || pages[0]!.asked.several;
    this.#review = new SelectList(REVIEW, { keys: context.keys, harmless: true });
    this.#summary = new ScrollText((columns, theme) => this.#summaryRows(columns, theme), context.keys);
  }

  take(event: InputEvent): Done<DialogAnswer> | undefined {
    const page = this.#pages[this.#tab];
    if (event.kind === "key" && !typesText(event)) {
      const contexts = this.#hasTabs ? ["Tabs", "Confirmation", "Global"] : ["Confirmation", "Global"];
      const action = this.#context.keys.action(event, contexts);
      if (action === "app:interrupt") return { value: plainNo() };
      if (action === "confirm:no") return page?.closeField() ? undefined : { value: plainNo() };
      // In a text field, arrows move the cursor, unless there is nothing to move in.
      const moves = !page?.isWriting || page.writing === "" || event.name === "tab";
      if (moves && (action === "tabs:next" || action === "tabs:previous"))
        return void this.#turn(action === "tabs:next" ? 1 : -1);
      if (page ? page.scroll(event) : this.#summary.take(event)) return undefined;
    }
    return page ? this.#takePage(page, event) : this.#takeReview(event);
  }

  render(frame: Frame): Rendered {
    const { columns, theme } = frame;
    const { keys, plain } = this.#context;
    const page = this.#pages[this.#tab];
    const title = this.#hasTabs || this.#title(0) === "" ? "Questions" : this.#title(0);
    const head = [headingRow(columns, theme, { title, plain, ...askedBy(this.#ask) })];
    if (this.#hasTabs) head.push(tabsRow(this.#tabs(), this.#tab, columns, theme));
    return stacked(frame, {
      head,
      body: page ? page.text : this.#summary,
      question: page ? [] : wrap(theme.paint("bold", this.#reviewQuestion()), columns),
      list: (rows) => (page ?? this.#review).render({ ...frame, rows }),
      foot: hintRows(this.#hints(page), columns, theme, keys),
    });
  }

  #takePage(page: QuestionPage, event: InputEvent): Done<DialogAnswer> | undefined {
    const taken = page.take(event);
    if (taken === "talk") return { value: reply({ behavior: "deny", message: this.#talk() }) };
    if (taken !== "answered") return undefined;
    if (!this.#hasTabs) return { value: this.#answer() };
    return void this.#turn(1);
  }

  #takeReview(event: InputEvent): Done<DialogAnswer> | undefined {
    // A text is an answer to the last question, in the user's own words.
    if (event.kind === "paste" || (typesText(event) && !isDigit(event as Key))) {
      this.#turn(-1);
      return this.#takePage(this.#pages[this.#tab]!, event);
    }
    const chosen = this.#review.take(event);
    if (!chosen) return undefined;
    return { value: chosen.value === "submit" ? this.#answer() : plainNo() };
  }

  #turn(by: 1 | -1): void {
    this.#pages[this.#tab]?.closeField();
    this.#tab = Math.max(0, Math.min(this.#pages.length, this.#tab + by));
    this.#summary.replace((columns, theme) => this.#summaryRows(columns, theme));
    this.#review.mark(0);
  }

  #answer(): DialogAnswer {
    const { input } = this.#ask;
    const questions = this.#pages.map(({ asked }) => asked);
    const given = this.#pages.map(({ answer }) => answer);
    return reply({ behavior: "allow", updatedInput: withAnswers(input, questions, given) });
  }

  #talk(): string {
    const given = this.#pages.flatMap(({ asked, answer }) =>
      answer ? [`"${asked.question}"="${answer.texts.join(", ")}"`] : [],
    );
    const soFar = given.length === 0 ? "" : ` Answers so far: ${given.join(", ")}.`;
    return `The user wants to talk about the questions before answering. Ask what is unclear or missing, and do not assume an answer.${soFar}`;
  }

  #title(index: number): string {
    return showRow(this.#pages[index]!.asked.header);
  }

  #tabs() {
    const pages = this.#pages.map(({ answer }, index) => ({
      label: this.#title(index) || `Question ${index + 1}`,
      done: answer !== undefined,
    }));
    return [...pages, { label: "Review" }];
  }

  #reviewQuestion(): string {
    const open = this.#pages.filter(({ answer }) => answer === undefined).length;
    if (open === 0) return "Send these answers?";
    return `${open} of ${this.#pages.length} not answered. Send anyway?`;
  }

  #summaryRows(columns: number, theme: Frame["theme"]): string[] {
    return this.#pages.flatMap(({ asked, answer }) => [
      ...wrap(showRow(asked.question), columns),
      ...wrap(
        answer
          ? theme.paint("success", cleanRow(answer.texts.map(showRow).join(", ")))
          : theme.paint("warning", "not answered"),
        columns - 4,
      ).map((row) => `  ${theme.ascii ? ">" : "→"} ${row}`),
    ]);
  }

  #hints(page: QuestionPage | undefined): readonly Hint[] {
    const tabs: Hint[] = this.#hasTabs ? [{ key: "←/→", does: "switch tabs" }] : [];
    const choose = { action: "confirm:yes", does: page?.asked.several ? "tick" : "choose" };
    const note: Hint[] = page && !this.#hasTabs ? [{ action: "confirm:nextField", does: "add a note" }] : [];
    return [choose, ...tabs, ...note, { action: "confirm:no", does: "do not answer" }];
  }
}

const REVIEW = [
  { value: "submit", label: "Submit" },
  { value: "cancel", label: "Cancel" },
] as const;
