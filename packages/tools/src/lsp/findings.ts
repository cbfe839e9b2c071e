// What a language server found, as text for the model: one line for each finding, in the form of Grep's. Files that
// the user's rules hide are left out, and only files in the working directories are quoted.

import type { ToolContext } from "@keelson/engine";
import type {
  CodeCall,
  CodeFindings,
  CodeOperation,
  CodePlace,
  CodePosition,
  CodeSymbol,
  PositionEncoding,
} from "@keelson/protocol";
import { shownPath } from "../path.ts";
import { SourceLines } from "./source-lines.ts";

export interface DescribedFindings {
  readonly result: string;
  readonly resultCount: number;
  readonly fileCount: number;
}

interface Question {
  readonly operation: CodeOperation;
  readonly path: string;
  readonly position: CodePosition;
}

const MOST_LISTED = 200;
const MOST_POSITIONS = 10;
const MAX_QUOTED = 200;

/** What one finding is called. */
const NOUNS: Readonly<Record<CodeOperation, readonly [one: string, many: string]>> = {
  goToDefinition: ["definition", "definitions"],
  goToImplementation: ["implementation", "implementations"],
  findReferences: ["reference", "references"],
  hover: ["description", "descriptions"],
  documentSymbol: ["symbol", "symbols"],
  workspaceSymbol: ["symbol", "symbols"],
  prepareCallHierarchy: ["function", "functions"],
  incomingCalls: ["caller", "callers"],
  outgoingCalls: ["called function", "called functions"],
};

export async function describeFindings(
  question: Question,
  findings: CodeFindings,
  context: ToolContext,
): Promise<DescribedFindings> {
  const { hover, encoding, isBusy, total } = findings;
  const lines = new SourceLines(context);
  const all = entriesOf(question, findings).filter(({ path }) => context.mayRead(path));
  const note = isBusy ? "\n\n(The language server is still reading the project; ask again later.)" : "";
  if (hover !== undefined && hover.trim() !== "") {
    return { result: hover.trim(), resultCount: 1, fileCount: 1 };
  }
  if (all.length === 0)
    return { result: `${nothing(question, findings, context)}${note}`, resultCount: 0, fileCount: 0 };
  const shown: string[] = [];
  for (const entry of all.slice(0, MOST_LISTED)) shown.push(await entry.text(lines, encoding));
  const fileCount = new Set(all.map(({ path }) => path)).size;
  // The server named more than were kept; some of those may be hidden ones.
  const count = total ?? all.length;
  const more = count > shown.length ? `\n\n(${count - shown.length} more are not listed.)` : "";
  const heading = `Found ${count} ${NOUNS[question.operation][count === 1 ? 0 : 1]}${whereText(question, fileCount, context)}`;
  return { result: `${heading}\n${shown.join("\n")}${more}`, resultCount: count, fileCount };
}

interface Entry {
  readonly path: string;
  text(lines: SourceLines, encoding: PositionEncoding): Promise<string>;
}

function entriesOf({ operation, path }: Question, { places = [], symbols = [], calls = [] }: CodeFindings): Entry[] {
  return [
    ...places.map((place) => ({
      path: place.path,
      text: (lines: SourceLines, encoding: PositionEncoding) => placeText(place, lines, encoding),
    })),
    ...symbols.map((symbol) => ({
      path: symbol.path,
      text: (lines: SourceLines, encoding: PositionEncoding) =>
        operation === "documentSymbol" ? outlineText(symbol, lines, encoding) : symbolText(symbol, lines, encoding),
    })),
    ...calls.map((call) => ({
      path: call.symbol.path,
      text: (lines: SourceLines, encoding: PositionEncoding) =>
        callText(call, operation === "incomingCalls" ? call.symbol.path : path, { operation, lines, encoding }),
    })),
  ];
}

async function placeText(place: CodePlace, lines: SourceLines, encoding: PositionEncoding): Promise<string> {
  const quoted = (await lines.quote(place)).trim();
  const text = quoted.length > MAX_QUOTED ? `${quoted.slice(0, MAX_QUOTED)}…` : quoted;
  return `${await lines.locate(place, encoding)}${text === "" ? "" : `: ${text}`}`;
}

async function symbolText(symbol: CodeSymbol, lines: SourceLines, encoding: PositionEncoding): Promise<string> {
  const { kind, name, container } = symbol;
  const around = container === undefined ? "" : ` in ${container}`;
  return `${await lines.locate(symbol, encoding)}: ${kind} ${name}${around}`;
}

/** All in one file, so without its path; what is inside others is indented. */
async function outlineText(symbol: CodeSymbol, lines: SourceLines, encoding: PositionEncoding): Promise<string> {
  const { kind, name, detail, depth } = symbol;
  const place = await lines.position(symbol, symbol.path, encoding);
  return `${"  ".repeat(depth)}${place} ${kind} ${name}${detail === undefined ? "" : ` (${oneLine(detail)})`}`;
}

async function callText(
  { symbol, at }: CodeCall,
  path: string,
  { operation, lines, encoding }: { operation: CodeOperation; lines: SourceLines; encoding: PositionEncoding },
): Promise<string> {
  const places = at.slice(0, MOST_POSITIONS).map((each) => lines.position(each, path, encoding));
  const more = at.length > places.length ? ", …" : "";
  const verb = operation === "incomingCalls" ? "calls it at" : "called at";
  const where = at.length === 0 ? "" : `, ${verb} ${(await Promise.all(places)).join(", ")}${more}`;
  return `${await symbolText(symbol, lines, encoding)}${where}`;
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

function whereText({ operation, path }: Question, fileCount: number, { workspace }: ToolContext): string {
  if (operation === "documentSymbol") return ` in ${shownPath(path, workspace.cwd)}`;
  return fileCount === 1 ? "" : ` in ${fileCount} files`;
}

function nothing({ operation, path, position }: Question, { word }: CodeFindings, { workspace }: ToolContext): string {
  const noun = NOUNS[operation][1];
  const file = shownPath(path, workspace.cwd);
  if (operation === "documentSymbol") return `No symbols found in ${file}`;
  const place = `${file}:${position.line + 1}:${position.character + 1}`;
  if (word === "") return `No ${noun} found: there is no name at ${place}. Point at a letter of the symbol's name.`;
  return `No ${noun} found for "${word}" at ${place}`;
}
