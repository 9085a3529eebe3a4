/** Starts all parts, keeps them running, and stops them. The only place that counts signals. */
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigurationError, type Environment, env } from "../../lib/base/env.ts";
import { changeAllowedHosts } from "../../lib/base/network/allowed-hosts.ts";
import { readSandbox } from "../../lib/people/sandbox/sandbox-file.ts";
import { killSteps, runStep } from "../child.ts";
import { allowLogins } from "../database/roles.ts";
import { prepareDataFolder, readOrCreateSecrets, readOrCreateSetupToken } from "../database/secrets.ts";
import { nextFreePort } from "../ports.ts";
import { syncServersAt } from "../sync-servers.ts";
import { checkDatabase, type KeptPostgres, keepPostgres, migrateDatabase, readSetup } from "./database.ts";
import { demoTasksMark, followSandbox, runDemoTasks } from "./demo-tasks.ts";
import { openLog } from "./log-file.ts";
import { keepLines, type Part, type startPart } from "./part.ts";
import { isAnswered, untilReady } from "./ready.ts";
import {
  checkSettings,
  decideDemo,
  keySettings,
  machineEnvironment,
  partEnvironments,
  sandboxMark,
  setupLines,
} from "./settings.ts";
import { lockDataFolder } from "./single.ts";

/**
 * Signals within this time count as one: under `npm start` one Ctrl-C arrives several times, from the
 * terminal, and passed on by npm and by the bootstrap.
 */
const oneMs = 500;

function countSignals(on: { first: () => void; second: () => void }): void {
  let count = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      const now = performance.now();
      if (now - lastAt < oneMs) return;
      lastAt = now;
      count += 1;
      if (count === 1) on.first();
      else on.second();
    });
  }
  // The bootstrap was killed outright, so no signal would reach us any more.
  if (process.send) process.once("disconnect", on.first);
}

/** What `npm start` and `npm run dev` do differently. */
export interface Command {
  /** The script that serves the web app. */
  web: string;
  /** Makes what the web app needs; the other parts start meanwhile. */
  prepare(say: (line: string) => void): Promise<void>;
  startPart: typeof startPart;
  /** Starts what people need beside a running Intray. */
  startBeside?(): Part;
}

/** Longest drain before the parts are killed. */
const drainMs = 30_000;

let command: Command;
let starting: Promise<void>;
const parts: Part[] = [];
let postgres: Promise<KeptPostgres> | undefined;
let unlock = () => {};
let stopping = false;

/** Runs until a signal or a failure ends this process. */
export function supervise(how: Command): void {
  command = how;
  // A reader of our output may end before we do, which is no reason to stop.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  countSignals({
    first: () => shutDown("drain", 0),
    second: () => shutDown("force", 1),
  });
  starting = start().catch(async (error) => {
    if (stopping) return;
    complain(error instanceof ConfigurationError ? error.message : String((error as Error).stack));
    stopping = true;
    killSteps();
    await Promise.all(parts.map((part) => part.drain()));
    await stopPostgres("fast");
    unlock();
    process.exit(1);
  });
}

async function start(): Promise<void> {
  const settings = env();
  const dataDir = resolve(settings.dataDir);
  prepareDataFolder(dataDir);
  unlock = lockDataFolder(dataDir, settings.url);
  if (process.stdout.isTTY) {
    const path = join(dataDir, "intray.log");
    keepLines(openLog(path, complain));
    say(`The log is in ${path}. Warnings and errors are shown here too.`);
  }
  await checkSettings(settings);
  if (settings.databaseUrl) await checkDatabase(settings.databaseUrl);

  // Side by side: on a first start the build takes a minute or two, and the engine does not need it.
  const [environments] = await Promise.all([startBehindTheWeb(settings, dataDir), command.prepare(say)]);
  if (stopping || !environments) return;
  const { host, port } = settings;
  const answers = () => isAnswered(host, port, "/healthz");
  parts.push(command.startPart("web", command.web, environments.web, { answers }));
  await untilReady(host, port, () => stopping);
  if (stopping) return;
  say(`Intray is ready after ${secondsSinceStart()} s: ${settings.url}`);
  if (environments.web.INTRAY_DEMO === "1")
    say(
      "A demonstration: sign in with one click as Ana (owner), Ola (operator), Ben or Cleo (approvers) of Acme, or Gus of Globex.",
    );
  const { INTRAY_SETUP_TOKEN: setupToken } = environments.web;
  if (setupToken) for (const line of setupLines(settings, setupToken)) say(line);
  if (command.startBeside) parts.push(command.startBeside());
}

