import { announce } from "../changes/transitions.ts";
import { storableText, type Tx } from "../db.ts";

const LINES = 200;
const LENGTH = 32_000;

/** The last lines that a command server's child wrote to its stderr, as the wire tells them: without its secrets. */
export class LogTail {
  #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > LINES) this.#lines.shift();
  }

  /** At most 200 lines and 32,000 characters; null: it wrote nothing. */
  get text(): string | null {
    return this.#lines.length === 0 ? null : this.#lines.join("\n").slice(-LENGTH);
  }
}

/** Keeps what a connection's child wrote, in place of what an earlier one did. */
export async function recordLogTail(
  organizationId: string,
  tx: Tx,
  connection: { id: string } | { serverId: string; userId: string | null },
  text: string,
): Promise<void> {
  const [row] = await tx.connection.updateManyAndReturn({
    where: { organizationId, ...connection },
    data: { logTail: storableText(text), logTailAt: new Date() },
    select: { serverId: true },
  });
  if (row) await announce(organizationId, tx, "server", [row.serverId]);
}
