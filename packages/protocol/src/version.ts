// Two versions: our own, and the one of the protocol and file formats we are compatible with.
// Existing clients probe the second and refuse anything below 2.0.0.

export const VERSION = "0.1.0";
export const COMPATIBLE_VERSION = "2.1.325";
