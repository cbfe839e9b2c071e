// Skills, command files and mentions: what a client lists, and what the model reads when they are typed or invoked.

import { expect } from "bun:test";
import { heard, init, ofKind, result, results, turn, type Scenario, type Seen } from "../scenario.ts";

const texts = (seen: Seen, request: number) => heard(seen, request).map(({ text, content }) => text ?? content);

const FILES = {
  ".claude/commands/ns/fix.md": "---\ndescription: Fixes\nargument-hint: <file>\n---\nFix $0, not $1 ($ARGUMENTS)",
  ".claude/commands/plain.md": "Do it",
  ".claude/skills/deploy/SKILL.md": "---\ndescription: Ships\nwhen_to_use: on Fridays\n---\nShip",
  ".claude/skills/own/SKILL.md": "---\ndescription: For you\ndisable-model-invocation: true\n---\nOwn",
  ".claude/skills/hidden/SKILL.md": "---\ndescription: For the model\nuser-invocable: false\n---\nHidden",
  "a.txt": "alpha\nbeta\n",
};

const heading = (name: string, args = "") =>
  `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>` +
  (args === "" ? "" : `\n<command-args>${args}</command-args>`);
const base = (name: string, text: string) =>
  `Base directory for this skill: <project>/.claude/skills/${name}\n\n${text}`;

export const SKILLS: readonly Scenario[] = [
  {
    name: "files of skills and commands",
    files: FILES,
    says: [{ text: "1" }, { text: "2" }, { text: "3" }, { text: "4" }, { text: "5" }],
    steps: [
      ...turn('/ns:fix "a b" c'),
      ...turn("/deploy now"),
      ...turn("/plain /own at once"),
      ...turn("/hidden"),
      ...turn("/no-such thing"),
      ...turn("see @a.txt#L2"),
    ],
    cases: [
      {
        name: "are listed by name: what can be typed, and what is a skill",
        see: (seen) => {
          const { slash_commands: typed, skills } = init(seen);
          const own = ["deploy", "hidden", "ns:fix", "own", "plain"];
          return [typed, skills].map((names) => own.filter((name) => names.includes(name)));
        },
        is: [
          ["deploy", "ns:fix", "own", "plain"],
          ["deploy", "own"],
        ],
      },
      {
        name: "are listed for the model: what it may invoke",
        see: ({ requests }) => {
          const all = requests[0].messages[0].content.map(({ text }: any) => text).join("\n");
          return all.split("\n").filter((line: string) => /^- (?:deploy|hidden|ns:fix|own|plain)\b/.test(line));
        },
        is: ["- deploy: Ships - on Fridays", "- hidden: For the model", "- ns:fix: Fixes", "- plain: Do it"],
      },
      {
        name: "a command is its heading and its text, with arguments counted from zero",
        see: (seen) => texts(seen, 1),
        is: [heading("ns:fix", '"a b" c'), 'Fix a b, not c ("a b" c)'],
      },
      {
        name: "a skill names its folder, and arguments without a place are added",
        see: (seen) => texts(seen, 2),
        is: [heading("deploy", "now"), base("deploy", "Ship\n\nARGUMENTS: now")],
      },
      {
        name: "several at once are all there, each with the rest as its arguments",
        see: (seen) => texts(seen, 3),
        is: [
          heading("plain", "at once"),
          "Do it\n\nARGUMENTS: at once",
          heading("own", "at once"),
          base("own", "Own\n\nARGUMENTS: at once"),
        ],
      },
      {
        name: "one for the model alone is not sent to it",
        see: (seen) => results(seen)[3].num_turns,
        is: 0,
      },
      {
        name: "an unknown command of a client is text for the model",
        see: (seen) => texts(seen, 4),
        is: ["/no-such thing"],
      },
      {
        name: "a mentioned file is read before the prompt",
        see: (seen) => texts(seen, 5),
        is: [
          expect.stringContaining('Called the Read tool with the following input: {"file_path":"<project>/a.txt"'),
          expect.stringContaining("2\tbeta"),
          "see @a.txt#L2",
        ],
      },
    ],
  },
  {
    name: "the Skill tool",
    files: FILES,
    says: [
      { calls: [{ name: "Skill", input: { skill: "deploy", args: "eu" } }] },
      { calls: [{ name: "Skill", input: { skill: "own" } }] },
      { calls: [{ name: "Skill", input: { skill: "deplyo" } }] },
      { text: "done" },
    ],
    steps: turn("hi"),
    cases: [
      {
        name: "launches, and the text follows the result",
        see: (seen) => texts(seen, 2),
        is: ["Launching skill: deploy", base("deploy", "Ship\n\nARGUMENTS: eu")],
      },
      {
        name: "refuses one that only the user starts",
        see: (seen) => texts(seen, 3),
        is: [
          "<tool_use_error>Skill own cannot be used with Skill tool due to disable-model-invocation. Only the user can invoke it, by typing /own</tool_use_error>",
        ],
      },
      {
        name: "suggests a name that is close",
        see: (seen) => texts(seen, 4),
        is: ["<tool_use_error>Unknown skill: deplyo. Did you mean deploy?</tool_use_error>"],
      },
      {
        name: "shows the text as a message of its own",
        see: (seen) => ofKind(seen, "user")[1].message.content[0].text,
        is: base("deploy", "Ship\n\nARGUMENTS: eu"),
      },
      { name: "ends like any run", see: (seen) => result(seen).result, is: "done" },
    ],
  },
];
