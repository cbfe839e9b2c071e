// A machine without files, commands or services, for tests of Bedrock.

import type { AwsOutside } from "./aws-credentials.ts";

export function outsideOf(given: Partial<AwsOutside> = {}): AwsOutside {
  return {
    fetch: () => Promise.reject(new Error("no network")),
    readFile: async () => undefined,
    now: () => Date.now(),
    run: async () => ({ code: 127, stdout: "" }),
    ...given,
  };
}
