interface Invoice {
  lines: { due_date: string }[];
}

/**
 * Moves the due dates of a sample that have passed to the start of yesterday: a sample is a routine invoice
 * whenever it is read, and one that is years overdue would be warned of.
 */
export function withRecentDueDates<T extends Invoice>(invoice: T, now: number): T {
  const yesterday = `${new Date(now - 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`;
  const lines = invoice.lines.map((line) => ({
    ...line,
    due_date: Date.parse(line.due_date) < now ? yesterday : line.due_date,
  }));
  return { ...invoice, lines };
}
