// A language server for tests, run as a program: `bun fake-server.test-support.ts '{"log": …}'`. Its language has names;
// `def name` defines one, every other place uses it, and a line with BAD is an error, one with ODD a warning.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface FakeLanguageServer {
  /** Where it notes each message it gets, as lines of JSON, and first its process id. */
  readonly log: string;
  /** It answers `textDocument/diagnostic` instead of publishing. */
  readonly pulls?: boolean;
  /** It publishes nothing, then the problems. */
  readonly publishesTwice?: boolean;
  readonly encoding?: string;
  /** Never answers these. */
  readonly ignores?: readonly string[];
  /** Exits when it gets this; with `once`, a file beside the log remembers that it did. */
  readonly diesOn?: { readonly method: string; readonly once?: string };
  readonly exitsAtOnce?: boolean;
  /** Writes this instead of its first message. */
  readonly prints?: string;
  /** Sends so many messages when it gets its first request after the handshake. */
  readonly floods?: number;
  /** Uses so much memory after the handshake, the first time: a file beside the log remembers it. */
  readonly memory?: { readonly mb: number; readonly once: string };
  readonly ignoresSignals?: boolean;
  /** Writes to stderr when its input ends. */
  readonly complainsAtEnd?: boolean;
  /** Requests that it sends after the handshake. */
  readonly asks?: readonly { readonly method: string; readonly params: unknown }[];
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** Notes what is in this file when it starts. */
  readonly reads?: string;
  /** Answers by method, instead of its own. */
  readonly answers?: Readonly<Record<string, unknown>>;
}

if (import.meta.main) serve(JSON.parse(process.argv[2] ?? "{}") as FakeLanguageServer);

