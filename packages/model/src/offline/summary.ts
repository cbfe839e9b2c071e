// Describes a repository by quoting its own files. Nothing is made up.

import { isObject, tryParse } from "@keelson/protocol";
import type { Result } from "./conversation.ts";
import { contentOf, type Doing } from "./doing.ts";
import { everyFile, MOST_FILES, notGenerated, pathsIn } from "./project-files.ts";
import { toolFailure } from "./texts.ts";

export function* summarise(): Doing {
  const [files, readme, manifest] = yield [
    everyFile(),
    { name: "Read", input: { file_path: "README.md" } },
    { name: "Read", input: { file_path: "package.json" } },
  ];
  if (!files || files.failed) return { text: toolFailure("Grep", files?.text ?? "No answer came"), stop: true };
  const paths = pathsIn(files).filter(notGenerated());
  const parts = [...aboutManifest(textIn(manifest)), ...aboutReadme(textIn(readme)), ...aboutFiles(paths)];
  return {
    text: [
      "What the files of this repository say about it:",
      ...parts,
      ...(pathsIn(files).length >= MOST_FILES ? [`Only the ${MOST_FILES} newest files were counted.`] : []),
    ].join("\n\n"),
  };
}

function textIn(result: Result | undefined): string | undefined {
  return result && !result.failed ? contentOf(result.text) : undefined;
}

function aboutManifest(text: string | undefined): readonly string[] {
  const manifest = text === undefined ? undefined : tryParse(text);
  if (!isObject(manifest)) return [];
  const { name, version, description, scripts, dependencies, workspaces } = manifest;
  const named = [name, version].filter((value) => typeof value === "string").join(" ");
  const keys = (value: unknown) => (isObject(value) ? Object.keys(value).slice(0, 12) : []);
  const list = Array.isArray(workspaces) ? workspaces.filter((value) => typeof value === "string") : [];
  return [
    [
      `**package.json**: ${named || "a package without a name"}${typeof description === "string" ? ` — ${description}` : ""}`,
      ...(keys(scripts).length > 0 ? [`- scripts: ${keys(scripts).join(", ")}`] : []),
      ...(keys(dependencies).length > 0 ? [`- dependencies: ${keys(dependencies).join(", ")}`] : []),
      ...(list.length > 0 ? [`- workspaces: ${list.join(", ")}`] : []),
    ].join("\n"),
  ];
}

function aboutReadme(text: string | undefined): readonly string[] {
  if (text === undefined || text.trim() === "") return ["There is no README.md to quote."];
  const lines = text.split("\n");
  const headings = lines.filter((line) => /^#{1,3} /.test(line)).map((line) => line.replace(/^#+ /, ""));
  const start = lines.findIndex((line) => /^[A-Za-z0-9*_[]/.test(line));
  const end = lines.findIndex((line, at) => at > start && line.trim() === "");
  const paragraph =
    start < 0
      ? ""
      : lines
          .slice(start, end < 0 ? undefined : end)
          .join(" ")
          .slice(0, 600);
  return [
    [
      `**README.md**: ${paragraph || "(no text before the first list)"}`,
      ...(headings.length > 0 ? [`- sections: ${headings.slice(0, 12).join(" · ")}`] : []),
    ].join("\n"),
  ];
}

function aboutFiles(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return ["There are no files that git does not ignore."];
  const folders = tally(
    paths.map((path) => (path.includes("/") ? `${path.slice(0, path.indexOf("/"))}/` : "(top level)")),
  );
  const endings = tally(paths.map((path) => /[^/](\.[^./]+)$/.exec(path)?.[1] ?? "(no extension)"));
  return [
    [
      `**Files**: ${paths.length} listed`,
      `- by folder: ${folders.join(", ")}`,
      `- by extension: ${endings.join(", ")}`,
    ].join("\n"),
  ];
}

function tally(values: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .sort(([a, m], [b, n]) => n - m || a.localeCompare(b))
    .slice(0, 12)
    .map(([value, count]) => `${value} ${count}`);
}
