// The conversations that are played through both agents.

import { join } from "node:path";
import type { TemporaryHome } from "@keelson/testkit";
import { fakeServer } from "../../servers/fake.ts";
import type { Answer, Conversation, ConversationPlan } from "./play.ts";

const calls = (...all: readonly (readonly [name: string, input: object])[]) => ({
  calls: all.map(([name, input]) => ({ name, input: input as never })),
});
const call = (name: string, input: object) => calls([name, input]);

/** One prompt, and these replies to it. */
const turn =
  (plan: (home: TemporaryHome) => Partial<ConversationPlan> & Pick<ConversationPlan, "says">, prompt = "Go on") =>
  (home: TemporaryHome): ConversationPlan => ({ talk: async ({ say }) => void (await say(prompt)), ...plan(home) });

const STORY = "Once upon a time.\nThe end.\n";

/** An edit of a file that was read. */
const editing = (last: string, answer: Answer) =>
  turn((home) => {
    const file_path = home.write("story.txt", STORY);
    const edit = call("Edit", { file_path, old_string: "Once", new_string: "Twice" });
    return { says: [call("Read", { file_path }), edit, { text: last }], answers: [answer] };
  });

/** A reply that stays unfinished until it is stopped. */
const held = (text: readonly string[]) => ({ text, hang: true as const, cutAfter: "first_delta" as const });

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const CHOICES = {
  questions: [
    {
      question: "Which color?",
      header: "Color",
      multiSelect: false,
      options: [
        { label: "Red", description: "Warm" },
        { label: "Blue", description: "Cold" },
      ],
    },
  ],
};

