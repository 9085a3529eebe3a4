interface Invoice {
  lines: { due_date: string }[];
}

const DAY_MS = 86_400_000;
/** When the last line is due at the soonest: it keeps the sample's task working after its approval. */
const LATER_MS = 90 * DAY_MS;

/**
 * Moves the due dates of a sample that have passed to the start of yesterday, and the latest of them, where none is left in
 * the future, to some months from now: a sample is a routine invoice whenever it is read, and one that is years overdue would be
 * warned of.
 */
export function withRecentDueDates<T extends Invoice>(invoice: T, now: number): T {
  const dueAt = invoice.lines.map((line) => Date.parse(line.due_date));
  const latest = dueAt.indexOf(Math.max(...dueAt));
  const lines = invoice.lines.map((line, at) => {
    if (dueAt[at]! >= now) return line;
    return { ...line, due_date: startOfDay(at === latest ? now + LATER_MS : now - DAY_MS) };
  });
  return { ...invoice, lines };
}

const startOfDay = (time: number) => `${new Date(time).toISOString().slice(0, 10)}T00:00:00Z`;
