import { HttpRefusal } from "../door/refusal.ts";
import { SessionNotOpened, type OpenedForWeb, type WantedWebSession, type WebHost } from "../host.ts";

/** Opens a session for a route; the reason why it cannot be opened goes to the user. */
export const openedFor = (host: WebHost, wanted: WantedWebSession): Promise<OpenedForWeb> =>
  refusingNotOpened(() => host.open(wanted));

/** What cannot be done because a session cannot be opened is refused with the reason. */
export async function refusingNotOpened<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof SessionNotOpened)) throw error;
    throw new HttpRefusal(error.isMissing ? "not_found" : "conflict", error.message);
  }
}
