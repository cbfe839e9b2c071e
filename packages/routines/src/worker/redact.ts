// Takes secrets out of what leaves a run: its log, its result, its errors. Pure.

/** Shorter ones would take ordinary words with them. */
const SHORTEST = 6;

/** A function that replaces each secret, as it is, as JSON and in the usual encodings, by its name. */
export function redactor(secrets: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const forms = new Map<string, string>();
  for (const [name, value] of Object.entries(secrets)) {
    for (const line of [value ?? "", ...(value ?? "").split("\n")].map((each) => each.trim())) {
      if (line.length < SHORTEST) continue;
      for (const form of encodings(line)) if (!forms.has(form)) forms.set(form, `[secret ${name}]`);
    }
  }
  if (forms.size === 0) return (text) => text;
  // The longest first: a secret may contain another.
  const ordered = [...forms].toSorted(([a], [b]) => b.length - a.length);
  return (text) =>
    ordered.reduce((left, [form, name]) => (left.includes(form) ? left.replaceAll(form, name) : left), text);
}

function encodings(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const json = (text: string) => JSON.stringify(text).slice(1, -1);
  // Base64 of a text that has the secret anywhere in it: three alignments, without the characters that depend on its neighbours.
  const base64 = [0, 1, 2].map((pad) => {
    const text = Buffer.concat([Buffer.alloc(pad), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const cut = Math.floor(((pad + bytes.length) * 8) / 6);
    return text.slice(Math.ceil((pad * 8) / 6), cut);
  });
  const url = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  const long = [...base64, ...url, bytes.toString("hex"), bytes.toString("hex").toUpperCase()].filter(
    ({ length }) => length >= 8,
  );
  return [value, json(value), json(json(value)), encodeURIComponent(value), ...long];
}
