// Questions of the model, as a form.

import { useSignal } from "@preact/signals";
import { withAnswers, type AskedQuestion } from "@keelson/client";
import { showAll, showRow } from "../transcript/visible.ts";
import type { AskProps } from "./question.tsx";

interface AskedFormProps extends AskProps {
  readonly asked: readonly AskedQuestion[];
}

export function AskedForm({ ask: { input }, isNew, answer, asked }: AskedFormProps) {
  const chosen = useSignal<readonly (readonly string[])[]>(asked.map(() => []));
  const own = useSignal<readonly string[]>(asked.map(() => ""));
  const given = asked.map((_, at) => {
    const words = own.value[at]!.trim();
    return words === "" ? chosen.value[at]! : [...chosen.value[at]!, words];
  });
  const choose = (at: number, label: string, isOn: boolean) => {
    const { several } = asked[at]!;
    const others = several ? chosen.value[at]!.filter((each) => each !== label) : [];
    chosen.value = chosen.value.with(at, isOn ? [...others, label] : others);
    if (!several && isOn) own.value = own.value.with(at, "");
  };
  const write = (at: number, words: string) => {
    own.value = own.value.with(at, words);
    if (!asked[at]!.several && words.trim() !== "") chosen.value = chosen.value.with(at, []);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const answers = given.map((texts) => ({ texts }));
    answer({ behavior: "allow", updatedInput: withAnswers(input, asked, answers) });
  };
  return (
    <form onSubmit={submit}>
      {asked.map(({ question, header, options, several }, at) => (
        <fieldset key={at} class="asked">
          <legend>
            {header === "" ? null : <span class="dim">{showRow(header)} </span>}
            {showAll(question)}
          </legend>
          {options.map(({ label, description }) => (
            <label key={label} class="option">
              <input
                type={several ? "checkbox" : "radio"}
                name={`asked-${at}`}
                checked={chosen.value[at]!.includes(label)}
                onChange={({ currentTarget }) => choose(at, label, currentTarget.checked)}
              />
              <span>
                {showRow(label)}
                {description === "" ? null : <span class="dim description"> {showAll(description)}</span>}
              </span>
            </label>
          ))}
          <input
            aria-label={`Another answer to: ${question}`}
            placeholder="Another answer"
            value={own.value[at]}
            onInput={({ currentTarget }) => write(at, currentTarget.value)}
          />
        </fieldset>
      ))}
      <p class="buttons">
        <button class="primary" disabled={isNew || given.every((texts) => texts.length === 0)}>
          Answer
        </button>
        <button
          type="button"
          disabled={isNew}
          onClick={() => answer({ behavior: "deny", message: "The user did not answer." })}
        >
          Do not answer
        </button>
      </p>
    </form>
  );
}
