// The version of Keelson, and the version of the protocol and file formats it is compatible with. Existing clients check
// the second and refuse anything below 2.0.0.

export const VERSION = "0.1.0";
export const COMPATIBLE_VERSION = "2.1.325";
