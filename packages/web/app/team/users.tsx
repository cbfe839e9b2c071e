// The people of the server, for admins: who may sign in, and as what.

import { useSignal } from "@preact/signals";
import { api } from "../connection/api.ts";
import { Failure } from "../session/sheets/attempt.tsx";
import { ShownLink } from "../shown-link.tsx";
import { showTitle } from "../transcript/visible.ts";
import { facts } from "../routines/live.ts";
import { ONLY_PEOPLE } from "./tokens.tsx";
import { ago, Confirmed, Item, More, useRows, type Rows } from "./rows.tsx";

interface ListedUser {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
  readonly disabled: boolean;
  readonly passkeys: number;
  readonly oidc: boolean;
  readonly seen_at: string | null;
}

const ROLES = {
  viewer: "viewer: reads",
  member: "member: starts runs, answers, has routines",
  admin: "admin: everything",
} as const;
type Role = keyof typeof ROLES;

interface MadeLink {
  readonly link: string;
  readonly name: string;
}

export function Users() {
  const users = useRows<ListedUser>("/v1/users");
  const made = useSignal<MadeLink | undefined>(undefined);
  return (
    <section class="page">
      <header class="bar head">
        <h1>Users</h1>
      </header>
      <Failure of={users} />
      <ul class="devices">
        {users.rows.value?.map((user) => (
          <UserRow key={user.id} user={user} users={users} made={(link) => (made.value = link)} />
        ))}
      </ul>
      <More of={users} />
      {facts.value?.program === true ? (
        <p class="dim">{ONLY_PEOPLE}</p>
      ) : (
        <Invitation users={users} made={(link) => (made.value = link)} />
      )}
      {made.value === undefined ? null : (
        <>
          <p role="status">
            Send this link to {showTitle(made.value.name)}. It signs them in once, within a day, and is not shown again.
          </p>
          <ShownLink link={made.value.link} />
        </>
      )}
    </section>
  );
}

interface UserRowProps {
  readonly user: ListedUser;
  readonly users: Rows<ListedUser>;
  made(link: MadeLink): void;
}

function UserRow({ user, users, made }: UserRowProps) {
  const { id, name, email, role, disabled, passkeys, oidc, seen_at: seen } = user;
  const isProgram = facts.value?.program === true;
  const path = `/v1/users/${id}`;
  const change = (body: object) => users.change(async () => void (await api("PATCH", path, { body })));
  const link = async () => made({ name, link: (await api<MadeLink>("POST", `${path}/code`, { body: {} })).body.link });
  const known = [
    isProgram && role,
    email,
    seen === null ? "never signed in" : `seen ${ago(seen)}`,
    passkeys === 1 ? "1 passkey" : `${passkeys} passkeys`,
    oidc && "signs in at the provider",
    disabled && "disabled",
  ];
  return (
    <Item title={showTitle(name)} facts={known}>
      {isProgram ? null : (
        <span class="buttons">
          <RoleChoice label={`Role of ${name}`} role={role} choose={(chosen) => change({ role: chosen })} />
          <button onClick={() => users.change(link)} disabled={disabled}>
            New link
          </button>
          <button onClick={() => change({ disabled: !disabled })}>{disabled ? "Enable" : "Disable"}</button>
          <Confirmed
            label="Remove"
            question={`Remove ${showTitle(name)}, with their passkeys and tokens?`}
            sure="Remove them"
            act={() => users.change(async () => void (await api("DELETE", path)))}
          />
        </span>
      )}
    </Item>
  );
}

interface RoleChoiceProps {
  readonly label: string;
  readonly role: Role;
  choose(role: Role): void;
}

const RoleChoice = ({ label, role, choose }: RoleChoiceProps) => (
  <select aria-label={label} value={role} onChange={({ currentTarget }) => choose(currentTarget.value as Role)}>
    {Object.entries(ROLES).map(([value, words]) => (
      <option key={value} value={value} title={words} selected={value === role}>
        {value}
      </option>
    ))}
  </select>
);

function Invitation({ users, made }: Omit<UserRowProps, "user">) {
  const name = useSignal("");
  const role = useSignal<Role>("member");
  const invite = (event: Event) => {
    event.preventDefault();
    users.change(async () => {
      const body = { name: name.value.trim(), role: role.value };
      made((await api<MadeLink>("POST", "/v1/users", { body })).body);
      name.value = "";
    });
  };
  return (
    <form class="invitation" onSubmit={invite}>
      <h2>Invite somebody</h2>
      <p class="buttons">
        <input
          type="text"
          aria-label="Name"
          placeholder="Name"
          required
          maxLength={100}
          value={name.value}
          onInput={({ currentTarget }) => (name.value = currentTarget.value)}
        />
        <RoleChoice label="Role" role={role.value} choose={(chosen) => (role.value = chosen)} />
        <button class="primary">Invite</button>
      </p>
      <p class="dim">{ROLES[role.value]}</p>
    </form>
  );
}
