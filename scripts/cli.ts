/**
 * The operator's command line. Only the result goes to stdout, everything else to stderr; exits 0 done, 1
 * failed, 2 called wrongly.
 */
import { resolve } from "node:path";
import { ConfigurationError, readEnvironment } from "../lib/base/env.ts";
import { AppError } from "../lib/base/errors.ts";
import { CommandError, UsageError } from "./commands/usage.ts";
import { supervisorOf } from "./supervise/single.ts";

/** A result for stdout, and what to do with it, for stderr. */
interface Explained {
  result: string;
  next: string;
}

/** Takes the arguments after the command's own words; returns the text for stdout. */
type Command = (args: string[]) => Promise<string | Explained>;

/** Each command is imported when called, since importing all took half the time of the shortest ones. */
const commands: Record<string, () => Promise<Command>> = {
  "org create": async () => (await import("./commands/organization-commands.ts")).createOrganizationCommand,
  "org quota": async () => (await import("./commands/organization-commands.ts")).setQuotaCommand,
  "org sign-in": async () => (await import("./commands/organization-commands.ts")).organizationSignIn,
  "org confirm-saml": async () => (await import("./commands/organization-commands.ts")).confirmSamlCommand,
  "org domain": async () => (await import("./commands/organization-commands.ts")).organizationDomain,
  "org delete": async () => (await import("./commands/organization-commands.ts")).deleteOrganizationCommand,
  "org addresses": async () => (await import("./commands/organization-commands.ts")).setAddressesCommand,
  "user create": async () => (await import("./commands/user-commands.ts")).createUser,
  "user password-link": async () => (await import("./commands/user-commands.ts")).createPasswordLink,
  "user no-second-factor": async () => (await import("./commands/user-commands.ts")).removeSecondFactor,
  "user made-by-link": async () => (await import("./commands/user-commands.ts")).listLinkedAccounts,
  "user vouch": async () => (await import("./commands/user-commands.ts")).vouchCommand,
  "key create": async () => (await import("./commands/create-api-key.ts")).createApiKey,
  "key list": async () => (await import("./commands/rotate-api-key.ts")).listApiKeys,
  "key rotate": async () => (await import("./commands/rotate-api-key.ts")).rotateApiKey,
  "agent create": async () => (await import("./commands/agents/create-agent.ts")).createAgentCommand,
  migrate: async () => (await import("./commands/installation-commands.ts")).migrateCommand,
  "events verify": async () => (await import("./commands/event-commands.ts")).verifyEventsCommand,
  "events export": async () => (await import("./commands/event-commands.ts")).exportEventsCommand,
  "policy export": async () => (await import("./commands/policy/policy-commands.ts")).exportPolicyCommand,
  "policy diff": async () => (await import("./commands/policy/policy-commands.ts")).diffPolicyCommand,
  "policy test": async () => (await import("./commands/policy/policy-commands.ts")).testPolicyCommand,
  "policy apply": async () => (await import("./commands/policy/policy-commands.ts")).applyPolicyCommand,
  "receipt verify": async () => (await import("./commands/receipts/verify-receipt.ts")).verifyReceiptCommand,
  "receipt rotate-key": async () =>
    (await import("./commands/installation-commands.ts")).rotateReceiptKeyCommand,
  "servers sync": async () => (await import("./commands/installation-commands.ts")).syncServersCommand,
  reseal: async () => (await import("./commands/installation-commands.ts")).resealCommand,
  restored: async () => (await import("./commands/restored.ts")).restoredCommand,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
};

