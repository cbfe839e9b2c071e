// Times as people read them: in the zone of the browser, or in the one that a schedule is in.

const USUAL: Intl.DateTimeFormatOptions = {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
};

/** `Fri 20 Nov, 03:00`, with the year if it is another one. */
export function momentText(at: string, zone?: string): string {
  const date = new Date(at);
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  const options = {
    ...USUAL,
    ...(isThisYear ? {} : { year: "numeric" as const }),
    ...(zone ? { timeZone: zone } : {}),
  };
  return new Intl.DateTimeFormat("en-GB", options).format(date);
}

export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

export function Moment({ at, zone }: { readonly at: string; readonly zone?: string }) {
  return (
    <time dateTime={at} title={`${momentText(at)} (${ownZone()})`}>
      {momentText(at, zone)}
    </time>
  );
}

/** How long something took: `3 min 20 s`. */
export function lasted(from: string, to: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}
