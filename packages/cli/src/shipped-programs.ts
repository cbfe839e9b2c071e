// The programs inside the executable. From source there are none; the build puts their paths here.

import type { ShippedPrograms } from "@keelson/runtime";

export const shippedPrograms: ShippedPrograms = {};
