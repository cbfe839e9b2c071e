// Something that may fail: one at a time, and why it failed.

import { useSignal, type ReadonlySignal } from "@preact/signals";

export interface Attempt {
  readonly isBusy: ReadonlySignal<boolean>;
  readonly failure: ReadonlySignal<string | undefined>;
  run(work: () => Promise<void>): Promise<void>;
}

export function useAttempt(): Attempt {
  const isBusy = useSignal(false);
  const failure = useSignal<string | undefined>(undefined);
  return {
    isBusy,
    failure,
    async run(work) {
      if (isBusy.value) return;
      isBusy.value = true;
      failure.value = undefined;
      try {
        await work();
      } catch (error) {
        failure.value = error instanceof Error ? error.message : String(error);
      }
      isBusy.value = false;
    },
  };
}

export function Failure({ of: { failure } }: { readonly of: Attempt }) {
  return failure.value === undefined ? null : (
    <p class="error" role="alert">
      {failure.value}
    </p>
  );
}
