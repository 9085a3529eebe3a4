/** Three Postgres under Patroni, with etcd and HAProxy, as child processes on 127.0.0.1. */
import { chownSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { postgresAccount } from "../../scripts/database/account.ts";
import { freePort } from "../../scripts/ports.ts";
import type { Guard } from "../chaos/parts.ts";
import { type Link, startLinks } from "./link.ts";
import { type Program, type Programs, program } from "./programs.ts";

export type Mode = "sync" | "async";

export interface Member {
  name: string;
  /** Of its Postgres itself, past HAProxy. */
  port: number;
  api: string;
  patroni: Program;
  /** Its way to etcd. */
  toEtcd: Link;
  /** The pids of its Postgres, the postmaster first; empty while that does not run. */
  postgres(): number[];
}

export interface Cluster {
  /** The superuser's, through HAProxy. */
  superuserUrl: string;
  members: Member[];
  /** The name in etcd's leader key; null: nobody holds it. */
  holder(): Promise<string | null>;
  /** Waits until one member leads and the two others follow it closely. */
  whole(signal: AbortSignal): Promise<Member>;
  end(): Promise<void>;
}

const PASSWORD = "intray-failover";
const MEMBERS = ["m1", "m2", "m3"];
/**
 * Patroni asks for loop_wait + 2 · retry_timeout ≤ ttl. Debian's 3.0 takes these; later versions refuse a ttl below 20 and a
 * retry_timeout below 3.
 */
const QUICK = { ttl: 4, loop_wait: 1, retry_timeout: 1 };
/** How much later a standby gets the WAL without synchronous replication, so that a failover loses something. */
const ASYNC_LAG_MS = 300;
const WHOLE_MS = 180_000;
const CLOSE_BYTES = 1_000_000;

export async function startCluster(options: {
  folder: string;
  logs: string;
  guard: Guard;
  programs: Programs;
  mode: Mode;
}): Promise<Cluster> {
  const { logs, guard, programs, mode } = options;
  const account = postgresAccount();
  const folder = join(options.folder, "cluster");
  const own = (path: string) => {
    mkdirSync(path, { mode: 0o711 });
    if (account.uid !== undefined && account.gid !== undefined) chownSync(path, account.uid, account.gid);
    return path;
  };
  own(folder);
  const run = (name: string, command: string, args: string[]) =>
    program(command, args, { log: join(logs, `${name}.log`), guard, account, folder });

  const [etcdPort, peerPort, proxyPort] = [await freePort(), await freePort(), await freePort()];
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  const etcd = run("etcd", programs.etcd, [
    ...["--data-dir", join(folder, "etcd"), "--log-level", "warn", "--enable-v2"],
    ...["--listen-client-urls", etcdUrl, "--advertise-client-urls", etcdUrl],
    ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
    ...["--initial-cluster", `default=${peerUrl}`],
  ]);

  const links = startLinks();
  const members: Member[] = [];
  for (const name of MEMBERS) {
    const [port, apiPort] = [await freePort(), await freePort()];
    const toEtcd = await links.open(await freePort(), etcdPort, 0);
    const toStandbys = await links.open(await freePort(), port, mode === "async" ? ASYNC_LAG_MS : 0);
    const home = own(join(folder, name));
    const file = join(folder, `${name}.json`);
    const data = join(home, "data");
    const settings = patroniSettings({ name, home, data, port, apiPort, toEtcd, toStandbys, mode, programs });
    writeFileSync(file, JSON.stringify(settings, null, 2));
    members.push({
      name,
      port,
      api: `http://127.0.0.1:${apiPort}`,
      patroni: run(name, programs.patroni, [file]),
      toEtcd,
      postgres: () => postgresOf(data),
    });
  }
  const haproxyFile = join(folder, "haproxy.cfg");
  writeFileSync(haproxyFile, haproxySettings(proxyPort, members));
  const haproxy = run("haproxy", programs.haproxy, ["-f", haproxyFile, "-db"]);

  // Patroni starts Postgres, which the guard has to know as well.
  let watched = new Set<number>();
  const watch = () => {
    const running = new Set(members.flatMap((member) => member.postgres().slice(0, 1)));
    for (const pid of watched) if (!running.has(pid)) guard.forget(pid);
    for (const pid of running) if (!watched.has(pid)) guard.watch(pid);
    watched = running;
  };
  const watching = setInterval(watch, 500);

  async function end(): Promise<void> {
    clearInterval(watching);
    await Promise.all([haproxy, ...members.map(({ patroni }) => patroni)].map((each) => each.kill()));
    for (const member of members) for (const pid of member.postgres()) send(pid, "SIGKILL");
    await etcd.kill();
    await links.close();
    while (members.some((member) => member.postgres().length > 0)) await sleep(50);
    watch();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }

  const holder = async (): Promise<string | null> => {
    const found = await json(`${etcdUrl}/v2/keys/service/intray/leader`);
    return found?.node.value ?? null;
  };

  async function whole(signal: AbortSignal): Promise<Member> {
    for (const deadline = Date.now() + WHOLE_MS; ; await sleep(250, undefined, { signal })) {
      if (Date.now() > deadline) throw new Error("the cluster does not become whole again");
      const name = await holder();
      const leader = members.find((member) => member.name === name);
      const seen = leader && (await json(`${leader.api}/cluster`));
      if (leader && isWhole((seen?.members ?? []) as SeenMember[], leader.name, mode)) {
        const [backend] = await Promise.all([json(`${leader.api}/primary`)]);
        if (backend?.state === "running") return leader;
      }
    }
  }

  etcd.start();
  try {
    for (const deadline = Date.now() + 30_000; !(await json(`${etcdUrl}/health`)); await sleep(100))
      if (Date.now() > deadline) throw new Error("etcd does not start");
    for (const { patroni } of members) patroni.start();
    haproxy.start();
    await whole(new AbortController().signal);
  } catch (error) {
    await end();
    throw error;
  }
  const superuserUrl = `postgresql://postgres:${PASSWORD}@127.0.0.1:${proxyPort}/postgres`;
  return { superuserUrl, members, holder, whole, end };
}

/** The superuser's address of one member, past HAProxy. */
export function pastProxy({ superuserUrl }: Cluster, { port }: Member): string {
  const url = new URL(superuserUrl);
  url.port = String(port);
  url.pathname = "/intray";
  return url.href;
}

interface SeenMember {
  name: string;
  role: string;
  state: string;
  timeline?: number;
  lag?: number | string;
}

function isWhole(seen: SeenMember[], leader: string, mode: Mode): boolean {
  const lead = seen.find(({ name }) => name === leader);
  const others = seen.filter(({ name }) => name !== leader);
  const follows = ({ state, timeline, lag }: SeenMember) =>
    (state === "running" || state === "streaming") &&
    timeline === lead?.timeline &&
    typeof lag === "number" &&
    lag < CLOSE_BYTES;
  const isSynchronous = mode === "async" || others.some(({ role }) => role === "sync_standby");
  return lead?.state === "running" && others.length === 2 && others.every(follows) && isSynchronous;
}

function patroniSettings(of: {
  name: string;
  home: string;
  data: string;
  port: number;
  apiPort: number;
  toEtcd: Link;
  toStandbys: Link;
  mode: Mode;
  programs: Programs;
}) {
  const login = (username: string) => ({ username, password: PASSWORD });
  return {
    scope: "intray",
    name: of.name,
    restapi: { listen: `127.0.0.1:${of.apiPort}`, connect_address: `127.0.0.1:${of.apiPort}` },
    // By etcd's second API: by the third, Patroni 3.0.2 takes the key back that another member has by now (patroni#2689).
    // Without use_proxies Patroni asks etcd for its address, and goes past the link.
    etcd: { hosts: [`127.0.0.1:${of.toEtcd.port}`], use_proxies: true },
    bootstrap: {
      dcs: {
        ...QUICK,
        // A dead Postgres is replaced, not started again.
        primary_start_timeout: 0,
        maximum_lag_on_failover: 64_000_000,
        synchronous_mode: of.mode === "sync",
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          // The kernel keeps a killed process's writes, so nothing waits for the disk.
          parameters: { max_connections: 200, fsync: "off", shared_buffers: "64MB", wal_keep_size: "256MB" },
        },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }],
    },
    postgresql: {
      listen: `127.0.0.1:${of.port}`,
      connect_address: `127.0.0.1:${of.toStandbys.port}`,
      data_dir: of.data,
      bin_dir: of.programs.postgres,
      pgpass: join(of.home, "pgpass"),
      authentication: { superuser: login("postgres"), replication: login("replicator") },
      basebackup: [{ checkpoint: "fast" }],
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
      parameters: { unix_socket_directories: of.home, timezone: "UTC", log_min_error_statement: "panic" },
      pg_hba: [
        "host replication replicator 127.0.0.1/32 scram-sha-256",
        "host all all 127.0.0.1/32 scram-sha-256",
      ],
    },
  };
}

