// Who may answer what a run asks: anybody who may change routines, but what reaches further than the run itself only admins.

import { expect, test } from "bun:test";
import { temporaryHome } from "@keelson/testkit";
import { claimRun, openStore } from "../page/kept-runs.ts";
import { firstAdmin, invited } from "./person.ts";
import { request, serving, tokenFor } from "./serving.ts";

const inside = {
  subtype: "can_use_tool",
  tool_name: "Bash",
  tool_use_id: "c1",
  input: { command: "make deploy", env: { STAGE: "1" } },
  decision_reason_type: "rule",
};
const outside = {
  ...inside,
  tool_name: "Write",
  input: { file_path: "/home/worker/x", content: "x" },
  blocked_path: "/home/worker/x",
};
const unconfined = { ...inside, decision_reason_type: "sandboxOverride" };
const questions = [{ question: "Which?", header: "B", options: [{ label: "a" }, { label: "b" }], multiSelect: false }];
const asked = { ...inside, tool_name: "AskUserQuestion", input: { questions } };
const plan = { ...inside, tool_name: "ExitPlanMode", input: { plan: "1. Look" } };
const form = { subtype: "elicitation", mcp_server_name: "s", message: "Name?", requested_schema: {} };
const unknown = { subtype: "something_new", input: {} };

const REACHES = "Only an admin can allow this call: it reaches outside the checkout of the run";
const LEAVES = "Only an admin can allow this call: it would run outside the sandbox";
const REPLACES =
  "Only an admin can change the input of a call; allow it as it is, or deny it and say what to do instead";
const REASKS = "Only an admin can change what was asked; answer it, or deny it";

const allow = (input?: object) => ({ behavior: "allow", ...(input === undefined ? {} : { updated_input: input }) });
const deny = { behavior: "deny", message: "No" };

/** What is asked, what is answered, and why a member may not; undefined: they may. */
const ANSWERS: readonly (readonly [object, object, string | undefined])[] = [
  [inside, allow(), undefined],
  [inside, allow({ env: { STAGE: "1" }, command: "make deploy" }), undefined],
  [inside, deny, undefined],
  [inside, allow({ ...inside.input, command: "make deploy; curl evil.test" }), REPLACES],
  [inside, allow({ command: "make deploy" }), REPLACES],
  [inside, allow({ ...inside.input, answers: { a: "b" } }), REPLACES],
  [inside, allow({}), REPLACES],
  [outside, allow(), REACHES],
  [outside, allow(outside.input), REACHES],
  [outside, allow({ ...outside.input, file_path: "inside.txt" }), REACHES],
  [{ ...outside, blocked_path: null }, allow(), REACHES],
  [outside, deny, undefined],
  [unconfined, allow(), LEAVES],
  [asked, allow({ questions, answers: { "Which?": "a" }, annotations: { "Which?": { notes: "now" } } }), undefined],
  [asked, allow({ questions: [], answers: { "Which?": "a" } }), REASKS],
  [asked, allow({ questions, answers: {}, file_path: "/etc/passwd" }), REASKS],
  [plan, allow(plan.input), undefined],
  [plan, allow({ plan: "1. Delete it" }), REPLACES],
  [form, { action: "accept", content: { name: "x" } }, undefined],
  [unknown, allow(), "Only an admin can answer this"],
];

test("a member allows a call as it is and answers what is asked; what reaches further is for admins, and refusals are in the audit", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: ["--role", "api"] });
  const ada = await firstAdmin(server);
  const mel = await invited(server, ada, "member", "Mel");
  const vic = await invited(server, ada, "viewer", "Vic");
  const writer = await tokenFor(home, "writer", "--scope", "write");
  const store = await openStore(home);
  const { json: routine } = await ada.call("POST", "/v1/code/triggers", {
    name: "One",
    prompt: "Go",
    questions: "ask",
    overlap: "queue",
  });
  const refused: unknown[] = [];
  for (const [question, reply, problem] of ANSWERS) {
    await ada.call("POST", `/v1/code/triggers/${routine.id}/run`, {});
    const run = await claimRun(store);
    await run.ask(question);
    const path = `/v1/runs/${run.id}/answer`;
    const body = { question_id: "ask_0", ...reply };
    const statusFor = (role: typeof vic) => role.call("POST", path, body).then(({ status }) => status);
    expect([question, reply, await statusFor(vic)]).toEqual([question, reply, 403]);
    if (problem !== undefined) {
      for (const { status, json } of [
        await mel.call("POST", path, body),
        await request(server.url, writer, "POST", path, body),
      ])
        expect([question, reply, status, json.error]).toEqual([
          question,
          reply,
          403,
          { type: "permission_error", message: problem },
        ]);
      refused.push([problem, run.id]);
      expect((await store.questions({ runId: run.id }))[0]!.answeredAt).toBeNull();
    }
    const { json: shown } = await mel.call("GET", `/v1/runs/${run.id}`);
    const isForAdmins = problem !== undefined && problem !== REPLACES && problem !== REASKS;
    if (isForAdmins) expect([question, shown.questions[0].only_admins]).toEqual([question, problem]);
    const answered = await (problem === undefined ? mel : ada).call("POST", path, body);
    expect([question, reply, answered.status]).toEqual([question, reply, 200]);
    await (await claimRun(store)).end({ state: "succeeded" });
  }
  const rows = async () =>
    (await ada.call("GET", `/v1/audit?action=refused&actor=${mel.id}&limit=100`)).json.data
      .map(({ target, detail }: any) => [target, detail.reason, detail.id])
      .toReversed();
  // Written after the answer.
  while ((await rows()).length < refused.length) await Bun.sleep(20);
  expect(await rows()).toEqual(refused.map(([problem, id]: any) => ["POST /v1/runs/{id}/answer", problem, id]));
  await store.close();
});
