// Text that Keelson puts next to what the user typed. Models know these tags: what is inside does not come from the user.

/** No text can close the block it is in. */
export function asReminder(text: string): string {
  return `<system-reminder>\n${withoutReminderTags(text)}\n</system-reminder>`;
}

export function withoutReminderTags(text: string): string {
  return text.replace(/<(\s*\/?)(?=\s*system-reminder\b)/gi, "<$1\u200b");
}
