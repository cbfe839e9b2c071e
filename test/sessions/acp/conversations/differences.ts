// How what we show differs from what the official adapter shows of the same session, and why. "loaded" is a session that was
// loaded again.

export interface KnownDifference {
  /** All of its name. */
  readonly what: RegExp;
  readonly why: string;
}

const known = (what: string, why: string): KnownDifference => ({ what: new RegExp(`^(?:${what})$`), why });

export const DIFFERENCES: readonly KnownDifference[] = [
  // What is told beside the conversation.
  known("only the adapter: usage", "it tells the usage also when a reply begins; ours follows each turn"),
  known("loaded only ours: usage", "it does not tell the usage of a session that it loads"),
  known("commands: names", "it hides some commands of the session, and has some of its own"),
  known(
    "(loaded )?(only ours|only the adapter|title): title",
    "it asks the model for a title after some prompts, and a name that is given with /rename does not reach its clients; ours is " +
      "the first prompt, or that name",
  ),
  known("only ours: mode", "it tells a change of the mode among the options only"),
  known("only ours: options", "an approved suggestion that changes the mode is not told by it"),
  known(
    "options: values",
    "it has other options (ultracode, agent), and says default for the effort that the model has",
  ),
  known("usage: cost", "it tells the cost with the last usage of a turn, not with those before it"),
  known("usage: used", "it counts a reply that has only begun"),
  known("only ours: usage", "it tells no usage after a command of the session"),

  // Calls.
  known("(loaded )?call \\S+: states", "it goes from pending to the end; the protocol wants in_progress between"),
  known(
    "(loaded )?call \\S+: title",
    "its titles are sentences; ours begin with the tool, and name the server of an MCP tool",
  ),
  known("(loaded )?call NotebookEdit: as", "it calls a change of a notebook other; it is an edit"),
  known("(loaded )?call \\S+: locations", "relative paths stay relative in it, and many calls have no places"),
  known("(loaded )?call Read: content", "it leaves out the number of the empty last line"),
  known("(loaded )?call Bash: content", "its fences are marked as console, and a description stands for no output"),
  known("(loaded )?call (Glob|Grep|NotebookEdit|mcp__mine__look): content", "ours has a fence around what was printed"),
  known("(loaded )?call (Fly|Edit): content", "it shows the tags around an error, and the words of its own refusal"),
  known("(loaded )?call (ExitPlanMode|AskUserQuestion): content", "the words of a refusal"),
  known("loaded call (Edit|Write): content", "it shows what the input says, not what changed in the file"),
  known("loaded call Agent: content", "it adds an empty text"),
  known("(loaded )?only ours: call Task(Create|Update)", "it hides these calls; their plan is in both"),
  known(
    "loaded only ours: call Write",
    "a call of a subagent that was asked about is not shown by it when the session is loaded",
  ),
  known(
    "(loaded )?plan: entries",
    "its entry in progress has other words, and its plan follows each call, not each reply",
  ),
  known("only the adapter: plan", "as before"),
  known("only the adapter: call (Read|Write)", "it shows calls of a subagent beside the call that started it"),
  known(
    "(loaded )?only ours: call Read",
    "its prompt fails at a call with input of the wrong type; ours is a failed call",
  ),
  known("loaded only the adapter: end", "and so does loading the session"),
  known("only the adapter: call compact", "it shows a compaction as a call; ours says it"),

  // Questions.
  known("question: choices", "ours has a choice for each rule that could be kept, and a no that stops"),
  known("question: content", "ours shows what would change in the file, and a command in a fence"),
  known("question: about", "ours names the tool, and the subagent that asks"),

  // What is said.
  known("only the adapter: answer", "it says an error of a request beside the error that the prompt gets"),
  known("(loaded )?only ours: answer", "it ends the prompt when planning goes on, and hides what commands printed"),
  known("loaded only ours: prompt", "it hides commands that were typed, and shows attached text as text"),
  known("loaded only the adapter: prompt", "it shows the marks of stopped prompts as prompts"),
  known(
    "loaded prompt: text",
    "it shows these marks, the text of a command, and the summary of a compaction as prompts",
  ),
  known(
    "(loaded )?answer: text",
    "it says what /context printed twice, ends no line of the session itself, sends unknown commands to the model, and leaves " +
      "out what was said before a compaction",
  ),
  known("end: reason", "a plan that is not approved ends its prompt, and so does input of the wrong type"),
];
