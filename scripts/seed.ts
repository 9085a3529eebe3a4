/**
 * `npm run seed -- --requests N [--organization acme] [--settled N] [--server name] [--yes]`: fills an inbox with
 * believable requests, for trying out how it feels when it is full. Works while Intray runs, and while it does not.
 */
import { parseArgs } from "node:util";
import pg from "pg";
import { COMMAND_LINE } from "../lib/organizations/transitions.ts";
import { withOwnerUrl } from "./commands/with-database.ts";
import { migrate } from "./migrate.ts";
import { fill } from "./seed/fill.ts";

const { values } = parseArgs({
  options: {
    requests: { type: "string" },
    settled: { type: "string", default: "0" },
    organization: { type: "string", default: "acme" },
    server: { type: "string" },
    yes: { type: "boolean", default: false },
  },
});

const open = whole("requests", values.requests);
const settled = whole("settled", values.settled);

try {
  await withOwnerUrl(async (ownerUrl, started) => {
    if (started) await migrate(ownerUrl, say);
    const client = new pg.Client({ connectionString: ownerUrl });
    await client.connect();
    try {
      await seed(client);
    } finally {
      await client.end();
    }
  });
} catch (error) {
  say((error as Error).message);
  process.exitCode = 1;
}

async function seed(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ id: string; name: string }>(
    "SELECT id, name FROM gate.organization_by_slug($1)",
    [values.organization],
  );
  const organization = rows[0];
  if (!organization)
    throw new Error(
      `There is no organization "${values.organization}". The demonstration's are made by the first \`npm start\`.`,
    );
  await client.query("SELECT set_config('app.organization_id', $1, false)", [organization.id]);
  const { rows: found } = await client.query("SELECT demo FROM organization WHERE id = $1", [
    organization.id,
  ]);
  if (!found[0]?.demo && !values.yes)
    throw new Error(
      `${organization.name} is not the demonstration's. What is seeded there stays: say --yes if you mean it.`,
    );
  say(
    `Filling the inbox of ${organization.name} with ${open} open and ${settled} settled requests, for trying out. They belong to servers called "Seed …" that do not exist: no tool was called, and the engine asks nobody about them. Answers to them are recorded and stay unsent.`,
  );
  const began = performance.now();
  await fill(client, organization.id, {
    open,
    settled,
    server: values.server,
    onProgress: told(open + settled),
  });
  await client.query("SELECT append_event('requests.seeded', $1, NULL, NULL, $2)", [
    JSON.stringify(COMMAND_LINE),
    JSON.stringify({ open, settled }),
  ]);
  await client.query("ANALYZE task, input_request, answer, delivery, claim");
  say(`Done in ${Math.round((performance.now() - began) / 1000)} s.`);
}

/** Says how far it is, every tenth. */
function told(all: number): (written: number) => void {
  let next = all / 10;
  return (written) => {
    if (written < next || all < 10_000) return;
    next = written + all / 10;
    say(`  ${written} of ${all}`);
  };
}

function whole(name: string, text: string | undefined): number {
  const value = Number(text);
  if (text && Number.isInteger(value) && value >= 0) return value;
  say(`--${name} wants a whole number, e.g. npm run seed -- --requests 100000`);
  process.exit(2);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
