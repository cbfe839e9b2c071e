// A cron expression in words: "Every 15 minutes", "Weekdays at 9:00 AM". Unusual ones stay as they are.

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const NUMBER = /^\d+$/;
const STEP = /^\*\/(\d+)$/;

/** Takes a valid expression. */
export function describeCron(text: string): string {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = text.trim().split(/\s+/);
  const isEveryDay = day === "*" && month === "*" && weekday === "*";
  if (isEveryDay && hour === "*") return withinHour(minute) ?? text;
  if (!NUMBER.test(minute)) return text;
  const hours = STEP.exec(hour)?.[1];
  if (isEveryDay && hours !== undefined) return `${every(Number(hours), "hour")}${pastHour(minute)}`;
  if (!NUMBER.test(hour)) return text;
  const days = whichDays(day, month, weekday);
  return days === undefined ? text : `${days} at ${timeOfDay(Number(hour), Number(minute))}`;
}

function withinHour(minute: string): string | undefined {
  if (minute === "*") return "Every minute";
  const minutes = STEP.exec(minute)?.[1];
  if (minutes !== undefined) return every(Number(minutes), "minute");
  return NUMBER.test(minute) ? `Every hour${pastHour(minute)}` : undefined;
}

const every = (count: number, unit: string) => (count === 1 ? `Every ${unit}` : `Every ${count} ${unit}s`);
const pastHour = (minute: string) => (Number(minute) === 0 ? "" : ` at :${minute.padStart(2, "0")}`);

function whichDays(day: string, month: string, weekday: string): string | undefined {
  if (weekday === "*") {
    if (day === "*" && month === "*") return "Every day";
    if (!NUMBER.test(day)) return undefined;
    if (month === "*") return `Day ${Number(day)} of every month`;
    return NUMBER.test(month) ? `${MONTHS[Number(month) - 1]} ${Number(day)}` : undefined;
  }
  if (day !== "*" || month !== "*") return undefined;
  if (weekday === "1-5") return "Weekdays";
  if (weekday === "0,6" || weekday === "6,0" || weekday === "6-7") return "Weekends";
  return NUMBER.test(weekday) ? `Every ${WEEKDAYS[Number(weekday) % 7]}` : undefined;
}

function timeOfDay(hour: number, minute: number): string {
  return `${hour % 12 || 12}:${String(minute).padStart(2, "0")} ${hour < 12 ? "AM" : "PM"}`;
}
