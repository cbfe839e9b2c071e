// What the id of a Gemini model shows.

/** The id without the collection it may begin with. */
export function plainModel(id: string): string {
  return id.replace(/^(?:publishers\/google\/)?models\//, "");
}

/**
 * The number in the name: 2.5 for `gemini-2.5-pro`. Names such as `gemini-flash-latest` stand for the newest models;
 * other models, such as Gemma, are 0.
 */
export function generationOf(id: string): number {
  const name = plainModel(id).toLowerCase();
  const number = /gemini-(\d+(?:\.\d+)?)/.exec(name)?.[1];
  if (number !== undefined) return Number(number);
  return /gemini-(?:pro|flash)/.test(name) ? NEWEST : 0;
}

const NEWEST = 3;

/** The same for every release of a model. */
export function geminiFamily(id: string): string {
  return plainModel(id)
    .toLowerCase()
    .replace(/@.*$/, "")
    .replace(/-(?:latest|\d{3}|(?:preview|exp)(?:-\d\d-(?:\d{4}|\d\d)|-\d{4})?)$/, "");
}
