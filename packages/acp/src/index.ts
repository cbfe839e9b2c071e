export { checkEditor, type EditorCheck } from "./check/check.ts";
export {
  NoSuchSession,
  type EditorHost,
  type KeptShowsFile,
  type OpenedForEditor,
  type WantedEditorSession,
} from "./host.ts";
export { isKeptShow } from "./updates/kept.ts";
export { serveEditor, type EditorServer, type EditorStreams } from "./serve.ts";
