// The settings that /config offers: what each is called, which values it can have, and what applies without one.

export interface Preference {
  readonly key: string;
  readonly label: string;
  readonly about: string;
  /** What applies if no file sets it. */
  readonly standard: string | boolean;
  /** Absent: on or off. */
  readonly values?: readonly string[];
}

export interface PreferenceChoices {
  readonly themes: readonly string[];
  readonly outputStyles: readonly string[];
}

export function preferences({ themes, outputStyles }: PreferenceChoices): readonly Preference[] {
  return [
    { key: "theme", label: "Theme", about: "Colors of the terminal", standard: "auto", values: themes },
    {
      key: "outputStyle",
      label: "Output style",
      about: "How the model works and answers. Applies to the next session",
      standard: "default",
      values: outputStyles,
    },
    {
      key: "effortLevel",
      label: "Effort",
      about: "How much effort the model puts into an answer",
      standard: "default",
      values: ["low", "medium", "high", "xhigh", "max"],
    },
    {
      key: "editorMode",
      label: "Editor mode",
      about: "Keys of the prompt: normal, or those of vim",
      standard: "normal",
      values: ["normal", "vim"],
    },
    flag("verbose", "Verbose output", "Show the complete output of tools", false),
    flag(
      "autoCompactEnabled",
      "Auto-compact",
      "Summarize the conversation when the context window is nearly full",
      true,
    ),
    flag("alwaysThinkingEnabled", "Thinking", "Let the model think before it answers", true),
    flag(
      "fileCheckpointingEnabled",
      "File checkpoints",
      "Keep copies of files before tools change them, for /rewind",
      true,
    ),
    flag("prefersReducedMotion", "Reduced motion", "Turn off animations, such as the spinner", false),
    flag("spinnerTipsEnabled", "Tips", "Show tips while the model works", true),
    {
      key: "preferredNotifChannel",
      label: "Notifications",
      about: "How the terminal notifies you while its window is not in focus",
      standard: "auto",
      values: ["auto", "terminal_bell", "iterm2", "iterm2_with_bell", "kitty", "ghostty", "notifications_disabled"],
    },
  ];
}

const flag = (key: string, label: string, about: string, standard: boolean): Preference => ({
  key,
  label,
  about,
  standard,
});
