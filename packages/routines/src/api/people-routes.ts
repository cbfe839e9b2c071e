// Who may sign in and as what, and who did what: for admins.

import { HttpRefusal, type Route, type SignedInRequest } from "@keelson/web";
import type { AuditRow, TeamRole, TeamUser } from "../records/team.ts";
import {
  changeUser,
  LINK_LIFE_MS,
  codeFor,
  everyRow,
  newUser,
  removeUser,
  ROLES_OF_PEOPLE,
  shownName,
  signOutEverywhere,
} from "../team/people.ts";
import { linkFor } from "./account-routes.ts";
import { notFound, wrongField } from "./api-error.ts";
import { recordAudit } from "./audit.ts";
import { PAGE_QUERY, PAGE_REPLY, pageWanted, replyWithPage } from "./pages.ts";
import { time } from "./shown.ts";
import type { SignInApi } from "./sign-in-routes.ts";

const MOST_USERS = 1_000;
const USER_ID = /^usr_\w{1,64}$/;

export function peopleRoutes(api: SignInApi): readonly Route[] {
  const { store } = api;
  const json = { type: "object", additionalProperties: true } as const;
  const name = { type: "string", maxLength: 100 } as const;
  const role = { type: "string", enum: ROLES_OF_PEOPLE } as const;
  // Whoever could change people with a token would keep that after the token has ended.
  const byAdmin = { access: "admin", isForPeople: true, reply: json } as const;
  const one = { ...byAdmin, ids: USER_ID, errors: [404, 409] } as const;
  return [
    {
      method: "GET",
      path: "/v1/users",
      access: "admin",
      summary: "The people of this server",
      query: PAGE_QUERY,
      reply: PAGE_REPLY,
      async run({ query }) {
        const passkeys = Map.groupBy(await everyRow(store.passkeys), ({ userId }) => userId);
        return replyWithPage(
          () => store.users.list({}, pageWanted(query)),
          (user) => shownUser(user, passkeys.get(user.id)?.length ?? 0),
        );
      },
    },
    {
      ...byAdmin,
      method: "POST",
      path: "/v1/users",
      summary: "Invite somebody: the link signs them in once, within a day",
      body: { type: "object", required: ["name", "role"], properties: { name, role } },
      status: 201,
      errors: [409],
      async run(request: SignedInRequest) {
        const wanted = shownName(String(request.body["name"]));
        if (wanted === "") throw wrongField("name", "must have 1 to 100 letters");
        if ((await everyRow(store.users)).length >= MOST_USERS)
          throw new HttpRefusal("conflict", `There are ${MOST_USERS} users already; remove one first`);
        const user = newUser({ name: wanted, role: request.body["role"] as TeamRole }, await store.now());
        await store.users.insert(user);
        await recordAudit("user.invite", user.id, request, api, { role: user.role });
        const code = await codeFor(store, user.id, LINK_LIFE_MS.invitation);
        return {
          status: 201,
          json: { ...shownUser(user, 0), ...linkFor(code, LINK_LIFE_MS.invitation, request, api) },
        };
      },
    },
    {
      ...one,
      method: "PATCH",
      path: "/v1/users/{id}",
      summary: "Change the name or the role of somebody, or disable them",
      body: { type: "object", properties: { name, role, disabled: { type: "boolean" } } },
      async run(request: SignedInRequest) {
        const user = await userIn(request, api);
        const { role: newRole, disabled, name: newName } = request.body;
        const shown = newName === undefined ? user.name : shownName(String(newName));
        if (shown === "") throw wrongField("name", "must have 1 to 100 letters");
        const change = {
          name: shown,
          ...(newRole === undefined ? {} : { role: newRole as TeamRole }),
          ...(disabled === undefined ? {} : { disabled: disabled === true }),
        };
        if (!(await changeUser(store, user, change))) throw lastAdmin();
        const { role: nowRole, disabled: isDisabled } = { ...user, ...change };
        await recordAudit("user.update", user.id, request, api, { role: nowRole, disabled: isDisabled });
        const passkeys = await everyRow(store.passkeys, { userId: user.id });
        return { json: shownUser({ ...user, ...change }, passkeys.length) };
      },
    },
    {
      ...one,
      method: "DELETE",
      path: "/v1/users/{id}",
      summary: "Remove somebody, with their passkeys, tokens and devices",
      reply: { type: "null" },
      status: 204,
      async run(request: SignedInRequest) {
        const user = await userIn(request, api);
        if (!(await removeUser(store, user))) throw lastAdmin();
        await recordAudit("user.remove", user.id, request, api);
        return {};
      },
    },
    {
      ...one,
      method: "POST",
      path: "/v1/users/{id}/code",
      summary: "Make another link that signs somebody in once, within a day",
      body: { type: "object" },
      status: 201,
      async run(request: SignedInRequest) {
        const user = await userIn(request, api);
        if (user.disabled) throw new HttpRefusal("conflict", "This user is disabled; enable them first");
        const code = await codeFor(store, user.id, LINK_LIFE_MS.invitation);
        await recordAudit("user.code", user.id, request, api);
        return { status: 201, json: linkFor(code, LINK_LIFE_MS.invitation, request, api) };
      },
    },
    {
      ...one,
      method: "POST",
      path: "/v1/users/{id}/logout",
      summary: "Sign somebody out everywhere, and void their links",
      body: { type: "object" },
      reply: { type: "null" },
      status: 204,
      async run(request: SignedInRequest) {
        const user = await userIn(request, api);
        await signOutEverywhere(store, user.id);
        await recordAudit("user.logout", user.id, request, api);
        return {};
      },
    },
    {
      method: "GET",
      path: "/v1/audit",
      access: "admin",
      summary: "Who did what, newest first",
      query: {
        ...PAGE_QUERY,
        actor: { maxLength: 100, description: "Only of this user or token, or `server` or `nobody`" },
        action: { maxLength: 100, description: "Only this action, such as `user.update` or `refused`" },
      },
      reply: PAGE_REPLY,
      run({ query: { actor, action, ...page } }) {
        const where = { ...(actor === undefined ? {} : { actor }), ...(action === undefined ? {} : { action }) };
        return replyWithPage(() => store.audit.list(where, pageWanted(page)), shownAudit);
      },
    },
  ];
}

const lastAdmin = () => new HttpRefusal("conflict", "This is the last admin; make somebody else an admin first");

async function userIn({ params }: SignedInRequest, { store }: SignInApi): Promise<TeamUser> {
  const user = await store.users.get(params["id"]!);
  if (user === undefined) throw notFound("user");
  return user;
}

const shownUser = ({ id, name, email, role, subject, disabled, createdAt, seenAt }: TeamUser, passkeys: number) => ({
  id,
  name,
  email,
  role,
  disabled,
  passkeys,
  oidc: subject !== null,
  created_at: time(createdAt),
  seen_at: time(seenAt),
});

const shownAudit = ({ id, at, actor, action, target, detail, address }: AuditRow) => ({
  id,
  at: time(at),
  actor,
  action,
  target,
  detail,
  address,
});
