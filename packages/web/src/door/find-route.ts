// The route of a request, and what its path says.

import type { Route } from "../routes/route.ts";
import { HttpRefusal } from "./refusal.ts";

export interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

export function findRoute(routes: readonly Route[], method: string, path: string): FoundRoute {
  const here = routes.flatMap((route) => {
    const params = paramsIn(path, route);
    return params ? [{ route, params }] : [];
  });
  if (here.length === 0) throw new HttpRefusal("not_found", "There is nothing at this address");
  const found = here.find(({ route }) => route.method === method);
  if (found) return found;
  const methods = here.map(({ route }) => route.method).join(", ");
  throw new HttpRefusal("method_not_allowed", `This address takes ${methods} only`, { Allow: methods });
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** All of them are ids. */
function paramsIn(path: string, { path: pattern, ids = ID }: Route): Record<string, string> | undefined {
  const [parts, names] = [path.split("/"), pattern.split("/")];
  if (parts.length !== names.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    const part = parts[at]!;
    if (!name.startsWith("{")) {
      if (part !== name) return undefined;
    } else if (ids.test(part)) params[name.slice(1, -1)] = part;
    else return undefined;
  }
  return params;
}