const USAGE = `npm run -s intray -- <command>

  org create <slug> --name N --owner E                 makes an organization; prints its owner's link to set a password
  org quota <slug> [--open N] [--starts N] [--open-each N] [--starts-each N]
                                                       sets how many tasks may be open, and started a minute; prints it
  org sign-in --clear --org S                          removes an organization's requirements for signing in, if its
                                                       provider is gone and nobody can sign in any more
  org confirm-saml <name> --org S                      confirms a SAML provider as it is, if no owner counts as another
                                                       person than the one who set it up
  org domain <domain> --org S [--remove]               verifies a domain on your word, without DNS; or removes it
  org delete <slug> --confirm <slug>                   deletes an organization at once, once an owner has exported it
  org addresses --org S [--set NET,NET | --clear]      sets the networks from which an organization is reached, also after
                                                       people locked themselves out; prints them
  user create <email> --org S --role R [--name N]      makes a member; prints the link to set a password
  user password-link <email>                           prints a link to set a new password
  user no-second-factor <email>                        turns two-step sign-in off, for people who lost phone and codes
  user made-by-link                                    lists accounts made by a shown link that are in several organizations
  user vouch <email> --org S                           has a member count as a person of their own, apart from the
                                                       member who invited them, where a second person is required
  key create --org S --role R [--name N] [--expires E] [--from NET,NET] [--permissions P,P]
                                                       makes an API key; prints it only once. E: 7, 30, 90 (unless given)
                                                       or 365 days, a date, never; NET: networks it may come from (CIDR);
                                                       P: what it may do, organization:export; exports of all, roles,
                                                       retention and deletion are for keys that name them
  key list --org S                                     prints the API keys without their secrets, one JSON object a line
  key rotate <id> --org S [--expires E] [--overlap-hours H]
                                                       gives an API key a new secret; prints it only once. The old one
                                                       works for 24 more hours, or H (0 to 168)
  agent create --org S --name N [--grant SERVER[:TOOL]]… [--hold-ms N] [--expires E]
                                                       makes an agent, which calls tools by MCP at /mcp; prints its secret
                                                       only once, then how to connect a program. --grant: a server's
                                                       tools, or one of them; --hold-ms: how long a call is held open
                                                       (0 to 210000), else as long as its client allows; E: as for a key
  events verify --org S | --file F [--head H] [--anchor P:H] [--stream F]
                                                       checks the history's chain of hashes, also against an anchor or
                                                       a file of an audit stream; a --file needs no database
  events export --org S [--out F]                      writes the history, one JSON object a line
  policy export --org S [--file F]                     writes the current policy, as JSON or YAML (.yaml)
  policy diff --org S --file F                         says what applying a file would change; exits 1 if anything
  policy test --file F | --org S                       runs the tests in a policy; those of a file need no database
  policy apply --org S --file F [--version N]          saves a file as the policy; with N only if that is the current version
  receipt verify FILE --keys F | --url U               checks a receipt against public keys: a saved /.well-known/jwks.json,
                                                       or that of an Intray; says what holds. Needs no database
  receipt rotate-key                                   signs receipts with a new key from now on; prints its id
  servers sync                                         gives organizations the servers of INTRAY_SERVERS_FILE
  reseal                                               seals all secrets again under the first of INTRAY_KEYS
  migrate [--logins]                                   brings the database up to this version; with --logins the roles
                                                       may log in with the passwords of APP_ and ENGINE_DATABASE_URL
  restored                                             after a restore, before engines start: pauses every server, and
                                                       says what each organization would send
  doctor                                               checks configuration, database, ports and engine

  The database is DATABASE_URL's, else the embedded one in INTRAY_DATA_DIR. Roles: owner, admin, operator, approver, viewer.`;

/** What a command printed, and its exit code: 0 done, 1 failed, 2 called wrongly. */
export interface Outcome {
  code: number;
  out: string;
  err: string;
}

/**
 * Runs one command line. Its result alone is in `out`. A command that streams its result, or reports what it
 * does meanwhile, writes that to this process itself.
 */
export async function runCommand(args: string[]): Promise<Outcome> {
  if (["help", "--help", "-h"].includes(args[0] ?? "")) return { code: 0, out: `${USAGE}\n`, err: "" };
  try {
    const said = await resultOf(args);
    const { result, next } = typeof said === "string" ? { result: said, next: "" } : said;
    return { code: 0, out: asLine(result), err: asLine(next) };
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const expected =
      isUsage ||
      error instanceof CommandError ||
      error instanceof ConfigurationError ||
      error instanceof AppError;
    const text = expected ? error.message : (error as Error).stack;
    return {
      code: isUsage ? 2 : 1,
      out: asLine((error instanceof CommandError && error.result) || ""),
      err: asLine([text, isUsage ? USAGE : ""].filter(Boolean).join("\n\n")),
    };
  }
}

async function resultOf(args: string[]): Promise<string | Explained> {
  const name = Object.keys(commands).find(
    (words) => words === args.slice(0, words.split(" ").length).join(" "),
  );
  const load = name && commands[name];
  if (!load)
    throw new UsageError(args.length > 0 ? `There is no command "${args.slice(0, 2).join(" ")}".` : "");
  const command = await load();
  return command(args.slice(name.split(" ").length));
}

const asLine = (text: string) => (text === "" ? "" : `${text}\n`);

/** Has links lead to the `npm start` that runs on the data folder, whose port this shell may not know. */
function findRunning(): void {
  try {
    const { databaseUrl, dataDir } = readEnvironment();
    const url = databaseUrl ? undefined : supervisorOf(resolve(dataDir))?.url;
    if (url) process.env.INTRAY_URL ||= url;
  } catch (error) {
    // The command says itself which setting is wrong, or that the folder is another user's, if that matters to it.
    if (!(error instanceof ConfigurationError) && (error as NodeJS.ErrnoException).code !== "EACCES")
      throw error;
  }
}

if (import.meta.main) {
  findRunning();
  const { code, out, err } = await runCommand(process.argv.slice(2));
  process.exitCode = code;
  process.stdout.write(out);
  process.stderr.write(err);
}
