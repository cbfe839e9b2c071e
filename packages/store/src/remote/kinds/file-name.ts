// Converts any text to a file name and back. Keys come from outside: one must not leave its folder or share a file with
// another.

const LONGEST = 240;

/** Letters, digits, `-` and `_` stay, every other byte becomes `%XX`, so `..`, `/` and an empty name cannot occur. */
export function encodeName(text: string): string {
  const name = text === "" ? "%" : [...Buffer.from(text)].map(encodeByte).join("");
  if (name.length > LONGEST) throw new Error(`Session key is too long for a file name: "${text.slice(0, 60)}…"`);
  return name;
}

export function decodeName(name: string): string {
  if (name === "%") return "";
  const bytes: number[] = [];
  for (let at = 0; at < name.length; at++) {
    const isCode = name[at] === "%";
    bytes.push(isCode ? Number.parseInt(name.slice(at + 1, at + 3), 16) : name.charCodeAt(at));
    if (isCode) at += 2;
  }
  return Buffer.from(bytes).toString();
}

function encodeByte(byte: number): string {
  const char = String.fromCharCode(byte);
  return /[A-Za-z0-9_-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}
