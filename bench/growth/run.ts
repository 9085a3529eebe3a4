/**
 * How the cost of watching grows: one engine, one server, more and more open tasks, each polled at an
 * interval. `BENCH_GROWTH=100000` replaces the default sizes, which take five minutes. The interval is 60 s
 * above 20,000 tasks, else 5 s. The default run also measures the conditions of real servers: TLS, compressed
 * replies, answers that take 100 ms, 2025-11-25.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Era } from "../../lib/mcp/peer.ts";
import type { Figure } from "../figure.ts";
import { startMeasuredEngine } from "../hot-path/engine.ts";
import { createScene } from "../hot-path/scene.ts";
import { type Behaviour, startSimulated } from "../hot-path/simulated.ts";
import { measure, untilEven } from "../hot-path/watch.ts";

const OTHERS = process.env.BENCH_GROWTH;
const SIZES = (OTHERS ?? "100,1000,10000").split(",").map(Number);
/** The minimum length of a window; longer for a longer interval. */
const SECONDS = 12;

export async function run(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const tasks of SIZES) figures.push(...(await at(`${tasks.toLocaleString("en")} tasks`, { tasks })));
  if (OTHERS !== undefined) return figures;
  const folder = mkdtempSync(join(tmpdir(), "intray-bench-"));
  const tls = makeCertificate(folder);
  figures.push(...(await at("1,000 tasks over TLS", { tasks: 1_000, tls })));
  figures.push(...(await at("1,000 tasks, replies packed by gzip", { tasks: 1_000, gzip: true })));
  figures.push(...(await at("10,000 tasks, answers after 100 ms", { tasks: 10_000, latencyMs: 100 })));
  figures.push(...(await at("1,000 tasks of 2025-11-25", { tasks: 1_000, era: "2025-11-25" })));
  rmSync(folder, { recursive: true });
  return figures;
}

type Case = { tasks: number; era?: Era } & Partial<Behaviour>;

async function at(name: string, { tasks, era = "2026-07-28", ...behaviour }: Case): Promise<Figure[]> {
  const pollMs = tasks > 20_000 ? 60_000 : 5_000;
  const scene = await createScene();
  const server = await startSimulated({ pollMs, ...behaviour });
  const { tls } = behaviour;
  const engine = await startMeasuredEngine({
    ...scene.fixture.engineEnvironment,
    ...(tls && { NODE_EXTRA_CA_CERTS: tls.cert }),
  });
  const watch = async () => {
    await scene.addTasks(tasks, server.urls, era, pollMs);
    await untilEven(server, tasks, pollMs);
    return measure(engine, server, scene.admin, Math.max(SECONDS, pollMs / 1_000));
  };
  const window = await watch().finally(async () => {
    await engine.stop();
    await server.stop();
    await scene.close();
  });
  const { polls, seconds, writes } = window;
  return [
    { what: `${name}: polls`, value: polls / seconds, unit: "/s" },
    { what: `${name}: CPU`, value: window.core * 100, unit: "% of a core" },
    { what: `${name}: CPU of a poll`, value: window.cpuUsPerPoll, unit: "µs" },
    { what: `${name}: memory of the engine`, value: window.rss / 1_024 ** 2, unit: "MiB" },
    { what: `${name}: rows written`, value: writes.rows / seconds, unit: "/s" },
    { what: `${name}: bytes of a poll on the wire`, value: window.bytes / polls, unit: "bytes" },
    { what: `${name}: lateness p50`, value: window.lateMs.p50, unit: "ms" },
    { what: `${name}: lateness p99`, value: window.lateMs.p99, unit: "ms" },
  ];
}

function makeCertificate(folder: string): { key: string; cert: string } {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const files = ["-nodes", "-keyout", key, "-out", cert, "-days", "2"];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", ...names, ...files], { stdio: "ignore" });
  return { key, cert };
}
