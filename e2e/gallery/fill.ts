import { apiOf } from "../desk.ts";
import type { OfficeToolName } from "../office-tools.ts";
import type { Scene } from "./scene.ts";

const filled = new WeakSet<Scene>();

/** A working day's worth of requests, once: some claimed, some assigned, some decided, one with little time. */
export async function fillInbox(scene: Scene): Promise<void> {
  if (filled.has(scene)) return;
  filled.add(scene);
  const ask = (tool: OfficeToolName, more?: Record<string, unknown>) => scene.ask(tool, more);
  for (let week = 44; week <= 47; week++) {
    await scene.invoice(week % 2 ? "acme" : "large");
    await ask("grant_access", { subject: `guest-${week}@acme.example` });
    await ask("pay_supplier", { payment_id: `PAY-${week}1`, total: `${week * 31}.00`, lines: [] });
  }
  scene.office.ttlMs = 40 * 60_000;
  await ask("deploy", { service: "search", version: "1.9.0", title: "search 1.9.0" });
  scene.office.ttlMs = null;

  const claimed = await ask("delete_files", { path: "/exports/2021", files: 88 });
  await apiOf(scene.as("Cleo")).write("POST", `/input-requests/${claimed.requestId}/claim`);
  const mine = await ask("pay_supplier", { payment_id: "PAY-900" });
  await apiOf(scene.as("Ben")).write("POST", `/input-requests/${mine.requestId}/claim`);
  const { items } = await apiOf(scene.as("Ana")).get<{ items: { id: string; name: string }[] }>("/members");
  const memberId = items.find(({ name }) => name === "Ben")?.id;
  const assigned = await ask("add_supplier", { name: "Brückner & Söhne" });
  await apiOf(scene.as("Ola")).write("POST", `/input-requests/${assigned.requestId}/assign`, { memberId });
}
