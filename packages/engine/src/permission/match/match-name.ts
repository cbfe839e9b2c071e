// Whether a rule matches an address, an agent or a skill: `WebFetch(domain:e.com)`, `Agent(Explore)`,
// `Skill(deploy:*)`. Hosts are compared as hosts, never as the beginning of an address.

import type { JsonObject } from "@keelson/protocol";
import type { Access } from "../../tool/tool.ts";
import { namesTool } from "./match.ts";
import { isAboutAddress } from "../rules/about-tool.ts";
import type { Rule } from "../rules/rule.ts";
import { wildcard } from "./wildcard.ts";

/** Whether the text in the parentheses matches this call. */
export function matchesName(rule: Rule, tool: string, access: Access, input: JsonObject): boolean {
  if (rule.content === undefined) return false;
  if (!isAboutAddress(rule, access.kind) && !namesTool(rule, tool)) return false;
  const content = rule.content.trim();
  switch (access.kind) {
    case "url":
      return content.startsWith("domain:") && matchesHost(rule, content.slice("domain:".length), access.url);
    case "agent":
      return rule.behavior === "allow"
        ? content === access.agent
        : wildcard(content.toLowerCase(), access.agent.toLowerCase());
    case "skill":
      return [access.skill, ...(rule.behavior === "allow" ? [] : (access.others ?? []))].some((name) =>
        matchesSkill(rule, content, name, input["args"]),
      );
    default:
      return false;
  }
}

/** The host as every URL parser reads it; undefined if it is not a web address. */
export function hostOf(url: string): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^(?:https?|wss?):$/.test(parsed.protocol)) return undefined;
  let end = parsed.hostname.length;
  while (parsed.hostname[end - 1] === ".") end--;
  return parsed.hostname.slice(0, end) || undefined;
}

/** Whether it is a WebSocket of this machine. Other names that lead here are rejected when they are resolved. */
export function isLocalSocket(url: string): boolean {
  const host = hostOf(url);
  return (
    host !== undefined &&
    /^wss?:/i.test(url.trim()) &&
    /^(?:(?:.*\.)?localhost|127\..*|\[::1\]|\[::ffff:7f.*)$/.test(host)
  );
}

function matchesHost(rule: Rule, pattern: string, url: string): boolean {
  const host = hostOf(url);
  const strict = rule.behavior !== "allow";
  // An address that cannot be parsed must not get around a deny or ask rule.
  if (host === undefined) return strict;
  if (pattern.trim() === "*") return true;
  const below = pattern.trim().startsWith("*.");
  const named = domainOf(below ? pattern.trim().slice(2) : pattern.trim());
  if (named === undefined) return strict && wildcard(pattern.trim().toLowerCase(), host);
  return below ? host.endsWith(`.${named}`) : host === named;
}

/** People also write `https://e.com/` and `e.com:443`. Undefined for a pattern with other stars. */
function domainOf(text: string): string | undefined {
  if (text === "" || text.includes("*")) return undefined;
  return hostOf(/^https?:\/\//i.test(text) ? text : `http://${text}`);
}

/** `deploy` is the skill without arguments, `deploy:*` and `deploy *` with any; a deny or ask rule covers both. */
function matchesSkill(rule: Rule, content: string, skill: string, args: unknown): boolean {
  const open = /(:| )\*$/.test(content);
  const stem = (open ? content.slice(0, -2) : content).replace(/^\//, "").trim();
  const name = skill.replace(/^\//, "");
  if (rule.behavior !== "allow") {
    const [asked, given] = [stem.toLowerCase(), name.toLowerCase()];
    return wildcard(asked, given) || (open && given.startsWith(`${asked}:`));
  }
  const bare = args === undefined || args === null || args === "";
  return stem === name && (open || bare);
}
