// Loaded before a walk: every function of the files in $WALK_FILES reports its file when it is called. At the end the files
// are written to $WALK_ORDER in the order in which their functions ran; calls in a row count as one.

import { afterAll } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseSync } from "oxc-parser";

const root = join(import.meta.dir, "../..");
const files = process.env["WALK_FILES"]!.split("\n");
const order: number[] = [];

declare global {
  var ranFunctionOf: (file: number) => void;
}
globalThis.ranFunctionOf = (file) => {
  if (order.at(-1) !== file) order.push(file);
};

Bun.plugin({
  name: "record-order",
  setup(build) {
    build.onLoad({ filter: /\/packages\/\w+\/src\/.*\.ts$/ }, ({ path }) => {
      const code = readFileSync(path, "utf8");
      const file = files.indexOf(relative(root, path));
      return { loader: "ts", contents: file < 0 ? code : reporting(code, path, file) };
    });
  },
});

afterAll(() => writeFileSync(process.env["WALK_ORDER"]!, order.map((file) => files[file]).join("\n")));

/** The code with a call at the beginning of each function. */
function reporting(code: string, path: string, file: number): string {
  const inserted: { readonly at: number; readonly text: string }[] = [];
  const call = `globalThis.ranFunctionOf(${file})`;
  visit(parseSync(path, code).program, ({ type, body }) => {
    if (!/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type) || !isNode(body)) return;
    if (body.type === "BlockStatement") inserted.push({ at: body.start + 1, text: `${call};` });
    else inserted.push({ at: body.start, text: `(${call}, ` }, { at: body.end, text: ")" });
  });
  let text = code;
  for (const { at, text: more } of inserted.toSorted((a, b) => b.at - a.at)) {
    text = text.slice(0, at) + more + text.slice(at);
  }
  return text;
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly body?: unknown;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function visit(node: SyntaxNode, see: (node: SyntaxNode) => void): void {
  see(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, see);
  }
}
