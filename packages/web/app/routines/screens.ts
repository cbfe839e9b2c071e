// The screens of the page: one row for each. A screen is loaded when it is first shown.

import type { FunctionComponent } from "preact";
import { lazy } from "../lazy.tsx";
import type { Place } from "./place.ts";

export interface ScreenProps {
  /** What follows the name of the screen in the address. */
  readonly rest: Place;
}

export interface ScreenRow {
  /** The first part of the address. */
  readonly name: string;
  /** In the navigation; absent: it is reached from other screens. */
  readonly title?: string;
  /** Only for those who may change what everybody uses. */
  readonly isForAdmins?: boolean;
  readonly Screen: FunctionComponent<ScreenProps>;
}

const RoutineList = lazy<ScreenProps>(async () => (await import("./list/routine-list.tsx")).RoutineList);
const RoutineView = lazy<ScreenProps>(async () => (await import("./routine/routine-view.tsx")).RoutineView);
const RoutineEditor = lazy<ScreenProps>(async () => (await import("./form/routine-editor.tsx")).RoutineEditor);
const RunList = lazy<ScreenProps>(async () => (await import("./runs/run-list.tsx")).RunList);
const loadRun = () => import("./run/run-view.tsx");
const RunView = lazy<ScreenProps>(async () => (await loadRun()).RunView);
const Deliveries = lazy<ScreenProps>(async () => (await import("./deliveries.tsx")).Deliveries);
const Environments = lazy<ScreenProps>(async () => (await import("./environments/environments.tsx")).Environments);
const Account = lazy<ScreenProps>(async () => (await import("../team/account.tsx")).Account);
const Users = lazy<ScreenProps>(async () => (await import("../team/users.tsx")).Users);
const Tokens = lazy<ScreenProps>(async () => (await import("../team/tokens.tsx")).Tokens);
const Audit = lazy<ScreenProps>(async () => (await import("../team/audit.tsx")).Audit);
const Workers = lazy<ScreenProps>(async () => (await import("./workers.tsx")).Workers);

/** A run is the largest of them, and what people look at when something is wrong: it is there before it is wanted. */
export function loadAhead(): boolean {
  loadRun().catch(() => undefined);
  return false;
}

export const SCREENS: readonly ScreenRow[] = [
  { name: "routines", title: "Routines", Screen: RoutineList },
  { name: "runs", title: "Runs", Screen: RunList },
  { name: "deliveries", title: "Deliveries", Screen: Deliveries },
  { name: "environments", title: "Environments", Screen: Environments },
  { name: "workers", title: "Workers", Screen: Workers },
  { name: "users", title: "Users", isForAdmins: true, Screen: Users },
  { name: "audit", title: "Audit", isForAdmins: true, Screen: Audit },
  { name: "tokens", title: "Tokens", Screen: Tokens },
  { name: "account", title: "My account", Screen: Account },
  { name: "routine", Screen: RoutineView },
  { name: "edit", Screen: RoutineEditor },
  { name: "new", Screen: RoutineEditor },
  { name: "run", Screen: RunView },
];

/** Which entry of the navigation a screen belongs to. */
export const ENTRY_OF: Readonly<Record<string, string>> = {
  routine: "routines",
  edit: "routines",
  new: "routines",
  run: "runs",
};
