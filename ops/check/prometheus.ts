/** A Prometheus of its own, with this repository's rules and impatient: what waits minutes there waits seconds here. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { freePort } from "../../scripts/ports.ts";

export interface Prometheus {
  /** The series that an expression has now; NaN is none. */
  query(expr: string): Promise<number[]>;
  /** Names of the alerts that fire now. */
  firing(): Promise<Set<string>>;
  rules: { alert: string; expr: string }[];
  stop(): Promise<void>;
}

const sampleSchema = z.object({ value: z.tuple([z.number(), z.string()]) });
const querySchema = z.object({
  status: z.literal("success"),
  data: z.object({ result: z.array(sampleSchema) }),
});
const alertsSchema = z.object({
  data: z.object({
    alerts: z.array(z.object({ labels: z.object({ alertname: z.string() }), state: z.string() })),
  }),
});
const rulesSchema = z.object({
  data: z.object({
    groups: z.array(z.object({ rules: z.array(z.object({ name: z.string(), query: z.string() })) })),
  }),
});

export async function startPrometheus(target: string, token: string): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), "intray-prometheus-"));
  const rules = readFileSync("ops/prometheus/alerts.yml", "utf8");
  execFileSync("promtool", ["check", "rules", "ops/prometheus/alerts.yml"], { stdio: "inherit" });
  writeFileSync(join(folder, "alerts.yml"), rules.replace(/^(\s+for:) \d+m$/gm, "$1 1s"));
  writeFileSync(join(folder, "token"), token);
  const config = readFileSync("ops/prometheus/prometheus.yml", "utf8")
    .replaceAll("15s", "1s")
    .replace("/etc/prometheus/intray-token", join(folder, "token"))
    .replace("localhost:3000", target);
  writeFileSync(join(folder, "prometheus.yml"), config);
  const port = await freePort();
  const child = spawn(
    "prometheus",
    [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=warn",
    ],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  const url = `http://127.0.0.1:${port}`;
  await answers(`${url}/-/ready`, child);
  const get = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json();
  const { data } = rulesSchema.parse(await get("/api/v1/rules"));
  return {
    rules: data.groups.flatMap((group) =>
      group.rules.map(({ name, query }) => ({ alert: name, expr: query })),
    ),
    async query(expr) {
      const found = querySchema.parse(await get(`/api/v1/query?query=${encodeURIComponent(expr)}`));
      return found.data.result.map(({ value }) => Number(value[1])).filter((value) => !Number.isNaN(value));
    },
    async firing() {
      const { alerts } = alertsSchema.parse(await get("/api/v1/alerts")).data;
      return new Set(alerts.filter(({ state }) => state === "firing").map(({ labels }) => labels.alertname));
    },
    async stop() {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const reply = await fetch(url).catch(() => null); // not listening yet
    if (reply?.ok) return;
    await sleep(200);
  }
  throw new Error("Prometheus did not start");
}
