// Figures in the text format of Prometheus. Pure.

import type { Figure } from "./figures.ts";

export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

const UNITS: Readonly<Record<Figure["unit"], string>> = { "": "", s: "_seconds", By: "_bytes", USD: "_usd" };

export function prometheusText(figures: readonly Figure[]): string {
  return figures.flatMap(linesOf).join("");
}

function linesOf({ name, help, kind, unit, points }: Figure): readonly string[] {
  if (points.length === 0) return [];
  const own = name.replaceAll(".", "_") + UNITS[unit] + (kind === "counter" ? "_total" : "");
  return [
    `# HELP ${own} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n`,
    `# TYPE ${own} ${kind}\n`,
    ...points.map(({ labels, value }) => `${own}${labelsText(labels)} ${value}\n`),
  ];
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escaped = (value: string) => value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
