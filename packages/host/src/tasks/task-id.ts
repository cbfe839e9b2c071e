// Ids of tasks: a letter for the kind, then eight letters and digits.

export function newTaskId(kind: string): string {
  const letters = "0123456789abcdefghijklmnopqrstuvwxyz";
  // 252 is the largest multiple of 36 in a byte; larger bytes would make some letters more likely.
  const bytes = [...crypto.getRandomValues(new Uint8Array(32))].filter((byte) => byte < 252);
  const name = bytes.slice(0, 8).map((byte) => letters[byte % 36]);
  return `${kind}${name.join("")}`;
}
