export { checkEditor, type EditorCheck } from "./check/check.ts";
export { NoSuchSession, type EditorHost, type OpenedForEditor, type WantedEditorSession } from "./host.ts";
export { serveEditor, type EditorServer, type EditorStreams } from "./serve.ts";
