// Builds the pages: a script and what it loads when it is first needed, style sheets, and what a browser needs to install a page.
// Nothing in them names another host. Each page has scripts of its own, so that neither is in more parts for the other's sake.

import { basename, join } from "node:path";
import type { BunPlugin } from "bun";
import type { BuiltFile, BuiltFiles, BuiltPages } from "./page-file.ts";

const app = join(import.meta.dir, "..", "..", "app");

export async function buildPages(): Promise<BuiltPages> {
  const shared = {
    "/page.css": await style("page.css"),
    "/icon.svg": { type: "image/svg+xml", text: await read("icon.svg") },
    "/icon-asks.svg": { type: "image/svg+xml", text: await read("icon-asks.svg") },
  };
  const { outputs: worker } = await Bun.build({
    entrypoints: [join(app, "worker.ts")],
    target: "browser",
    minify: true,
    naming: "[name].[ext]",
  });
  return {
    page: {
      ...(await scriptsAndHtml("page.tsx", "page.html")),
      ...shared,
      "/worker.js": script(await worker[0]!.text()),
      "/manifest.webmanifest": { type: "application/manifest+json", text: await read("manifest.webmanifest") },
    },
    routines: {
      ...(await scriptsAndHtml("routines/routines.tsx", "routines/routines.html")),
      ...shared,
      "/routines.css": await style("routines/routines.css"),
    },
    export: {
      "/export.js": script(await wholeScript("export/export.tsx")),
      "/export.css": {
        type: "text/css; charset=utf-8",
        text: `${(await style("page.css")).text}${(await style("export/export.css")).text}`,
      },
    },
  };
}

async function scriptsAndHtml(entry: string, html: string): Promise<BuiltFiles> {
  const { outputs } = await Bun.build({
    entrypoints: [join(app, entry)],
    target: "browser",
    format: "esm",
    minify: true,
    splitting: true,
    naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]" },
    jsx: { runtime: "automatic", importSource: "preact", development: false },
  });
  const scripts = await Promise.all(
    outputs.map(async (output) => [`/${basename(output.path)}`, script(await output.text())] as const),
  );
  const [[, first]] = scripts as [(typeof scripts)[number]];
  return {
    "/": { type: "text/html; charset=utf-8", text: withPreloads(await read(html), first.text) },
    ...Object.fromEntries(scripts),
  };
}

const foldedBodies: BunPlugin = {
  name: "folded bodies",
  setup(build) {
    build.onResolve({ filter: /^\.\/call-body\.tsx$/ }, () => ({ path: join(app, "export/folded-body.tsx") }));
  },
};

/** With everything in it, for a page that can ask nobody. */
async function wholeScript(entry: string): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(app, entry)],
    target: "browser",
    format: "iife",
    minify: true,
    plugins: [foldedBodies],
    jsx: { runtime: "automatic", importSource: "preact", development: false },
  });
  // In strings and patterns. As they are, they could end the element that the script is in, or begin a comment in it.
  return (await outputs[0]!.text()).replace(/<(?=!--|\/?script)/gi, "\\x3c");
}

const read = (name: string) => Bun.file(join(app, name)).text();

const script = (text: string): BuiltFile => ({ type: "text/javascript; charset=utf-8", text });

const style = async (name: string): Promise<BuiltFile> => ({
  type: "text/css; charset=utf-8",
  text: withoutSpace(await read(name)),
});

/** What the first script imports is asked for at the same time. */
function withPreloads(html: string, script: string): string {
  const links = [...script.matchAll(/from\s*"\.\/([\w.-]+\.js)"/g)].map(
    ([, name]) => `<link rel="modulepreload" href="${name}" />`,
  );
  return html.replace("<script ", `${links.join("")}<script `);
}

/** A style sheet that browsers read and people do not. Its strings have no braces, colons or runs of spaces. */
function withoutSpace(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};]) ?/g, "$1")
    .replace(/;\}/g, "}")
    .replace(/([\w-]): /g, "$1:");
}