/** Starts all parts but the web app. Returns the parts' environments, or undefined if aborted meanwhile. */
async function startBehindTheWeb(settings: Environment, dataDir: string) {
  if (!settings.databaseUrl) {
    say(`Starting Postgres (data in ${settings.dataDir}) …`);
    postgres = keepPostgres(dataDir, (why) => {
      complain(why);
      void shutDown("drain", 1);
    });
  }
  const embedded = await postgres;
  if (embedded?.server.adopted) say("It still runs from the last time.");
  const ownerUrl = embedded?.ownerUrl ?? (settings.databaseUrl as string);
  say("Checking the database …");
  await migrateDatabase(ownerUrl, say);
  if (stopping) return undefined;

  const secrets = readOrCreateSecrets(dataDir);
  const { appDatabaseUrl, engineDatabaseUrl } =
    settings.appDatabaseUrl && settings.engineDatabaseUrl
      ? { appDatabaseUrl: settings.appDatabaseUrl, engineDatabaseUrl: settings.engineDatabaseUrl }
      : await allowLogins(ownerUrl, secrets);
  const setup = await readSetup(appDatabaseUrl);
  const demo = decideDemo(settings, setup.done);
  const setupToken = setup.possible ? (settings.setupToken ?? readOrCreateSetupToken(dataDir)) : undefined;
  const keys = keySettings(secrets.intrayKeys);
  const sandbox = sandboxMark(settings, dataDir);
  const isKept = sandbox !== null && readSandbox(sandbox) !== null;
  let invoice = (demo || isKept) && embedded ? await sampleServers(settings, embedded.invoiceUrl) : undefined;
  const seed = (
    what: string,
    { port, tunnelPort }: NonNullable<typeof invoice>,
    marks: Record<string, string>,
  ) =>
    runStep(what, ["prisma/seed-demo.ts"], {
      ...machineEnvironment(),
      DATABASE_URL: ownerUrl,
      INVOICE_URL: `http://127.0.0.1:${port}`,
      TUNNEL_URL: `http://127.0.0.1:${tunnelPort}`,
      ...keys,
      ...marks,
    });
  if (invoice && demo) {
    say("Preparing the demonstration …");
    const marks: Record<string, string> = settings.demoTasks
      ? { DEMO_TASKS_MARK: demoTasksMark(dataDir) }
      : {};
    await seed("The demonstration's data", invoice, marks);
  }
  if (invoice && isKept) await seed("The sandbox", invoice, { INTRAY_SANDBOX_FILE: sandbox });
  if (stopping) return undefined;
  // After the demonstration's data, whose organizations the file may name.
  await syncServersAt(ownerUrl, say);
  if (stopping) return undefined;

  const resolved = {
    demo,
    setupToken,
    appDatabaseUrl,
    engineDatabaseUrl,
    keys,
    authSecret: settings.authSecret ?? secrets.authSecret,
    databasePort: Number(new URL(ownerUrl).port || 5432),
  };
  const environments = partEnvironments({ ...resolved, ...(invoice && { invoice }) });
  say(`Starting ${invoice ? "the sample servers and " : ""}the engine …`);
  if (invoice) startSampleServers(environments);
  parts.push(command.startPart("engine", "lib/engine/main.ts", environments.engine));
  if (sandbox !== null && embedded)
    void followSandbox(
      sandbox,
      async () => {
        if (!invoice) {
          invoice = await sampleServers(settings, embedded.invoiceUrl);
          const { port, tunnelPort } = invoice;
          const hosts = [port, tunnelPort].map((each) => `127.0.0.1:${each}`);
          const file = environments.web.INTRAY_ALLOW_HOSTS_FILE;
          // The web app and the engine run without these ports among their settings.
          if (file) changeAllowedHosts(file, (known) => [...new Set([...known, ...hosts])]);
          startSampleServers(partEnvironments({ ...resolved, invoice }));
        }
        await seed("The sandbox", invoice, { INTRAY_SANDBOX_FILE: sandbox });
      },
      () => stopping,
      complain,
    );
  if (invoice && demo && settings.demoTasks)
    void runDemoTasks(demoTasksMark(dataDir), environments.web).then((failure) => {
      if (failure && !stopping) complain(failure);
    });
  return environments;
}

function startSampleServers({ invoice, tunnel }: ReturnType<typeof partEnvironments>): void {
  parts.push(command.startPart("invoice", "examples/invoice-server/main.ts", invoice));
  parts.push(command.startPart("tunnel", "examples/tunnelled-invoice-server/main.ts", tunnel));
}

async function sampleServers({ invoicePort, port: webPort }: Environment, databaseUrl: string) {
  const port = await nextFreePort(invoicePort ?? webPort + 1);
  return { port, tunnelPort: await nextFreePort(port + 1), databaseUrl };
}

/** Seconds since the command was given, including the installation of packages. */
function secondsSinceStart(): number {
  const startedAt = Number(process.env.INTRAY_STARTED_AT) || performance.timeOrigin;
  return Math.round((Date.now() - startedAt) / 1000);
}

/** Stops the parts first and the database last, which they need to finish their work. */
async function shutDown(how: "drain" | "force", code: number): Promise<void> {
  if (how === "drain") {
    if (stopping) return;
    stopping = true;
    say("Stopping (once more to stop at once) …");
    killSteps();
    // Lets a running migration end first.
    const drained = Promise.all([starting, ...parts.map((part) => part.drain())]).then(() => true);
    if (!(await Promise.race([drained, sleep(drainMs, false)]))) return shutDown("force", 1);
    await stopPostgres("fast");
  } else {
    stopping = true;
    killSteps();
    for (const part of parts) part.kill();
    await stopPostgres("immediate");
  }
  unlock();
  process.exit(code);
}

/** Stops Postgres, also one that is just being started; one that never came up has reported so already. */
async function stopPostgres(mode: "fast" | "immediate"): Promise<void> {
  const started = await postgres?.catch(() => undefined);
  await started?.stop(mode);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function complain(line: string): void {
  process.stderr.write(`${line}\n`);
}
