/**
 * Postgres over TLS with verification, as compose.yaml and the manifests have it: with the certificate of
 * ops/container/make-certificate.sh and the rules of ops/container/pg_hba.conf.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, openCluster } from "../../../scripts/database/cluster.ts";
import { createOwner, withClient, withLogin } from "../../../scripts/database/roles.ts";
import { type Server, startServer } from "../../../scripts/database/server.ts";
import { createDatabase, Prisma } from "./db.ts";

const CONTAINER = new URL("../../../ops/container/", import.meta.url).pathname;
const PASSWORD = "of-the-test";
let home: string;
let folder: string;
let other: string;
let cluster: Cluster;
let server: Server;

/** Makes a certificate for a name, and the addresses that make-secrets.sh would have written before it. */
function certificateFor(name: string): string {
  const made = mkdtempSync(join(home, "secrets-"));
  for (const file of ["database_url", "app_database_url", "engine_database_url"])
    writeFileSync(join(made, file), `postgresql://intray:x@${name}:5432/intray\n`);
  execFileSync("sh", [join(CONTAINER, "make-certificate.sh"), made, name]);
  return made;
}

/** As the entrance of compose.yaml's Postgres: a key that only its account can read. */
function giveKey(from: string): void {
  const { uid, gid } = cluster.account;
  for (const [file, mode] of [
    ["postgres_key", 0o600],
    ["postgres_certificate", 0o644],
  ] as const) {
    const path = join(cluster.folder, file);
    copyFileSync(join(from, file), path);
    chmodSync(path, mode);
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  }
}

async function serve(settings: string[]): Promise<void> {
  server = await startServer(cluster, { settings });
}

const withTls = () => [
  "ssl=on",
  "ssl_min_protocol_version=TLSv1.3",
  `ssl_key_file=${join(cluster.folder, "postgres_key")}`,
  `ssl_cert_file=${join(cluster.folder, "postgres_certificate")}`,
  `hba_file=${join(cluster.folder, "rules.conf")}`,
];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "intray-tls-"));
  chmodSync(home, 0o711);
  const data = join(home, "data");
  mkdirSync(data, { mode: 0o711 });
  cluster = await openCluster(data, PASSWORD);
  folder = certificateFor("localhost");
  other = certificateFor("another.example");
  giveKey(folder);
  // The superuser's line is the test's own, which starts and looks at the server without TLS.
  const rules = `host all postgres all scram-sha-256\n${readFileSync(join(CONTAINER, "pg_hba.conf"), "utf8")}`;
  writeFileSync(join(cluster.folder, "rules.conf"), rules, { mode: 0o644 });
  await serve(withTls());
  const admin = withLogin(`postgresql://127.0.0.1:${server.port}/postgres`, "postgres", PASSWORD);
  await createOwner(admin, { role: "intray_owner", password: PASSWORD, database: "intray" });
});
afterAll(async () => {
  await server?.stop("fast");
  rmSync(home, { recursive: true, force: true });
});

const addressOf = (host: string, query: string) =>
  withLogin(`postgresql://${host}:${server.port}/intray?${query}`, "intray_owner", PASSWORD);
const verified = (ca: string) => `sslmode=verify-full&sslrootcert=${join(ca, "postgres_ca")}`;
/** What the pool of web and engine makes of an address: whether the session is encrypted. */
async function throughPool(url: string): Promise<boolean | undefined> {
  const db = createDatabase(url, { connections: 1 });
  try {
    const [row] = await db.gate<{ ssl: boolean }>(
      Prisma.sql`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`,
    );
    return row?.ssl;
  } finally {
    await db.close();
  }
}
/** And what the single connections of migrate, LISTEN and the jobs make of it. */
const alone = (url: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
    return rows[0].ssl as boolean;
  });

describe("with sslmode=verify-full", () => {
  test("a certificate of the given authority, for the name, is connected to", async () => {
    const url = addressOf("localhost", verified(folder));
    expect([await throughPool(url), await alone(url)]).toEqual([true, true]);
  });

  test("one of another authority is refused", async () => {
    const url = addressOf("localhost", verified(other));
    await expect(alone(url)).rejects.toThrow(/unable to verify|self-signed|signature/);
    await expect(throughPool(url)).rejects.toThrow();
  });

  test("one of no authority that the machine knows is refused", async () => {
    const url = addressOf("localhost", "sslmode=verify-full");
    await expect(alone(url)).rejects.toThrow(/unable to (verify|get)|self-signed/);
    await expect(throughPool(url)).rejects.toThrow();
  });

  test("a server without TLS is refused, and one with a certificate for another name", async () => {
    await server.stop("fast");
    await serve([]);
    const url = addressOf("localhost", verified(folder));
    await expect(alone(url)).rejects.toThrow("does not support SSL");
    await expect(throughPool(url)).rejects.toThrow();
    await server.stop("fast");
    giveKey(other);
    await serve(withTls());
    const named = addressOf("localhost", verified(other));
    await expect(alone(named)).rejects.toThrow(/does not match certificate/);
    await expect(throughPool(named)).rejects.toThrow();
    await server.stop("fast");
    giveKey(folder);
    await serve(withTls());
    expect(await alone(url)).toBe(true);
  });
});

test("without TLS nobody is let in, whatever the password", async () => {
  const url = addressOf("localhost", "");
  await expect(alone(url)).rejects.toThrow(/no pg_hba.conf entry.*no encryption/);
  await expect(throughPool(url)).rejects.toThrow();
});

test("the addresses that lie in the folder are made to verify, once", async () => {
  const read = () => readFileSync(join(folder, "app_database_url"), "utf8");
  const before = read();
  expect(before).toBe(
    "postgresql://intray:x@localhost:5432/intray?sslmode=verify-full&sslrootcert=/run/secrets/postgres_ca\n",
  );
  const ca = readFileSync(join(folder, "postgres_ca"), "utf8");
  execFileSync("sh", [join(CONTAINER, "make-certificate.sh"), folder, "localhost"]);
  expect(read()).toBe(before);
  expect(readFileSync(join(folder, "postgres_ca"), "utf8")).not.toBe(ca);
});

test("compose.yaml and the manifests ask for it", () => {
  const root = new URL("../../../", import.meta.url).pathname;
  const compose = readFileSync(join(root, "compose.yaml"), "utf8");
  expect(compose.match(/secrets: \[.*database_url.*, postgres_ca\]/g)).toHaveLength(3);
  expect(readFileSync(join(CONTAINER, "postgres"), "utf8")).toContain("-c ssl=on");
  const secrets = readFileSync(join(root, "ops/kubernetes/secret.example.yaml"), "utf8");
  const urls = secrets.match(/postgresql:\S+/g) ?? [];
  expect(urls).toHaveLength(3);
  for (const url of urls)
    expect(url).toMatch(/\?sslmode=verify-full&sslrootcert=\/etc\/intray\/postgres\/ca\.crt$/);
  for (const part of ["web", "engine", "migrate"])
    expect(readFileSync(join(root, `ops/kubernetes/${part}.yaml`), "utf8")).toContain(
      "mountPath: /etc/intray/postgres",
    );
});
