/**
 * The command line of an installation's operator. Only the result goes to stdout, everything else to stderr;
 * exits 0 done, 1 failed, 2 called wrongly.
 */
import { ConfigurationError } from "../lib/env.ts";
import { AppError } from "../lib/errors.ts";
import { createApiKey } from "./commands/create-api-key.ts";
import { createOrganizationCommand } from "./commands/create-organization.ts";
import { createUser } from "./commands/create-user.ts";
import { doctor } from "./commands/doctor.ts";
import { exportEventsCommand } from "./commands/export-events.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { removeSecondFactor } from "./commands/remove-second-factor.ts";
import { resealCommand } from "./commands/reseal.ts";
import { restoredCommand } from "./commands/restored.ts";
import { setQuotaCommand } from "./commands/set-quota.ts";
import { syncServersCommand } from "./commands/sync-servers.ts";
import { CommandError, UsageError } from "./commands/usage.ts";
import { verifyEventsCommand } from "./commands/verify-events.ts";

/** Gets the arguments after its own words; returns what goes to stdout. */
type Command = (args: string[]) => Promise<string>;

const commands: Record<string, Command> = {
  "org create": createOrganizationCommand,
  "org quota": setQuotaCommand,
  "user create": createUser,
  "user no-second-factor": removeSecondFactor,
  "key create": createApiKey,
  migrate: migrateCommand,
  "events verify": verifyEventsCommand,
  "events export": exportEventsCommand,
  "servers sync": syncServersCommand,
  reseal: resealCommand,
  restored: restoredCommand,
  doctor,
};

const USAGE = `npm run -s intray -- <command>

  org create <slug> --name N --owner E                 makes an organization; prints its owner's link to set a password
  org quota <slug> [--open N] [--starts N] [--open-each N] [--starts-each N]
                                                       sets how many tasks may be open, and started a minute; prints it
  user create <email> --org S --role R [--name N]      makes a member; prints the link to set a password
  user no-second-factor <email>                        turns two-step sign-in off, for who lost the phone and the codes
  key create --org S --role R [--name N]               makes an API key; prints it, this once
  events verify --org S | --file F [--head H]          checks the history's chain of hashes; a file needs no database
  events export --org S [--out F]                      writes the history, one JSON object a line
  servers sync                                         gives organizations the servers of INTRAY_SERVERS_FILE
  reseal                                               seals all secrets again under the first of INTRAY_KEYS
  migrate [--logins]                                   brings the database up to this version; with --logins the roles
                                                       may log in with the passwords of APP_ and ENGINE_DATABASE_URL
  restored                                             after a restore, before engines start: pauses every server, and
                                                       says what each organization would send
  doctor                                               checks configuration, database, ports and engine

  The database is DATABASE_URL's, else the embedded one in INTRAY_DATA_DIR. Roles: owner, admin, operator, approver, viewer.`;

async function run(args: string[]): Promise<string> {
  const name = Object.keys(commands).find(
    (words) => words === args.slice(0, words.split(" ").length).join(" "),
  );
  const command = name && commands[name];
  if (!command)
    throw new UsageError(args.length > 0 ? `There is no command "${args.slice(0, 2).join(" ")}".` : "");
  return command(args.slice(name.split(" ").length));
}

try {
  if (["help", "--help", "-h"].includes(process.argv[2] ?? "")) process.stdout.write(`${USAGE}\n`);
  else {
    const result = await run(process.argv.slice(2));
    if (result !== "") process.stdout.write(`${result}\n`);
  }
} catch (error) {
  process.exitCode = error instanceof UsageError ? 2 : 1;
  const expected =
    error instanceof CommandError || error instanceof ConfigurationError || error instanceof AppError;
  const text = expected || error instanceof UsageError ? error.message : (error as Error).stack;
  if (error instanceof CommandError && error.result) process.stdout.write(`${error.result}\n`);
  process.stderr.write(`${[text, error instanceof UsageError ? USAGE : ""].filter(Boolean).join("\n\n")}\n`);
}
