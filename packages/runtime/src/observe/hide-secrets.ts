// Hides values of secret variables in text that leaves the session: error texts of other programs may contain them.

const SECRET_NAME = /(KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIALS|HEADERS)$/i;
const SHORTEST_SECRET = 6;

export function hideSecrets(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const secrets = Object.entries(env)
    .filter(([name]) => SECRET_NAME.test(name))
    .flatMap(([name, value = ""]) => (/HEADERS$/i.test(name) ? [value, ...headerValues(value)] : [value]))
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, "[hidden]"), text);
}

/** The values in `Name: Value` lines and in `name=value,name=value`. */
function headerValues(headers: string): readonly string[] {
  const each = headers.split(/[\n,]/).map((header) => header.replace(/^[^:=]*[:=]/, "").trim());
  return each.flatMap((value) => [value, value.replace(/^(?:Bearer|Basic)(?:\s|%20)+/i, "")]);
}
