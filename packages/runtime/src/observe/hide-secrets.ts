// Hides values of secret variables in text that leaves the session: error texts of other programs may contain them.

const SECRET_NAME = /(KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIALS|HEADERS)$/i;
const SHORTEST_SECRET = 6;

/** `more` are values that are secret whatever their name is. */
export function hideSecrets(
  env: Readonly<Record<string, string | undefined>>,
  more: readonly string[] = [],
): (text: string) => string {
  const secrets = Object.entries(env)
    .filter(([name]) => SECRET_NAME.test(name))
    .flatMap(([name, value = ""]) => (/HEADERS$/i.test(name) ? [value, ...headerValues(value)] : [value]))
    .concat(more)
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, "[hidden]"), text);
}

/** The values in `Name: Value` lines and in `name=value,name=value`. */
function headerValues(headers: string): readonly string[] {
  const each = headers.split(/[\n,]/).map((header) => header.replace(/^[^:=]*[:=]/, "").trim());
  return each.flatMap((value) => [value, value.replace(/^(?:Bearer|Basic)(?:\s|%20)+/i, "")]);
}

interface GivenToProgram {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Its entry as text, in which `${NAME}` stands for one of the variables. */
  readonly written: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

/** The values that a program was given and that may be secret: variables, what options say, and parts of addresses. */
export function secretsGiven({ args, env, written, variables }: GivenToProgram): readonly string[] {
  const named = [...written.matchAll(/\$\{(\w+)/g)].map(([, name]) => variables[name!] ?? "");
  const values = [
    ...Object.entries(env).flatMap(([name, value]) => (SECRET_NAME.test(name) || !isPlain(value) ? [value] : [])),
    ...named.filter((value) => !isPlain(value)),
    ...args.flatMap((arg, at) => secretsInOption(arg, args[at + 1])),
  ];
  const inAddresses = [...args, ...Object.values(env), ...named].flatMap(secretsInAddress);
  return [...values, ...values.flatMap(headerValues), ...inAddresses];
}

const SECRET_OPTION = /key|token|secret|passw|passphrase|credential|auth|header|cookie|bearer|\bpat\b|dsn/i;

/** The value of `--api-key x`, `--api-key=x`, `API_KEY=x` or `Authorization: x`. */
function secretsInOption(arg: string, next = ""): readonly string[] {
  const [, name = arg, attached] = /^([\w.-]+)\s*[=:]\s*(.*)$/s.exec(arg) ?? [];
  if (!SECRET_OPTION.test(name)) return [];
  return [attached ?? (name.startsWith("-") ? next : "")];
}

/** A path, an address, a number or one word: hiding it would only make an error hard to read. */
const isPlain = (value: string) => /^(?:[./~].*|\w+:\/\/.*|[\d.]+|[A-Za-z]+)$/s.test(value);

/** Its password and the values of its query. */
function secretsInAddress(text: string): readonly string[] {
  const password = /\/\/[^/@\s:]*:([^/\s]+)@/.exec(text)?.[1] ?? "";
  return [password, ...[...text.matchAll(/[?&][^=&\s]+=([^&\s#]+)/g)].map(([, value]) => value!)];
}
