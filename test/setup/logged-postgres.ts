/** A Postgres for one test file that logs every statement, to be read back transaction by transaction. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { readRecord } from "../../scripts/database/cluster.ts";
import { startEmbedded } from "../../scripts/database/embedded.ts";
import { prepareTemplate } from "./postgres.ts";

export interface LoggedTransaction {
  /** Who sent it: the role without `intray_`, as `app` or `engine`. */
  by: string;
  at: number;
  /** As sent, in order, BEGIN and COMMIT among them. */
  statements: string[];
  /** Values of the statements' parameters, as text. */
  parameters: string;
}

export interface LoggedPostgres {
  /** Returns the transactions that ended since the last call. */
  taken(): LoggedTransaction[];
  remove(): Promise<void>;
}

const line = z.object({
  timestamp: z.string(),
  user: z.string().optional(),
  pid: z.number(),
  message: z.string(),
  detail: z.string().optional(),
});

const SAID = /^(?:statement|execute [^:]*): /;

/** Starts the server. From then on `createTestDatabase` of this test file makes its databases there. */
export async function startLoggedPostgres(): Promise<LoggedPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "intray-logged-"));
  const { server, superuserUrl } = await startEmbedded(folder, {
    settings: [
      ...[
        "fsync=off",
        "full_page_writes=off",
        "synchronous_commit=off",
        "max_connections=100",
        "autovacuum=off",
      ],
      ...["logging_collector=on", "log_destination=jsonlog", "log_filename=statements", "log_directory=said"],
      ...["log_statement=all", "log_rotation_age=0", "log_rotation_size=0"],
    ],
  });
  process.env.TEST_DATABASE_ADMIN_URL = superuserUrl;
  await prepareTemplate(superuserUrl);
  const elsewhere = readRecord(folder).home;
  const log = join(elsewhere ?? folder, "postgres", "said", "statements.json");
  let read = 0;
  const open = new Map<number, LoggedTransaction>();
  return {
    taken() {
      const bytes = readFileSync(log);
      const end = bytes.lastIndexOf("\n") + 1;
      const text = bytes.subarray(read, end).toString("utf8");
      read = end;
      const ended: LoggedTransaction[] = [];
      for (const json of text.split("\n").filter(Boolean)) {
        const { timestamp, user = "", pid, message, detail = "" } = line.parse(JSON.parse(json));
        if (!user.startsWith("intray_") || !SAID.test(message)) continue;
        const statement = message.replace(SAID, "").replace(/\s+/g, " ").trim();
        const known = open.get(pid);
        const its = known ?? {
          by: user.replace("intray_", ""),
          at: Date.parse(timestamp),
          statements: [],
          parameters: "",
        };
        its.statements.push(statement);
        its.parameters += ` ${detail}`;
        if (/^begin/i.test(statement)) open.set(pid, its);
        if (!open.has(pid) || /^(commit|rollback)/i.test(statement)) {
          open.delete(pid);
          ended.push(its);
        }
      }
      return ended;
    },
    async remove() {
      await server.stop("immediate");
      for (const path of [folder, elsewhere]) if (path) rmSync(path, { recursive: true, force: true });
    },
  };
}
