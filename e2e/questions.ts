/** Has the question server ask, and reads what it was told. */
import type { Page } from "@playwright/test";
import { z } from "zod";
import type { Page as ListPage } from "../lib/base/page.ts";
import type { Server } from "../lib/servers/schema.ts";
import { apiOf, expect, newInvoiceId, openRequest } from "./desk.ts";
import { KINDS, type Kind } from "./question-kinds.ts";
import { type Told, toldSchema } from "./question-server.ts";

const NAME = "Back office";

/** The question server, made known by an admin when it is not yet. */
export async function questionServer(admin: Page): Promise<Server> {
  const api = apiOf(admin);
  const known = (await api.get<ListPage<Server>>("/servers")).items.find((server) => server.name === NAME);
  if (known) return known;
  const made = await api.write("POST", "/servers", { name: NAME, url: process.env.E2E_QUESTIONS_URL });
  expect(made.status()).toBe(201);
  return made.json();
}

export interface Asked {
  requestId: string;
  taskId: string;
  /** What the server was told about this task, once it was. */
  told: () => Promise<Told["answer"] | undefined>;
}

/** Asks a question of a kind; `more` replaces arguments of it. */
export function ask(admin: Page, kind: Kind, more: Record<string, unknown> = {}): Promise<Asked> {
  return start(admin, kind, { ...KINDS[kind].arguments, ...more });
}

/** Asks exactly this. */
export function askForm(
  admin: Page,
  message: string,
  requestedSchema: Record<string, unknown>,
): Promise<Asked> {
  return start(admin, "ask", { message, requestedSchema });
}

async function start(admin: Page, tool: string, args: Record<string, unknown>): Promise<Asked> {
  const server = await questionServer(admin);
  const label = args.label ?? newInvoiceId();
  const response = await apiOf(admin).write("POST", "/tasks", {
    serverId: server.id,
    tool,
    arguments: { ...args, label },
  });
  expect(response.status(), await response.text()).toBe(201);
  const { id: taskId } = await response.json();
  return {
    taskId,
    requestId: await openRequest(admin, taskId),
    told: async () => (await allTold()).find((told) => told.arguments.label === label)?.answer,
  };
}

/** Everything it was told, in order of arrival. */
export async function allTold(): Promise<Told[]> {
  const response = await fetch(new URL("/answers", process.env.E2E_QUESTIONS_URL));
  return z.array(toldSchema).parse(await response.json());
}