export const CONVERSATIONS: readonly Conversation[] = [
  { name: "an answer", plan: turn(() => ({ says: [{ text: "Hello." }] })) },
  { name: "an answer in many parts", plan: turn(() => ({ says: [{ text: "One two three four five.", deltas: 12 }] })) },
  { name: "thinking before an answer", plan: turn(() => ({ says: [{ thinking: "Hm, well.", text: "Yes." }] })) },
  {
    name: "two prompts, one after the other",
    plan: () => ({
      says: [{ text: "First." }, { text: "Second." }],
      talk: async ({ say }) => {
        await say("One");
        await say("Two");
      },
    }),
  },
  {
    name: "two prompts at once",
    plan: () => ({
      says: [{ text: "First." }, { text: "Second." }],
      talk: async ({ say }) => void (await Promise.all([say("One"), say("Two")])),
    }),
  },
  {
    name: "reading a file",
    plan: turn((home) => ({
      says: [call("Read", { file_path: home.write("story.txt", STORY) }), { text: "It is short." }],
    })),
  },
  {
    name: "reading a part of a file",
    plan: turn((home) => ({
      says: [call("Read", { file_path: home.write("story.txt", STORY), offset: 2, limit: 1 }), { text: "The end." }],
    })),
  },
  {
    name: "reading a file by a relative path",
    plan: turn((home) => {
      home.write("story.txt", STORY);
      return { says: [call("Read", { file_path: "story.txt" }), { text: "It is short." }] };
    }),
  },
  {
    name: "reading a file that is not there",
    plan: turn((home) => ({
      says: [call("Read", { file_path: join(home.project, "none.txt") }), { text: "There is none." }],
    })),
  },
  {
    name: "a picture in a file",
    plan: turn((home) => ({
      says: [
        call("Read", { file_path: home.write("pixel.png", Buffer.from(PIXEL, "base64")) }),
        { text: "One pixel." },
      ],
    })),
  },
  {
    name: "two files at once, between two texts",
    plan: turn((home) => ({
      says: [
        {
          text: "I will look.",
          ...calls(
            ["Read", { file_path: home.write("a.txt", "a\n") }],
            ["Read", { file_path: home.write("b.txt", "b\n") }],
          ),
        },
        { text: "Both are short." },
      ],
    })),
  },
  { name: "an edit that is allowed", plan: editing("Changed.", "allow_once") },
  { name: "an edit that is refused", plan: editing("Then not.", "reject_once") },
  { name: "an edit that nobody decides about", plan: editing("Then not.", "cancelled") },
  {
    name: "an edit that does not fit",
    plan: turn((home) => {
      const file_path = home.write("story.txt", STORY);
      return {
        says: [
          call("Read", { file_path }),
          call("Edit", { file_path, old_string: "Never", new_string: "Twice" }),
          { text: "It is not there." },
        ],
      };
    }),
  },
  {
    name: "an edit in many places",
    plan: turn((home) => {
      const lines = Array.from({ length: 40 }, (_, index) => (index % 20 === 5 ? "old" : `line ${index}`));
      const file_path = home.write("long.txt", lines.join("\n"));
      return {
        says: [
          call("Read", { file_path }),
          call("Edit", { file_path, old_string: "old", new_string: "new", replace_all: true }),
          { text: "Changed." },
        ],
      };
    }),
  },
  {
    name: "always allowing edits",
    plan: turn((home) => {
      const file_path = home.write("story.txt", STORY);
      return {
        says: [
          call("Read", { file_path }),
          call("Edit", { file_path, old_string: "Once", new_string: "Twice" }),
          call("Edit", { file_path, old_string: "Twice", new_string: "Thrice" }),
          { text: "Changed." },
        ],
        answers: ["allow_always"],
      };
    }),
  },
  {
    name: "a new file",
    plan: turn((home) => ({
      says: [call("Write", { file_path: join(home.project, "new.txt"), content: "New.\n" }), { text: "Written." }],
    })),
  },
  {
    name: "a file that is written again",
    plan: turn((home) => {
      const file_path = home.write("story.txt", STORY);
      return {
        says: [
          call("Read", { file_path }),
          call("Write", { file_path, content: "Another one.\n" }),
          { text: "Written." },
        ],
      };
    }),
  },
  {
    name: "edits in a mode that accepts them",
    plan: (home) => ({
      says: [call("Write", { file_path: join(home.project, "new.txt"), content: "New.\n" }), { text: "Written." }],
      talk: async ({ editor, sessionId, say }) => {
        await editor.request("session/set_mode", { sessionId, modeId: "acceptEdits" });
        await say("Write it");
      },
    }),
  },
  {
    name: "a command that only looks",
    plan: turn(() => ({
      says: [call("Bash", { command: "echo hello", description: "Say hello" }), { text: "It said hello." }],
    })),
  },
  {
    name: "a command that is allowed",
    plan: turn(() => ({
      says: [call("Bash", { command: "touch made.txt", description: "Make a file" }), { text: "Made." }],
    })),
  },
  {
    name: "a command that is refused",
    plan: turn(() => ({
      says: [call("Bash", { command: "touch made.txt", description: "Make a file" }), { text: "Then not." }],
      answers: ["reject_once"],
    })),
  },
  {
    name: "a command that fails",
    plan: turn(() => ({
      says: [call("Bash", { command: "ls none.txt", description: "Look" }), { text: "It failed." }],
    })),
  },
  {
    name: "a command that prints a fence",
    plan: turn((home) => {
      home.write("fence.md", "```js\n1\n```\n");
      return { says: [call("Bash", { command: "cat fence.md", description: "Show it" }), { text: "A fence." }] };
    }),
  },
  {
    name: "a search for names",
    plan: turn((home) => {
      home.write("src/a.ts", "a");
      return { says: [call("Glob", { pattern: "**/*.ts" }), { text: "One." }] };
    }),
  },
  {
    name: "a search for text",
    plan: turn((home) => {
      home.write("src/a.ts", "needle\n");
      return {
        says: [call("Grep", { pattern: "needle", output_mode: "content" }), { text: "Found." }],
      };
    }),
  },
  {
    name: "a call with input of the wrong type",
    plan: turn(() => ({ says: [call("Read", { file_path: 5 }), { text: "That was wrong." }] })),
  },
  {
    name: "a call of a tool that does not exist",
    plan: turn(() => ({ says: [call("Fly", { to: "moon" }), { text: "I cannot." }] })),
  },
  {
    name: "a notebook",
    plan: turn((home) => {
      const cell = { cell_type: "code", id: "one", metadata: {}, execution_count: null, outputs: [], source: ["1"] };
      const notebook_path = home.write("n.ipynb", { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 });
      return {
        says: [
          call("Read", { file_path: notebook_path }),
          call("NotebookEdit", { notebook_path, cell_id: "one", new_source: "2" }),
          { text: "Changed." },
        ],
      };
    }),
  },
  {
    name: "a list of tasks",
    plan: turn(() => ({
      says: [
        calls(
          ["TaskCreate", { subject: "Look", description: "Look at it", activeForm: "Looking" }],
          ["TaskCreate", { subject: "Fix", description: "Fix it", activeForm: "Fixing" }],
        ),
        call("TaskUpdate", { taskId: "1", status: "in_progress" }),
        call("TaskUpdate", { taskId: "1", status: "completed" }),
        { text: "One is done." },
      ],
    })),
  },
  {
    name: "a subagent",
    plan: turn((home) => ({
      says: [
        call("Agent", { description: "Look", prompt: "Look at it", subagent_type: "general-purpose" }),
        call("Read", { file_path: home.write("story.txt", STORY) }),
        { text: "It is a story." },
        { text: "The agent says it is a story." },
      ],
    })),
  },
  {
    name: "a subagent that has to ask",
    plan: turn((home) => ({
      says: [
        call("Agent", { description: "Write", prompt: "Write it", subagent_type: "general-purpose" }),
        call("Write", { file_path: join(home.project, "new.txt"), content: "New.\n" }),
        { text: "Written." },
        { text: "The agent wrote it." },
      ],
    })),
  },
  {
    name: "a tool of a server of the editor",
    plan: turn((home) => {
      const server = fakeServer(home, "mine", { tools: ["look"] });
      return {
        says: [call("mcp__mine__look", { at: "it" }), { text: "Seen." }],
        servers: [{ name: "mine", ...server.entry, env: [] }],
      };
    }),
  },
  {
    name: "a plan that is approved",
    plan: (home) => ({
      says: [
        { text: "This is how.", ...call("ExitPlanMode", { plan: "# Plan\n\nDo it." }) },
        call("Write", { file_path: join(home.project, "new.txt"), content: "New.\n" }),
        { text: "Done." },
      ],
      talk: async ({ editor, sessionId, say }) => {
        await editor.request("session/set_mode", { sessionId, modeId: "plan" });
        await say("Plan it");
      },
    }),
  },
  {
    name: "a plan that is not approved",
    plan: () => ({
      says: [
        { text: "This is how.", ...call("ExitPlanMode", { plan: "# Plan\n\nDo it." }) },
        { text: "I think again." },
      ],
      talk: async ({ editor, sessionId, say }) => {
        await editor.request("session/set_mode", { sessionId, modeId: "plan" });
        await say("Plan it");
      },
      answers: ["reject_once"],
    }),
  },
  {
    name: "a question with choices",
    plan: turn(() => ({
      says: [call("AskUserQuestion", CHOICES), { text: "Red it is." }],
      answers: [
        ({ method, params }) =>
          method === "elicitation/create"
            ? { action: "accept", content: { [Object.keys(params.requestedSchema.properties)[0]!]: "Red" } }
            : undefined,
      ],
    })),
  },
  {
    name: "a question that is not answered",
    plan: turn(() => ({ says: [call("AskUserQuestion", CHOICES), { text: "Never mind." }] })),
  },
  {
    name: "a command of the session",
    plan: turn(() => ({ says: [{ text: "Hello." }] }), "/context"),
  },
  {
    name: "a command that does not exist",
    plan: turn(() => ({ says: [{ text: "What is that?" }] }), "/contxt"),
  },
  {
    name: "a command of the user",
    plan: (home) => {
      home.write("~/.claude/commands/greet.md", "---\ndescription: Greet\n---\nGreet $ARGUMENTS\n");
      return { says: [{ text: "Hello, Ann." }], talk: async ({ say }) => void (await say("/greet Ann")) };
    },
  },
  { name: "a refusal", plan: turn(() => ({ says: [{ text: "I can", stopReason: "refusal" }] })) },
  {
    name: "an answer that is too long",
    plan: turn(() => ({ says: [1, 2, 3, 4].map((part) => ({ text: `part ${part}, `, stopReason: "max_tokens" })) })),
  },
  { name: "a request that fails", plan: turn(() => ({ says: [{ status: 400, message: "bad request" }] })) },
  { name: "a key that is rejected", plan: turn(() => ({ says: [{ status: 401, message: "invalid x-api-key" }] })) },
  {
    name: "a server that is busy once",
    plan: turn(() => ({
      says: [{ status: 529, message: "Overloaded", headers: { "retry-after": "0" } }, { text: "Now." }],
    })),
  },
  {
    name: "a stop while an answer is written",
    plan: () => ({
      says: [held(["Once", " more"]), { text: "Next." }],
      talk: async ({ say, until, stop }) => {
        const stopped = say("Begin");
        await until(({ content }) => content?.text === "Once");
        stop();
        await stopped;
        await say("Go on");
      },
    }),
  },
  {
    name: "a stop while a question is open",
    plan: (home) => ({
      says: [call("Write", { file_path: join(home.project, "new.txt"), content: "New.\n" }), { text: "Next." }],
      answers: [() => undefined],
      talk: async ({ say, untilAsked, stop }) => {
        const stopped = say("Begin");
        await untilAsked();
        stop();
        await stopped;
        await say("Go on");
      },
    }),
  },
  {
    name: "a stop while a command runs",
    plan: (home) => ({
      says: [call("Bash", { command: "touch runs; sleep 60", description: "Wait" }), { text: "Next." }],
      talk: async ({ say, stop }) => {
        const stopped = say("Begin");
        while (!(await Bun.file(join(home.project, "runs")).exists())) await Bun.sleep(10);
        stop();
        await stopped;
        await say("Go on");
      },
    }),
  },
  {
    name: "a prompt with a picture",
    plan: () => ({
      says: [{ text: "One pixel." }],
      talk: async ({ say }) =>
        void (await say([
          { type: "text", text: "What is this?" },
          { type: "image", data: PIXEL, mimeType: "image/png" },
        ])),
    }),
  },
  {
    name: "a prompt with a link to a file",
    plan: (home) => {
      const uri = `file://${home.write("story.txt", STORY)}`;
      return {
        says: [{ text: "It is a story." }],
        talk: async ({ say }) =>
          void (await say([
            { type: "text", text: "What is this?" },
            { type: "resource_link", name: "story.txt", uri },
          ])),
      };
    },
  },
  {
    name: "a prompt with a part of a file",
    plan: (home) => {
      const uri = `file://${home.write("story.txt", STORY)}`;
      return {
        says: [{ text: "It is the end." }],
        talk: async ({ say }) =>
          void (await say([
            { type: "text", text: "What is this?" },
            { type: "resource", resource: { uri, mimeType: "text/plain", text: "The end." } },
          ])),
      };
    },
  },
  {
    name: "a name for the session",
    plan: () => ({
      says: [{ text: "Hello." }],
      talk: async ({ say }) => {
        await say("Hello");
        await say("/rename My work");
      },
    }),
  },
  {
    name: "a conversation that is summarized",
    plan: () => ({
      says: [{ text: "Hello." }, { text: "Well." }, { text: "<summary>They greeted.</summary>" }, { text: "Yes." }],
      talk: async ({ say }) => {
        await say("Hello");
        await say("How are you?");
        await say("/compact");
        await say("Still there?");
      },
    }),
  },
];
