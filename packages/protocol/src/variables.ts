// Switches in environment variables: the one place that knows which words mean on and off.

/** Undefined if the variable is not set, or is neither. */
export function switchIn(value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^(?:1|true|yes|on)$/i.test(text)) return true;
  return /^(?:0|false|no|off)$/i.test(text) ? false : undefined;
}

export function isVariableOn(value: string | undefined): boolean {
  return switchIn(value) === true;
}