/** As docs/failover.md shows it, with a shorter time-out, since it has to be over before QUICK.ttl. */
function haproxySettings(port: number, members: Member[]): string {
  const servers = members.map(
    (member) => `  server ${member.name} 127.0.0.1:${member.port} check port ${new URL(member.api).port}`,
  );
  return `global
  maxconn 1000
defaults
  mode tcp
  retries 1
  timeout connect 1s
  timeout check 500ms
  timeout client 24h
  timeout server 24h
  option clitcpka
  option srvtcpka
listen postgres
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join("\n")}
`;
}

/** Returns the postmaster of a data folder and its children. */
function postgresOf(data: string): number[] {
  let postmaster: number;
  try {
    postmaster = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
    if (!readFileSync(`/proc/${postmaster}/cmdline`, "utf8").includes(data)) return [];
  } catch {
    return []; // it does not run
  }
  const children = readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return (
        Number(readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1]) === postmaster
      );
    } catch {
      return false; // it has ended meanwhile
    }
  });
  return [postmaster, ...children.map(Number)];
}

export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of Patroni and etcd, of which each caller reads a few fields
async function json(url: string): Promise<any> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    const text = await response.text();
    return response.ok ? JSON.parse(text) : null;
  } catch {
    return null; // it does not run, or is frozen
  }
}
