// What plugins need: others, without which they are not loaded either, and a version of the program. Pure.

import { COMPATIBLE_VERSION, type Plugin, type UnusedPlugin } from "@keelson/protocol";
import { printable } from "../check/page.ts";
import { dependencyOf, type Dependency, type Manifest } from "./read/manifest.ts";
import { parsePluginId } from "./read/names.ts";

export interface WithDependencies {
  readonly plugin: Plugin;
  readonly manifest: Manifest;
}

/** Keeps those whose dependencies are all kept. Plugins that need each other keep each other. */
export function keepSatisfied<T extends WithDependencies>(
  all: readonly T[],
): { readonly kept: readonly T[]; readonly unused: readonly UnusedPlugin[] } {
  const unused: UnusedPlugin[] = [];
  let kept = all;
  for (;;) {
    const failing = new Map(
      kept.flatMap((each) => {
        const why = whyUnsatisfied(each, kept);
        return why === undefined ? [] : [[each, why] as const];
      }),
    );
    if (failing.size === 0) return { kept, unused };
    for (const [
      {
        plugin: { id, root },
      },
      why,
    ] of failing)
      unused.push({ id, root, kind: "dependency", why });
    kept = kept.filter((each) => !failing.has(each));
  }
}

function whyUnsatisfied({ plugin, manifest }: WithDependencies, all: readonly WithDependencies[]): string | undefined {
  for (const given of manifest.dependencies ?? []) {
    const needed = dependencyOf(given);
    const found = all.find((other) => provides(other.plugin, needed, plugin));
    const shown = needed.marketplace === undefined ? needed.name : `${needed.name}@${needed.marketplace}`;
    if (found === undefined) {
      return `It needs the plugin "${shown}", which is not loaded; to add it, run: keelson plugin install ${shown}`;
    }
    const { version } = found.plugin;
    if (needed.version !== undefined && version !== undefined && !Bun.semver.satisfies(version, needed.version)) {
      return `It needs version ${needed.version} of the plugin "${shown}", but ${version} is loaded; update one of them`;
    }
  }
  return undefined;
}

/** A plain name means the same marketplace; one loaded from a folder stands in for any. */
function provides({ id, name, from }: Plugin, needed: Dependency, by: Plugin): boolean {
  if (name !== needed.name) return false;
  if (from !== "marketplace" || by.from !== "marketplace") return true;
  return parsePluginId(id)?.marketplace === (needed.marketplace ?? parsePluginId(by.id)?.marketplace);
}

/** Why this program is not one that the plugin works with; a range that makes no sense allows all. */
export function whyUnfit({ engines }: Manifest): string | undefined {
  const needed = engines?.["claude-code"];
  if (typeof needed !== "string" || Bun.semver.satisfies(COMPATIBLE_VERSION, needed)) return undefined;
  return `It needs version ${printable(needed)} of Claude Code, and Keelson is compatible with ${COMPATIBLE_VERSION}; use another version of the plugin`;
}
