// What requests are refused with, in the words of docs/routines-api.md: the message begins with the field that is wrong.

import { HttpRefusal } from "@keelson/web";

export const wrongField = (field: string, problem: string) =>
  new HttpRefusal("invalid_request", `${field}: ${problem}`);

export const notFound = (what: string) => new HttpRefusal("not_found", `There is no such ${what}`);