function serve(script: FakeLanguageServer): void {
  const note = (value: unknown) => appendFileSync(script.log, `${JSON.stringify(value)}\n`);
  note({ pid: process.pid, env: { ...process.env }, cwd: process.cwd() });
  if (script.ignoresSignals)
    for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) process.on(signal, () => {});
  if (script.reads !== undefined) note({ read: contentOf(script.reads) });
  if (script.exitsAtOnce) {
    process.stderr.write("cannot go on\n");
    process.exit(3);
  }
  if (script.prints !== undefined) process.stdout.write(script.prints);
  /** Always without a name. */
  const isFirst = (name: string | undefined) => {
    const file = name && join(dirname(script.log), name);
    if (!file) return true;
    if (existsSync(file)) return false;
    writeFileSync(file, "");
    return true;
  };
  const texts = new Map<string, string>();
  let ballast: Uint8Array | undefined;
  let flooded = false;
  const send = (message: object) => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    process.stdout.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  const publish = (uri: string, version: number) => {
    if (script.pulls) return;
    const params = { uri, version };
    const publishThis = (diagnostics: object[]) =>
      send({ method: "textDocument/publishDiagnostics", params: { ...params, diagnostics } });
    if (script.publishesTwice) publishThis([]);
    publishThis(diagnosticsOf(texts.get(uri) ?? ""));
  };

  function receive({ id, method, params, result, error }: any): void {
    note({ id, method, params, result, error });
    const { diesOn, ignores = [], floods = 0 } = script;
    if (diesOn && method === diesOn.method && isFirst(diesOn.once)) process.exit(9);
    if (ignores.includes(method)) return;
    if (id !== undefined && method !== undefined) {
      if (method !== "initialize" && !flooded) {
        flooded = true;
        for (let n = 0; n < floods; n++) {
          send({ method: "window/logMessage", params: { type: 3, message: "x".repeat(1_000) } });
        }
      }
      const answer = answerTo(method, params);
      return send({
        id,
        ...(answer === undefined ? { error: { code: -32601, message: "no such method" } } : { result: answer }),
      });
    }
    switch (method) {
      case "initialized":
        for (const [at, each] of (script.asks ?? []).entries()) send({ id: `ask ${at}`, ...each });
        if (script.memory && isFirst(script.memory.once)) {
          ballast = new Uint8Array(script.memory.mb * 1024 * 1024).fill(1);
          note({ ballast: ballast.length });
        }
        break;
      case "textDocument/didOpen":
        texts.set(params.textDocument.uri, params.textDocument.text);
        publish(params.textDocument.uri, params.textDocument.version);
        break;
      case "textDocument/didChange":
        texts.set(params.textDocument.uri, params.contentChanges.at(-1).text);
        publish(params.textDocument.uri, params.textDocument.version);
        break;
      case "textDocument/didClose":
        texts.delete(params.textDocument.uri);
        break;
      case "exit":
        process.exit(0);
    }
  }

  function answerTo(method: string, params: any): unknown {
    if (script.answers && Object.hasOwn(script.answers, method)) return script.answers[method];
    const uri = params?.textDocument?.uri ?? params?.item?.uri;
    const found = () => wordAt(texts.get(uri) ?? "", params.position);
    switch (method) {
      case "initialize":
        return {
          capabilities: {
            positionEncoding: script.encoding ?? "utf-16",
            textDocumentSync: { openClose: true, change: 1, save: true },
            definitionProvider: true,
            referencesProvider: true,
            hoverProvider: {},
            documentSymbolProvider: true,
            workspaceSymbolProvider: true,
            implementationProvider: true,
            callHierarchyProvider: true,
            ...(script.pulls
              ? { diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: false } }
              : {}),
            ...script.capabilities,
          },
        };
      case "textDocument/definition":
      case "textDocument/implementation":
        return usesOf(found()).filter(({ isDefinition }) => isDefinition);
      case "textDocument/references":
        return usesOf(found());
      case "textDocument/hover":
        return { contents: { kind: "markdown", value: `**${found()}** in ${fileURLToPath(uri)}` } };
      case "textDocument/documentSymbol":
        return symbolsIn(uri);
      case "workspace/symbol":
        return [...texts.keys()].flatMap((each) =>
          symbolsIn(each)
            .filter(({ name }) => name.includes(params.query))
            .map(({ name, kind, range }) => ({ name, kind, location: { uri: each, range } })),
        );
      case "textDocument/prepareCallHierarchy":
        return usesOf(found())
          .filter(({ isDefinition }) => isDefinition)
          .map(({ uri: at, range }) => ({ name: found(), kind: 12, uri: at, range, selectionRange: range }));
      case "callHierarchy/incomingCalls":
        return usesOf(params.item.name)
          .filter(({ isDefinition }) => !isDefinition)
          .map(({ uri: at, range }) => ({
            from: { name: "caller", kind: 12, uri: at, range, selectionRange: range },
            fromRanges: [range],
          }));
      case "callHierarchy/outgoingCalls":
        return [{ to: { ...params.item, name: "called" }, fromRanges: [params.item.range] }];
      case "textDocument/diagnostic":
        return { kind: "full", items: diagnosticsOf(texts.get(uri) ?? "") };
      case "shutdown":
        return null;
      default:
        return undefined;
    }
  }

  function usesOf(name: string) {
    return [...texts].flatMap(([uri, text]) =>
      wordsIn(text)
        .filter(({ word }) => word === name && word !== "")
        .map(({ range, isDefinition }) => ({ uri, range, isDefinition })),
    );
  }

  function symbolsIn(uri: string) {
    return wordsIn(texts.get(uri) ?? "")
      .filter(({ isDefinition }) => isDefinition)
      .map(({ word, range }) => ({ name: word, kind: 12, range, selectionRange: range }));
  }

  let buffer = Buffer.alloc(0);
  process.stdin.on("data", (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const end = buffer.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(buffer.subarray(0, end).toString())?.[1]);
      if (end === -1 || buffer.length < end + 4 + length) return;
      const text = buffer.subarray(end + 4, end + 4 + length).toString("utf8");
      buffer = buffer.subarray(end + 4 + length);
      receive(JSON.parse(text));
    }
  });
  process.stdin.on("end", () => {
    if (script.complainsAtEnd) process.stderr.write("broken pipe\n");
    if (!script.ignoresSignals) process.exit(1);
  });
  setInterval(() => ballast?.fill(2, 0, 1), 1_000);
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unreadable";
  }
}

function wordsIn(text: string) {
  return text.split("\n").flatMap((content, line) =>
    [...content.matchAll(/\w+/g)]
      .filter(({ 0: word }) => word !== "def")
      .map(({ 0: word, index }) => ({
        word,
        range: { start: { line, character: index }, end: { line, character: index + word.length } },
        isDefinition: content.slice(0, index).endsWith("def "),
      })),
  );
}

function wordAt(text: string, { line, character }: { line: number; character: number }): string {
  const words = wordsIn(text).filter(({ range }) => range.start.line === line);
  return words.find(({ range }) => range.start.character <= character && character < range.end.character)?.word ?? "";
}

function diagnosticsOf(text: string) {
  return wordsIn(text)
    .filter(({ word }) => word === "BAD" || word === "ODD")
    .map(({ word, range }) => {
      return { range, severity: word === "BAD" ? 1 : 2, source: "fake", code: 7, message: `${word} is not allowed` };
    });
}
