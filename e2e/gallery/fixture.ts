/** The installation that the gallery looks at: the demonstration, and a back office that asks every kind of question. */
import type { Page } from "@playwright/test";
import type { Page as ListPage } from "../../lib/base/page.ts";
import type { AnswerInput } from "../../lib/requests/request-input-schema.ts";
import type { Server } from "../../lib/servers/server-schema.ts";
import type { TaskDetail } from "../../lib/tasks/task-schema.ts";
import type { Intray } from "../fixtures/intray.ts";
import { KINDS, type Kind } from "../fixtures/question-kinds.ts";
import type { QuestionServer } from "../fixtures/question-server.ts";
import {
  apiOf,
  expect,
  openRequest,
  type Person,
  readRequest,
  SOON,
  startInvoice,
} from "../fixtures/test.ts";
import type { TestRows } from "../fixtures/test-rows.ts";

export interface Asked {
  taskId: string;
  requestId: string;
}

export interface GalleryFixture {
  intray: Intray;
  office: QuestionServer;
  testRows: TestRows;
  /** A page of somebody who is signed in, behind the screen. */
  as(person: Person): Page;
  /** Starts a tool of the back office as Ola and waits for its question. */
  ask(tool: Kind, more?: Record<string, unknown>): Promise<Asked>;
  invoice(sample?: "acme" | "large", id?: string): Promise<Asked>;
  answer(
    person: Person,
    requestId: string,
    answer: Pick<AnswerInput, "action"> & Partial<AnswerInput>,
  ): Promise<void>;
  assign(requestId: string, person: Person, note?: string): Promise<void>;
  /** The open request of a task. */
  openIn(taskId: string): Promise<string>;
  /** Waits until the time of a task is up by its server's word, and lets the server forget it. */
  expire(taskId: string): Promise<void>;
  /** Waits until a delivery has come that far. */
  delivered(requestId: string, state: string): Promise<void>;
  /** Waits until the request has come to that state. */
  became(requestId: string, state: string): Promise<void>;
}

export async function createGalleryFixture(
  intray: Intray,
  office: QuestionServer,
  testRows: TestRows,
  pages: Map<Person, Page>,
): Promise<GalleryFixture> {
  const as = (person: Person) => pages.get(person)!;
  const serverId = await connectOffice(as("Ana"), office);

  const fixture: GalleryFixture = {
    intray,
    office,
    testRows,
    as,
    async ask(tool, more = {}) {
      const response = await apiOf(as("Ola")).write("POST", "/tasks", {
        serverId,
        tool,
        arguments: { ...KINDS[tool].arguments, ...more },
      });
      expect(response.status(), await response.text()).toBe(201);
      const { id: taskId } = (await response.json()) as TaskDetail;
      return { taskId, requestId: await openRequest(as("Ola"), taskId) };
    },
    async invoice(sample = "acme", id) {
      const { taskId } = await startInvoice(as("Ola"), { sample, ...(id && { id }) });
      return { taskId, requestId: await openRequest(as("Ola"), taskId) };
    },
    async answer(person, requestId, answer) {
      const { questionHash } = await readRequest(as(person), requestId);
      const body = { questionHash, ...answer };
      const response = await apiOf(as(person)).write("POST", `/input-requests/${requestId}/answer`, body);
      expect(response.status(), await response.text()).toBe(202);
    },
    async assign(requestId, person, note) {
      const { items } = await apiOf(as("Ana")).get<ListPage<{ id: string; name: string }>>("/members");
      const memberId = items.find(({ name }) => name === person)?.id;
      await apiOf(as("Ola")).write("POST", `/input-requests/${requestId}/assign`, { memberId, note });
    },
    openIn: (taskId) => openRequest(as("Ola"), taskId),
    async expire(taskId) {
      const { expiresAt } = await apiOf(as("Ola")).get<TaskDetail>(`/tasks/${taskId}`);
      const over = () => Date.now() > Date.parse(expiresAt ?? "");
      await expect.poll(over, SOON).toBe(true);
      office.forget("deploy");
    },
    async delivered(requestId, state) {
      const read = async () => (await readRequest(as("Ola"), requestId)).delivery?.state;
      await expect.poll(read, SOON).toBe(state);
    },
    async became(requestId, state) {
      const look = async () => {
        const { taskId, state } = await readRequest(as("Ola"), requestId);
        // An unchanged task is looked at ever more rarely.
        await apiOf(as("Ola")).write("POST", `/tasks/${taskId}/refresh`);
        return state;
      };
      await expect.poll(look, SOON).toBe(state);
    },
  };
  return fixture;
}

/** Returns the server's id once its tools are known. */
async function connectOffice(ana: Page, office: QuestionServer): Promise<string> {
  const response = await apiOf(ana).write("POST", "/servers", { name: "Back office", url: office.url });
  expect(response.status(), await response.text()).toBe(201);
  const { id } = (await response.json()) as Server;
  const tools = async () => {
    const answer = await ana.request.get(`/api/v1/servers/${id}/tools`);
    return answer.ok() ? ((await answer.json()) as ListPage<unknown>).items.length : 0;
  };
  await expect.poll(tools, SOON).toBeGreaterThan(5);
  return id;
}
