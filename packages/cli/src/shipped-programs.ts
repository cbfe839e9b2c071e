// The programs shipped inside the executable. Empty when run from source; the build fills in the paths.

import type { ShippedPrograms } from "@keelson/runtime";

export const shippedPrograms: ShippedPrograms = {};
