// When the code of a session is compiled. The program starts with thresholds that keep it in the interpreter for longer
// (`jitPolicy` in scripts/compile.ts): a short session runs most of its code a few times, and compiling costs it a third more
// processor time than it gains. A long session repeats itself, and gets the usual thresholds.

import type { ModelProvider } from "@keelson/engine";

/** From here on, compiling has paid for itself by the hundredth request. */
const LONG_SESSION = 20;

/** Counts the requests of a session to any of its providers. */
export function countingRequests(compileSoon = () => Bun.unsafe.setJITPolicy(1)) {
  let requests = 0;
  return (provider: ModelProvider): ModelProvider => ({
    ...provider,
    stream(request, signal) {
      if (++requests === LONG_SESSION) compileSoon();
      return provider.stream(request, signal);
    },
  });
}
