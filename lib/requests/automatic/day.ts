/** The date in a time zone, as `2026-12-25`: the day by which daily caps count. */
export function dayIn(zone: string, now: Date): string {
  return now.toLocaleDateString("sv-SE", { timeZone: zone });
}
