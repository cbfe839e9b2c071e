import { api, ApiError } from "../connection/api.ts";
import { forget } from "../connection/device.ts";

/** Signs this browser out. A token of a program stays valid, and is forgotten here. */
export async function leave(): Promise<void> {
  await api("POST", "/v1/auth/logout", { body: {} }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 403)) throw error;
  });
  forget();
}
