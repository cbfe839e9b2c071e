// The form of an elicitation: its fields, and what was entered in them.

export { fieldValue, type FieldState, type FieldValue } from "./field-value.ts";
export { formFields, type FieldOption, type FormField } from "./form-fields.ts";
