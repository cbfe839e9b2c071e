// `@agent-name` in what the user typed: a reminder says that the user wants this agent.

import { asReminder, type AgentDefinition, type NewEntry } from "@keelson/protocol";

const MENTION = /(?<=^|[\s([{])@(?:"([^"\n]{1,200}) \(agent\)"|agent-([\p{L}\p{N}_:.-]{1,200}))/gu;
const MOST = 10;

/** `find` knows the agents that can be started. Names of others are ordinary text. */
export function mentionedAgents(
  text: string,
  find: (name: string) => AgentDefinition | undefined,
  newId: () => string,
): readonly NewEntry[] {
  const names = [...text.matchAll(MENTION)].flatMap(([, quoted, bare]) => {
    const agent = find(quoted ?? bare!) ?? find((quoted ?? bare!).replace(/[.:-]+$/, ""));
    return agent ? [agent.name] : [];
  });
  return [...new Set(names)].slice(0, MOST).map((agentType) => ({
    type: "attachment",
    uuid: newId(),
    attachment: { type: "agent_mention", agentType },
    rendered: [
      {
        content: asReminder(
          `The user wants the agent "${agentType}" for this. Start it with the Agent tool and give it what it needs to know.`,
        ),
      },
    ],
    renderedRole: "user",
  }));
}
