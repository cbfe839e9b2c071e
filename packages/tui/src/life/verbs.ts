// What the spinner says when nothing better is known.

export const DEFAULT_VERBS: readonly string[] = [
  "Working",
  "Charting a course",
  "Taking soundings",
  "Rigging",
  "Steering",
  "Trimming the sails",
  "Taking bearings",
  "Hauling lines",
  "Caulking seams",
  "Tacking",
  "Laying the keel",
  "Splicing",
  "Reading the stars",
  "Plotting",
  "Weighing anchor",
  "Keeping watch",
];
