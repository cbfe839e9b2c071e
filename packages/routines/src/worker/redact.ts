// Takes secrets out of what leaves a run: its log, its result, its errors. Pure.

/** Shorter ones would take ordinary words with them. */
const SHORTEST = 6;

type Secrets = Readonly<Record<string, string | undefined>>;

/** A function that replaces each secret, as it is, as JSON and in the usual encodings, by its name. */
export function redactor(secrets: Secrets): (text: string) => string {
  const forms = formsOf(secrets);
  return (text) => replaced(text, forms);
}

/** For a text that still grows, and that may be without its beginning: what may be a part of a secret at its ends is left out. */
export function liveRedactor(secrets: Secrets): (text: string, isCut: boolean) => string {
  const forms = formsOf(secrets);
  return (text, isCut) => {
    let shown = replaced(text, forms);
    // Neither end of a secret, but something in between.
    if (isCut && forms.some(([form]) => form.includes(shown))) return "";
    if (isCut) shown = shown.slice(longest(forms, (form, length) => shown.startsWith(form.slice(-length))));
    return shown.slice(0, shown.length - longest(forms, (form, length) => shown.endsWith(form.slice(0, length))));
  };
}

/** The longest part of any form that `is` there. */
function longest(forms: Forms, is: (form: string, length: number) => boolean): number {
  let found = 0;
  for (const [form] of forms)
    for (let length = form.length - 1; length > found; length--) if (is(form, length)) found = length;
  return found;
}

type Forms = readonly (readonly [form: string, name: string])[];

/** The longest first: a secret may contain another. */
function formsOf(secrets: Secrets): Forms {
  const forms = new Map<string, string>();
  for (const [name, value] of Object.entries(secrets)) {
    for (const line of [value ?? "", ...(value ?? "").split("\n")].map((each) => each.trim())) {
      if (line.length < SHORTEST) continue;
      for (const form of encodings(line)) if (!forms.has(form)) forms.set(form, `[secret ${name}]`);
    }
  }
  return [...forms].toSorted(([a], [b]) => b.length - a.length);
}

const replaced = (text: string, forms: Forms) =>
  forms.reduce((left, [form, name]) => (left.includes(form) ? left.replaceAll(form, name) : left), text);

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
