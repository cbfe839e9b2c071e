// What a command printed, as a terminal would have left it: colors and weights, lines that were written over, and nothing else
// of what a terminal obeys.

export interface PrintedRun {
  readonly text: string;
  /** Names of classes. */
  readonly look: string;
}

// Colors; what else is obeyed, complete or cut off at the end; what is left of controls.
const OBEYED =
  // oxlint-disable-next-line no-control-regex
  /\u001b\[([\d;:]*)m|(?:\u001b\[|\u009b)[0-?]*[ -/]*(?:[@-~]|$)|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c|$)|\u001b[ -/]*[0-~]?|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]/g;

export function printedRuns(text: string): readonly PrintedRun[] {
  const runs: PrintedRun[] = [];
  const pen = new Pen();
  let at = 0;
  const put = (part: string) => {
    if (part === "") return;
    const look = pen.look();
    const last = runs.at(-1);
    if (last?.look === look) runs[runs.length - 1] = { text: last.text + part, look };
    else runs.push({ text: part, look });
  };
  const written = overwritten(text);
  for (const match of written.matchAll(OBEYED)) {
    put(written.slice(at, match.index));
    if (match[1] !== undefined) pen.obey(match[1]);
    at = match.index + match[0].length;
  }
  put(written.slice(at));
  return runs;
}

/** Of a line that was written over, what came last: progress bars are drawn so. */
const overwritten = (text: string) =>
  text.includes("\r") ? text.replaceAll(/\r+\n/g, "\n").replaceAll(/^.*\r(?=[^\n])/gm, "") : text;

const COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

class Pen {
  #color = "";
  #weights = new Set<string>();

  look(): string {
    return [this.#color, ...this.#weights].filter((name) => name !== "").join(" ");
  }

  obey(codes: string): void {
    const numbers = codes.split(/[;:]/).map(Number);
    for (let at = 0; at < numbers.length; at++) {
      const code = numbers[at]!;
      // One of 256 colors, or of all: they are not shown.
      if (code === 38 || code === 48) at += numbers[at + 1] === 5 ? 2 : 4;
      else if (code === 0) {
        this.#color = "";
        this.#weights.clear();
      } else if (code === 1) this.#weights.add("bold");
      else if (code === 2) this.#weights.add("faint");
      else if (code === 22) this.#weights.clear();
      else if (code === 39) this.#color = "";
      else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) this.#color = `ink-${COLORS[code % 10]}`;
    }
  }
}
