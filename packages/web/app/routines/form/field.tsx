// Fields with their names, what they are for, and what is wrong with them.

import type { ComponentChildren } from "preact";

interface FieldProps {
  /** As the API calls it: what it says about a field is shown there. */
  readonly name: string;
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly problems: Problems;
}

/** By the names of fields. */
export type Problems = Readonly<Record<string, string | undefined>>;

interface Described {
  readonly id: string;
  readonly "aria-invalid"?: boolean;
  readonly "aria-describedby"?: string;
}

interface AnyFieldProps extends FieldProps {
  children(described: Described): ComponentChildren;
}

export function Field({ name, title, about, problems, children }: AnyFieldProps) {
  const id = `field-${name}`;
  const problem = problems[name];
  const notes = [...(about === undefined ? [] : [`${id}-about`]), ...(problem === undefined ? [] : [`${id}-problem`])];
  return (
    <div class="field">
      <label for={id}>{title}</label>
      {children({
        id,
        ...(problem === undefined ? {} : { "aria-invalid": true }),
        ...(notes.length === 0 ? {} : { "aria-describedby": notes.join(" ") }),
      })}
      {problem === undefined ? null : (
        <span class="why error" id={`${id}-problem`} role="alert">
          {problem}
        </span>
      )}
      {about === undefined ? null : (
        <span class="why" id={`${id}-about`}>
          {about}
        </span>
      )}
    </div>
  );
}

interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly type?: "text" | "datetime-local" | "number";
  readonly isMono?: boolean;
  readonly list?: string;
  readonly placeholder?: string;
  set(value: string): void;
}

export function TextField({ value, type = "text", isMono, list, placeholder, set, ...props }: TextFieldProps) {
  return (
    <Field {...props}>
      {(described) => (
        <input
          {...described}
          class={isMono ? "mono" : undefined}
          type={type === "number" ? "text" : type}
          inputMode={type === "number" ? "decimal" : undefined}
          autocomplete="off"
          spellcheck={!isMono}
          {...(list === undefined ? {} : { list })}
          {...(placeholder === undefined ? {} : { placeholder })}
          value={value}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface AreaFieldProps extends FieldProps {
  readonly value: string;
  readonly rows: number;
  readonly isMono?: boolean;
  set(value: string): void;
}

export function AreaField({ value, rows, isMono, set, ...props }: AreaFieldProps) {
  return (
    <Field {...props}>
      {(described) => (
        <textarea
          {...described}
          class={isMono ? "mono" : undefined}
          rows={rows}
          spellcheck={!isMono}
          value={value}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface ChoiceFieldProps<Value extends string> extends FieldProps {
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, title: string])[];
  set(value: Value): void;
}

export function ChoiceField<Value extends string>({ value, options, set, ...props }: ChoiceFieldProps<Value>) {
  return (
    <Field {...props}>
      {(described) => (
        <select {...described} value={value} onChange={({ currentTarget }) => set(currentTarget.value as Value)}>
          {options.map(([each, title]) => (
            <option key={each} value={each} selected={each === value}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
