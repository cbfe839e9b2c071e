// Tokens and secrets that the routines server shows once: they go to a private file, and the model and the transcript
// get its path.

import { closeSync, writeSync } from "node:fs";
import { join } from "node:path";
import { realPathOf } from "@keelson/disk/real-path";
import { createPrivateFile } from "@keelson/host";
import { isObject } from "@keelson/protocol";

const SECRET = /^(?:token|secret|signing_secret|webhook_secret|password|api_key)$/i;

/** The answer with a note in the place of each secret. */
export function saveSecrets(json: string, configDir: string): string {
  let answer: unknown;
  try {
    answer = JSON.parse(json);
  } catch {
    return json;
  }
  const found: Record<string, string> = {};
  collect(answer, "", found);
  if (Object.keys(found).length === 0) return json;
  const path = save(found, configDir);
  return JSON.stringify(answer, (name, value: unknown) =>
    SECRET.test(name) && typeof value === "string" ? `saved to ${path}` : value,
  );
}

function collect(value: unknown, at: string, found: Record<string, string>): void {
  if (Array.isArray(value)) return value.forEach((each, index) => collect(each, `${at}[${index}]`, found));
  if (!isObject(value)) return;
  for (const [name, each] of Object.entries(value)) {
    const here = at === "" ? name : `${at}.${name}`;
    if (SECRET.test(name) && typeof each === "string") found[here] = each;
    else collect(each, here, found);
  }
}

function save(secrets: Readonly<Record<string, string>>, configDir: string): string {
  const name = `${crypto.randomUUID()}.json`;
  const { fd, path } = createPrivateFile(join(realPathOf(configDir), "routine-secrets"), name);
  try {
    writeSync(fd, `${JSON.stringify(secrets, null, 2)}\n`);
  } finally {
    closeSync(fd);
  }
  return path;
}
