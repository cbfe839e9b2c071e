// SendMessage within a team: to one member, to the lead, or to all.

import { TEAM_LEAD, type TeamMember } from "@keelson/store/team";
import type { SendMessageOutput } from "@keelson/tools";
import type { Storage } from "../session/storage.ts";
import { post, type TeamFiles } from "./team-world.ts";

export interface Sender {
  readonly files: TeamFiles;
  readonly storage: Storage;
  /** The sender's name in the team. */
  readonly self: string;
  readonly color?: string | undefined;
}

/** Undefined if no one in the team has this name. */
export async function sendToTeam(
  sender: Sender,
  to: string,
  message: string | Readonly<Record<string, unknown>>,
  summary?: string,
): Promise<SendMessageOutput | undefined> {
  const { files, self } = sender;
  const members = files.file.read()?.members ?? [];
  if (to === "*") {
    if (typeof message !== "string") return failed("Only plain text can be sent to all members");
    const others = othersIn(files, self);
    const problems = await Promise.all(others.map((name) => deliver(sender, name, message, summary)));
    const problem = problems.find((each) => each !== undefined);
    return problem === undefined ? sent(`Message sent to ${others.length} members of the team`) : failed(problem);
  }
  const member = members.find(({ name, agentId }) => name === to || agentId === to);
  if (!member) return undefined;
  if (member.name === self) return failed("You cannot send a message to yourself");
  if (member.ended !== undefined) {
    return failed(`${member.name} has ended (${member.ended}). Start it again with the Agent tool and the same name.`);
  }
  const refusal = typeof message === "string" ? undefined : whyNot(message, self, member.name);
  if (refusal !== undefined) return failed(refusal);
  const text =
    typeof message === "string" ? message : JSON.stringify({ ...withRequestId(message, member.name), from: self });
  const problem = await deliver(sender, member.name, text, summary);
  return problem === undefined ? sent(`Message sent to ${member.name}`) : failed(problem);
}

/** The names of the other members that are there. */
export function othersIn({ file }: TeamFiles, self: string): readonly string[] {
  const isThere = ({ name, ended }: TeamMember) => name !== self && ended === undefined;
  return (file.read()?.members ?? []).filter(isThere).map(({ name }) => name);
}

const sent = (message: string): SendMessageOutput => ({ success: true, message });
const failed = (message: string): SendMessageOutput => ({ success: false, message });

function deliver({ files, storage, self, color }: Sender, to: string, text: string, summary?: string) {
  return post(files, storage, to, {
    from: self,
    text,
    ...(summary === undefined ? {} : { summary }),
    ...(color === undefined ? {} : { color }),
  });
}

/** Who may send which structured message. Answers to permission questions are not the model's to give. */
function whyNot({ type, request_id: id }: Readonly<Record<string, unknown>>, from: string, to: string) {
  const toLead = to === TEAM_LEAD;
  switch (type) {
    case "shutdown_request":
      return from === TEAM_LEAD ? undefined : "Only the team lead can ask a member to end";
    case "shutdown_response":
      if (!toLead) return 'A shutdown_response goes to "team-lead"';
      return typeof id === "string" ? undefined : "A shutdown_response needs the request_id of the request";
    case "plan_approval_response":
      return "Only the team lead can approve a plan";
    default:
      return `Unknown message type "${String(type)}"; use shutdown_request, shutdown_response, plan_approval_response, or a text`;
  }
}

function withRequestId(message: Readonly<Record<string, unknown>>, to: string) {
  const needsId = message["type"] === "shutdown_request" && typeof message["request_id"] !== "string";
  return needsId ? { ...message, request_id: `shutdown-${crypto.randomUUID().slice(0, 8)}@${to}` } : message;
}
