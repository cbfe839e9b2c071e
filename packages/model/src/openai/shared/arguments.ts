// The arguments of one call as they arrive: text in pieces, an object at once, two objects in a row, or JSON inside a
// JSON string. Weak models and their servers send all of these. Pure.

import { isObject, tryParse } from "@keelson/protocol";

/** Finds the end of a JSON object in text that arrives in pieces. */
export class ObjectScanner {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** The position behind the object's last character; -1 while it is open. */
  push(text: string): number {
    for (let at = 0; at < text.length; at++) {
      const character = text[at];
      if (this.#escaped) this.#escaped = false;
      else if (this.#inString) {
        if (character === "\\") this.#escaped = true;
        else if (character === '"') this.#inString = false;
      } else if (character === '"') this.#inString = true;
      else if (character === "{" || character === "[") this.#depth++;
      else if ((character === "}" || character === "]") && --this.#depth === 0) return at + 1;
    }
    return -1;
  }
}

export type ArgumentsStep = {
  /** To pass on now. */
  readonly text: string;
  /** The object is complete. */
  readonly isComplete: boolean;
  /** What follows a complete object: the arguments of another call of the same tool. */
  readonly rest: string;
};

/** Passes an object on as it arrives; holds anything else until the end, where it may turn out to be one. */
export class ArgumentsReader {
  readonly #scanner = new ObjectScanner();
  #held = "";
  #isObject = false;

  push(piece: string): ArgumentsStep {
    let text = piece;
    if (!this.#isObject) {
      this.#held += piece;
      if (!/^\s*\{/.test(this.#held)) return { text: "", isComplete: false, rest: "" };
      this.#isObject = true;
      text = this.#held.trimStart();
      this.#held = "";
    }
    const end = this.#scanner.push(text);
    if (end < 0) return { text, isComplete: false, rest: "" };
    const rest = text.slice(end).trimStart();
    // Whatever else follows, such as a stray bracket, belongs to no call.
    return { text: text.slice(0, end), isComplete: true, rest: rest.startsWith("{") ? rest : "" };
  }

  /** What is left to pass on at the end. */
  end(): string {
    return this.#isObject ? "" : plainArguments(this.#held);
  }
}

/** Nothing and null mean no arguments. Text that cannot be read stays as it is, for the engine to answer. */
function plainArguments(text: string): string {
  if (text.trim() === "") return "{}";
  const value = tryParse(text);
  if (value === null || (Array.isArray(value) && value.length === 0)) return "{}";
  if (typeof value !== "string") return text;
  return value.trim() === "" ? "{}" : isObject(tryParse(value)) ? value : text;
}

/** Servers also send the arguments as an object. */
export function argumentsText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
