// The permission modes of routines, as people read them.

export const MODES = [
  ["dontAsk", "Deny what is not allowed"],
  ["acceptEdits", "Accept edits in the checkout"],
  ["default", "Ask for edits and more"],
  ["plan", "Plan only"],
  ["auto", "Decide by itself, in the sandbox"],
  ["bypassPermissions", "Allow all, in the sandbox"],
] as const;

/** One that this page does not know is shown as it is. */
export const modeName = (mode: string) => MODES.find(([known]) => known === mode)?.[1] ?? mode;
