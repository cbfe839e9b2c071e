// Which styles and links are open at a place in painted text, so that a row can be closed there and the next one opened.

/** What ends a style, by the parameter that begins it. */
const ENDS: Readonly<Record<number, number>> = {
  1: 22,
  2: 22,
  3: 23,
  4: 24,
  5: 25,
  6: 25,
  7: 27,
  8: 28,
  9: 29,
  21: 24,
  53: 55,
};

const NONE: ReadonlyMap<number, readonly string[]> = new Map();

export class OpenStyles {
  /** By what ends it. Bold and dim end together, so there may be several. */
  #styles: ReadonlyMap<number, readonly string[]> = NONE;
  #link = "";

  get isEmpty(): boolean {
    return this.#styles.size === 0 && this.#link === "";
  }

  /** Takes a sequence: SGR or OSC 8. */
  take(sequence: string): void {
    if (sequence.startsWith("\x1b]8;")) {
      this.#link = /^\x1b\]8;[^;]*;(?:\x07|\x1b\\)$/.test(sequence) ? "" : sequence;
      return;
    }
    const styles = new Map(this.#styles);
    const parameters = sequence.slice(2, -1).split(";");
    for (let at = 0; at < parameters.length; at++) {
      const parameter = parameters[at]!;
      const code = Number(parameter.split(":")[0]);
      if (code === 0) styles.clear();
      else if (code === 38 || code === 48 || code === 58) {
        const length = parameter.includes(":")
          ? 1
          : parameters[at + 1] === "5"
            ? 3
            : parameters[at + 1] === "2"
              ? 5
              : 1;
        styles.set(code + 1, [parameters.slice(at, at + length).join(";")]);
        at += length - 1;
      } else if (ENDS[code] !== undefined && parameter !== "4:0") {
        const end = ENDS[code];
        styles.set(end, [...(styles.get(end) ?? []).filter((other) => other !== parameter), parameter]);
      } else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) styles.set(39, [parameter]);
      else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) styles.set(49, [parameter]);
      else styles.delete(parameter === "4:0" ? 24 : code);
    }
    this.#styles = styles.size === 0 ? NONE : styles;
  }

  /** As it is now. Cheap: nothing is copied until one of the two changes. */
  copy(): OpenStyles {
    const copy = new OpenStyles();
    copy.#styles = this.#styles;
    copy.#link = this.#link;
    return copy;
  }

  /** Ends everything that is open. */
  closing(): string {
    if (this.isEmpty) return "";
    const ends = [...this.#styles.keys()].toReversed();
    return (ends.length > 0 ? `\x1b[${ends.join(";")}m` : "") + (this.#link && "\x1b]8;;\x1b\\");
  }

  /** Begins everything that is open. */
  opening(): string {
    if (this.isEmpty) return "";
    const begins = [...this.#styles.values()].flat();
    return this.#link + (begins.length > 0 ? `\x1b[${begins.join(";")}m` : "");
  }
}
