// Cuts bytes into lines, each of a bounded length.

const MAX_LINE_CHARS = 2_000;

interface LineCutter {
  push(chunk: Uint8Array): void;
  /** Gives the last line, if it has no end. */
  end(): void;
}

export function cutLines(line: (text: string) => void): LineCutter {
  const decoder = new TextDecoder();
  let rest = "";
  let isCut = false;

  const give = () => {
    const text = rest.endsWith("\r") ? rest.slice(0, -1) : rest;
    line(isCut ? `${text} …` : text);
    rest = "";
    isCut = false;
  };
  const add = (part: string) => {
    const room = MAX_LINE_CHARS - rest.length;
    isCut ||= part.length > room;
    rest += part.slice(0, room);
  };
  return {
    push(chunk) {
      const [first = "", ...more] = decoder.decode(chunk, { stream: true }).split("\n");
      add(first);
      for (const part of more) {
        give();
        add(part);
      }
    },
    end() {
      add(decoder.decode());
      if (rest !== "") give();
    },
  };
}
