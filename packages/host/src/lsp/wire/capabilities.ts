// What we tell a language server about us, and what its answer says it can do.

import { isObject, type CodeOperation, type PositionEncoding } from "@keelson/protocol";

/**
 * Positions are asked for in UTF-16, which every server must speak; one that chooses another unit all the same is believed.
 * Pull diagnostics may be registered later, because some servers offer them in no other way. Everything else a server
 * may register has no effect on us.
 */
export const CLIENT_CAPABILITIES = {
  general: { positionEncodings: ["utf-16"] },
  textDocument: {
    synchronization: { didSave: true },
    hover: { contentFormat: ["markdown", "plaintext"] },
    definition: { linkSupport: true },
    implementation: { linkSupport: true },
    references: {},
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    callHierarchy: {},
    publishDiagnostics: { versionSupport: true },
    diagnostic: { dynamicRegistration: true },
  },
  workspace: {
    symbol: {},
    configuration: true,
    workspaceFolders: true,
    didChangeConfiguration: {},
    didChangeWatchedFiles: {},
    diagnostics: { refreshSupport: true },
  },
  window: { workDoneProgress: true, showMessage: {}, showDocument: { support: false } },
} as const;

export interface ServerAbilities {
  readonly encoding: PositionEncoding;
  /** Whether it wants to know about open documents at all, and about changes of them. */
  readonly sync: {
    readonly open: boolean;
    readonly change: boolean;
    readonly save: boolean;
    readonly saveText: boolean;
  };
  readonly pullsDiagnostics: boolean;
  readonly operations: ReadonlySet<CodeOperation>;
}

const PROVIDERS: Readonly<Record<CodeOperation, string>> = {
  goToDefinition: "definitionProvider",
  findReferences: "referencesProvider",
  hover: "hoverProvider",
  documentSymbol: "documentSymbolProvider",
  workspaceSymbol: "workspaceSymbolProvider",
  goToImplementation: "implementationProvider",
  prepareCallHierarchy: "callHierarchyProvider",
  incomingCalls: "callHierarchyProvider",
  outgoingCalls: "callHierarchyProvider",
};

/** `answer` is what the server answered to `initialize`. */
export function abilitiesOf(answer: unknown): ServerAbilities {
  const result = isObject(answer) ? answer : {};
  const capabilities = isObject(result["capabilities"]) ? result["capabilities"] : {};
  // clangd had its own field before there was a standard one.
  const encoding = capabilities["positionEncoding"] ?? result["offsetEncoding"];
  const operations = (Object.keys(PROVIDERS) as CodeOperation[]).filter((name) => isOn(capabilities[PROVIDERS[name]]));
  return {
    encoding: encoding === "utf-8" || encoding === "utf-32" ? encoding : "utf-16",
    sync: syncOf(capabilities["textDocumentSync"]),
    pullsDiagnostics: isOn(capabilities["diagnosticProvider"]),
    operations: new Set(operations),
  };
}

const isOn = (value: unknown) => value === true || isObject(value);

/** Either a number (0: none, 1: whole texts, 2: changed parts), or an object with such a number. */
function syncOf(value: unknown): ServerAbilities["sync"] {
  if (!isObject(value)) {
    const on = typeof value === "number" && value > 0;
    return { open: on, change: on, save: on, saveText: false };
  }
  const { openClose, change, save } = value;
  return {
    open: openClose === true,
    change: typeof change === "number" && change > 0,
    save: isOn(save),
    saveText: isObject(save) && save["includeText"] === true,
  };
}
