// What the session needs to know of text and of kinds of files when clients have some open.

export { fileKind } from "./read/kind.ts";
export { diskTextKey, isSameText, shownLike, shownTextKey, unsavedBytes } from "./text-file/unsaved.ts";
