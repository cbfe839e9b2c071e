// For tests only: a disk that is a list of paths. It answers the gate's lookups as the real one would.

import type { CommandAnalysis } from "./command/analysis/command.ts";
import { landings } from "./command/files/deep.ts";
import { nameFits, toLookUp } from "./command/files/on-disk.ts";
import type { GateQuestion } from "./question.ts";

export interface Disk {
  /** From the path as written to where it leads. */
  readonly links?: Readonly<Record<string, string>>;
  /** Other files. Without a list, folders are too large to be checked. */
  readonly files?: readonly string[];
}

/** What the runtime would find on such a disk for this command. */
export function lookedUp(
  analysis: CommandAnalysis,
  where: { readonly cwd: string; readonly home: string },
  { links = {}, files }: Disk,
): Pick<GateQuestion, "realPaths" | "onDisk"> {
  const real = (path: string): string => {
    const link = Object.keys(links).find((each) => path === each || path.startsWith(`${each}/`));
    return link === undefined ? path : real(links[link] + path.slice(link.length));
  };
  const ends = (given: string) => ({ given, real: real(given) });
  const all = [...Object.keys(links), ...(files ?? [])].flatMap(withParents);
  const { paths, patterns, folders, copies } = toLookUp(analysis, where, real);
  const matches = patterns.map((pattern) => {
    const names = pattern.split("/");
    const found = all.filter((path) => fits(path.split("/"), names));
    const beyond = Object.keys(links)
      .filter((link) => fits(link.split("/"), names.slice(0, link.split("/").length)))
      .map((link) => [link, ...names.slice(link.split("/").length)].join("/"));
    return [pattern, [...new Set([...found, ...beyond])].map(ends)] as const;
  });
  const seen = files === undefined ? folders.filter(({ shallow }) => shallow) : folders;
  const contents = new Map(
    seen.map(({ path, pattern }) => {
      const starts = pattern ? (matches.find(([each]) => each === path)?.[1] ?? []).map(({ given }) => given) : [path];
      return [path, all.filter((each) => starts.some((start) => each.startsWith(`${start}/`))).map(ends)] as const;
    }),
  );
  const taken = copies.flatMap((copy) => landings(copy, contents));
  return {
    realPaths: new Map([...paths, ...taken].map((path) => [path, real(path)])),
    onDisk: { matches: new Map(matches), contents },
  };
}

function fits(names: readonly string[], pattern: readonly string[]): boolean {
  return names.length === pattern.length && names.every((name, at) => nameFits(name, pattern[at]!));
}

function withParents(path: string): string[] {
  const names = path.split("/");
  return names.slice(1).map((_, at) => names.slice(0, at + 2).join("/"));
}
