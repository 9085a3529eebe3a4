import pg from "pg";

/** Returns the result of `work`, and the texts of the statements that this process sends meanwhile. */
export async function statementsOf<T>(work: () => Promise<T>): Promise<[T, string[]]> {
  const sent: string[] = [];
  const original = pg.Client.prototype.query;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [first] = args as [string | { text?: string }];
    sent.push(typeof first === "string" ? first : (first.text ?? ""));
    return (original as (...all: unknown[]) => unknown).apply(this, args);
  } as typeof original;
  try {
    return [await work(), sent];
  } finally {
    pg.Client.prototype.query = original;
  }
}
