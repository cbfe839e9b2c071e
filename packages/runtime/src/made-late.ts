// Something that a session has from the beginning, and whose code is loaded when it is first used.

export interface MadeLate<Thing> {
  get(): Thing;
  /** Undefined if nobody has used it. */
  readonly made: Thing | undefined;
}

export function madeLate<Thing>(make: () => Thing): MadeLate<Thing> {
  let made: Thing | undefined;
  return {
    get: () => (made ??= make()),
    get made() {
      return made;
    },
  };
}
