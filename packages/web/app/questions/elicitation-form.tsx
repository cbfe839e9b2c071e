// What an MCP server asks the user: a form, or a page to visit.

import { useSignal } from "@preact/signals";
import { fieldValue, formFields, type FieldState, type FormField } from "@keelson/client/form";
import { readField, type Json } from "@keelson/protocol";
import { safeTarget } from "../transcript/markdown.tsx";
import { showAll, showRow } from "../transcript/visible.ts";
import type { QuestionProps } from "./question.tsx";

export function ElicitationForm({ question: { request }, isNew, answer }: QuestionProps) {
  const fields = formFields(readField(request, "requested_schema"), readField(request, "property_order"));
  const states = useSignal<readonly FieldState[]>(fields.map(stateAtFirst));
  /** Errors are shown once someone wants to send it. */
  const isTried = useSignal(false);
  const url = textAt(request, "url");
  const target = url === undefined ? undefined : safeTarget(url);
  const values = fields.map((field, at) => fieldValue(field, states.value[at]!));
  const submit = (event: Event) => {
    event.preventDefault();
    isTried.value = true;
    if (target !== undefined) return answer({ action: "accept" });
    if (values.some(({ error }) => error !== undefined)) return;
    const given = fields.flatMap(({ name }, at): [string, Json][] => {
      const { value } = values[at]!;
      return value === undefined ? [] : [[name, value]];
    });
    answer({ action: "accept", content: Object.fromEntries(given) });
  };
  return (
    <form onSubmit={submit} onKeyDown={keepOpen} noValidate>
      <h2>{showRow(textAt(request, "mcp_server_name") ?? "A server")} asks</h2>
      <p>{showAll(textAt(request, "message") ?? "")}</p>
      {target === undefined ? null : (
        <p>
          <a href={target} target="_blank" rel="noreferrer noopener">
            {showRow(target)}
          </a>
        </p>
      )}
      {fields.map((field, at) => (
        <Entry
          key={field.name}
          id={`field-${at}`}
          field={field}
          state={states.value[at]!}
          error={isTried.value ? values[at]!.error : undefined}
          set={(state) => (states.value = states.value.with(at, state))}
        />
      ))}
      <p class="buttons">
        <button class="primary" disabled={isNew}>
          Accept
        </button>
        <button type="button" disabled={isNew} onClick={() => answer({ action: "decline" })}>
          Decline
        </button>
      </p>
    </form>
  );
}

/** A line end in a field ends a line of text. Only the button sends what all fields say. */
function keepOpen(event: KeyboardEvent): void {
  if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
}

/** A box that no one ticked says no; one that may be left out says nothing. */
function stateAtFirst(field: FormField): FieldState {
  switch (field.kind) {
    case "boolean":
      return { flag: field.initial ?? (field.required ? false : undefined) };
    case "choice":
      return { picked: field.initial === undefined ? [] : [field.initial] };
    case "choices":
      return { picked: field.initial };
    default:
      return { text: field.initial };
  }
}

interface EntryProps {
  readonly id: string;
  readonly field: FormField;
  readonly state: FieldState;
  readonly error: string | undefined;
  set(state: FieldState): void;
}

function Entry(props: EntryProps) {
  const { id, field, error } = props;
  const { title, description, required } = field;
  const name = (
    <>
      {showRow(title)}
      {required ? null : <span class="dim"> (optional)</span>}
    </>
  );
  const notes = (
    <>
      {description === undefined ? null : (
        <span class="why" id={`${id}-about`}>
          {showAll(description)}
        </span>
      )}
      {error === undefined ? null : (
        <span class="why error" id={`${id}-error`} role="alert">
          {error}
        </span>
      )}
    </>
  );
  if (field.kind === "boolean")
    return (
      <div class="field">
        <label class="check">
          <Control {...props} />
          {name}
        </label>
        {notes}
      </div>
    );
  if (field.kind === "choices")
    return (
      <fieldset class="field" {...described(props)}>
        <legend>{name}</legend>
        <Control {...props} />
        {notes}
      </fieldset>
    );
  return (
    <div class="field">
      <label for={id}>{name}</label>
      <Control {...props} />
      {notes}
    </div>
  );
}

function Control(props: EntryProps) {
  const { id, field, state, error, set } = props;
  const common = { id, "aria-invalid": error !== undefined, ...described(props) };
  if ("flag" in state)
    return (
      <input
        {...common}
        type="checkbox"
        checked={state.flag === true}
        onChange={({ currentTarget }) => set({ flag: currentTarget.checked })}
      />
    );
  if ("text" in state) {
    const changed = ({ currentTarget }: { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      set({ text: currentTarget.value });
    if (field.kind === "json")
      return <textarea {...common} class="mono" rows={3} value={state.text} onInput={changed} />;
    if (field.kind === "text" && field.format === "date")
      return <input {...common} type="date" value={state.text} onInput={changed} />;
    return <input {...common} type="text" inputMode={keyboardOf(field)} value={state.text} onInput={changed} />;
  }
  if (field.kind === "choice")
    return (
      <select
        {...common}
        value={state.picked[0] ?? ""}
        onChange={({ currentTarget: { value } }) => set({ picked: value === "" ? [] : [value] })}
      >
        <option value="" />
        {field.options.map(({ value, title }) => (
          <option key={value} value={value}>
            {showRow(title)}
          </option>
        ))}
      </select>
    );
  const options = field.kind === "choices" ? field.options : [];
  const choose = (value: string, isOn: boolean) => {
    const others = state.picked.filter((each) => each !== value);
    set({ picked: isOn ? [...others, value] : others });
  };
  return (
    <>
      {options.map(({ value, title }) => (
        <label key={value} class="check">
          <input
            type="checkbox"
            checked={state.picked.includes(value)}
            onChange={({ currentTarget }) => choose(value, currentTarget.checked)}
          />
          {showRow(title)}
        </label>
      ))}
    </>
  );
}

const described = ({ id, field, error }: EntryProps) => {
  const ids = [
    ...(field.description === undefined ? [] : [`${id}-about`]),
    ...(error === undefined ? [] : [`${id}-error`]),
  ];
  return ids.length === 0 ? {} : { "aria-describedby": ids.join(" ") };
};

/** Of a phone. What was entered is checked by us, as at the terminal. */
function keyboardOf(field: FormField): "decimal" | "numeric" | "email" | "url" | "text" {
  if (field.kind === "number") return field.whole ? "numeric" : "decimal";
  const format = field.kind === "text" ? field.format : undefined;
  return format === "email" ? "email" : format === "uri" ? "url" : "text";
}

function textAt(object: object, field: string): string | undefined {
  const value = readField(object, field);
  return typeof value === "string" && value !== "" ? value : undefined;
}
