/** Simulates clocks that differ: shifts the times in a reply, keeping its length. */
const STAMP = /("(?:createdAt|lastUpdatedAt)"\s*:\s*")(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z)(")/g;

/** Shifts the times within a chunk; a time that two chunks share stays as it is. */
export function shiftClock(chunk: Buffer, byMs: number): Buffer {
  const text = chunk.toString("latin1");
  const shifted = text.replace(STAMP, (_, before: string, stamp: string, after: string) => {
    const iso = new Date(Date.parse(stamp) + byMs).toISOString();
    return `${before}${stamp.includes(".") ? iso : iso.replace(/\.\d{3}/, "")}${after}`;
  });
  return Buffer.from(shifted, "latin1");
}
