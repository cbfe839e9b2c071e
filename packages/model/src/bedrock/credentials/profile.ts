// The user's AWS configuration: ~/.aws/config and ~/.aws/credentials.

import { join } from "node:path";
import type { Env } from "../../profiles/profiles.ts";
import type { AwsOutside } from "./outside.ts";

export type Section = Readonly<Record<string, string>>;

export interface AwsConfig {
  /** By name. Keys in the credentials file win over those in the config file. */
  readonly profiles: Readonly<Record<string, Section>>;
  readonly ssoSessions: Readonly<Record<string, Section>>;
  /** The profile that is used unless another one is named. */
  readonly chosen: string;
  /** ~/.aws */
  readonly folder: string;
}

export async function readAwsConfig(env: Env, { readFile }: Pick<AwsOutside, "readFile">): Promise<AwsConfig> {
  const folder = join(env["HOME"] || env["USERPROFILE"] || "/", ".aws");
  const [config = "", credentials = ""] = await Promise.all([
    readFile(env["AWS_CONFIG_FILE"]?.trim() || join(folder, "config")),
    readFile(env["AWS_SHARED_CREDENTIALS_FILE"]?.trim() || join(folder, "credentials")),
  ]);
  const profiles: Record<string, Section> = {};
  const ssoSessions: Record<string, Section> = {};
  for (const [title, section] of sectionsOf(config)) {
    const [, kind, quoted] = /^(?:(profile|sso-session)\s+)?(.*)$/.exec(title)!;
    const name = quoted!.replace(/^(["'])(.*)\1$/, "$2");
    if (kind === "sso-session") ssoSessions[name] = section;
    // In this file only the default profile may do without the word.
    else if (kind || name === "default") profiles[name] = { ...profiles[name], ...section };
  }
  for (const [name, section] of sectionsOf(credentials)) profiles[name] = { ...profiles[name], ...section };
  return { profiles, ssoSessions, chosen: namedProfile(env) ?? "default", folder };
}

export function namedProfile(env: Env): string | undefined {
  return env["AWS_PROFILE"]?.trim() || env["AWS_DEFAULT_PROFILE"]?.trim() || undefined;
}

/** Sections by title. Ignores comments, nested settings and lines without a value. */
export function sectionsOf(text: string): Map<string, Record<string, string>> {
  const sections = new Map<string, Record<string, string>>();
  let section: Record<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:[#;]|$)/.test(line)) continue;
    const title = /^\s*\[([^\]]*)\]/.exec(line)?.[1]?.trim().replace(/\s+/g, " ");
    if (title !== undefined) {
      section = sections.get(title) ?? {};
      sections.set(title, section);
      continue;
    }
    // An indented line belongs to the setting above it, such as "s3 =".
    const setting = /^([^\s=][^=]*?)\s*=\s*(.*?)(?:\s+[#;].*)?\s*$/.exec(line);
    if (setting && section) section[setting[1]!.toLowerCase()] = setting[2]!;
  }
  return sections;
}
