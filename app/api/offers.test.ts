/** What screens offer about a request the API takes, whoever looks at it. */
import { beforeAll, expect, test } from "vitest";
import { mayUndo } from "@/app/(app)/inbox/answer/answer-blockers.ts";
import { assignmentOffer } from "@/app/(app)/inbox/answer/assignment/assignment-offer.ts";
import { may, type Permission } from "@/lib/access/permissions.ts";
import type { Role } from "@/lib/access/roles.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;
let server: { id: string; connectionId: string };
interface Person {
  userId: string;
  memberId: string;
  cookie: string;
  role: Role;
}
let people: Record<"vic" | "ben" | "cleo" | "ola" | "ana", Person>;

beforeAll(async () => {
  acme = await web.organization("acme");
  server = await insertServer(web.db, acme);
  const person = async (name: string, role: Role) => ({ ...(await web.member(acme, name, role)), role });
  people = {
    vic: await person("Vic", "viewer"),
    ben: await person("Ben", "approver"),
    cleo: await person("Cleo", "approver"),
    ola: await person("Ola", "operator"),
    ana: await person("Ana", "admin"),
  };
});

interface Asked {
  id: string;
  questionHash: string;
}
const call = (who: Person, { id }: Asked, path: string, body?: object, method: "POST" | "PUT" = "POST") =>
  web.call(method, `/api/v1/input-requests/${id}/${path}`, { cookie: who.cookie, ...(body && { body }) });
const answerIt = (who: Person, asked: Asked) =>
  call(who, asked, "answer", {
    action: "accept",
    content: {},
    questionHash: asked.questionHash,
    holdMs: 60_000,
  });

const SITUATIONS: Record<string, (asked: Asked) => Promise<unknown>> = {
  "is open": async () => undefined,
  "Cleo has claimed": (asked) => call(people.cleo, asked, "claim"),
  "is assigned to Cleo": (asked) => call(people.ana, asked, "assign", { memberId: people.cleo.memberId }),
  "is of a task that is being cancelled": (asked) =>
    web.db.withOrganization(acme, async (tx) => {
      const { taskId } = await tx.inputRequest.findFirstOrThrow({
        where: { organizationId: acme, id: asked.id },
      });
      await tx.task.updateMany({
        where: { organizationId: acme, id: taskId },
        data: { cancelRequestedAt: new Date() },
      });
    }),
  "Cleo has answered": (asked) => answerIt(people.cleo, asked),
};
const ORGANIZATIONS = { "one person decides": false, "a second person is required": true };

test.each(
  Object.entries(ORGANIZATIONS).flatMap(([rule, fourEyes]) =>
    Object.keys(SITUATIONS).map((situation) => [situation, rule, fourEyes] as const),
  ),
)("on a request that %s, where %s", async (situation, _rule, fourEyes) => {
  await web.db.withOrganization(acme, (tx) =>
    tx.organization.updateMany({ where: { id: acme }, data: { fourEyes } }),
  );
  for (const [name, who] of Object.entries(people)) {
    const me = {
      user: { id: who.userId, name, email: "" },
      may: (permission: Permission) => may(who.role, permission),
    };
    const steps: [string, (asked: Asked) => Promise<{ status: number; body: { code?: string } | null }>][] = [
      ["claim", (asked) => call(who, asked, "claim")],
      [
        "takeOver",
        async (asked) => call(who, asked, "claim", { takeOver: (await read(who, asked)).claimedBy?.at }),
      ],
      ["toMe", (asked) => call(who, asked, "assign", { memberId: who.memberId })],
      ["unassign", (asked) => call(who, asked, "assign", { memberId: null })],
      [
        "give",
        (asked) =>
          call(who, asked, may(who.role, "requests:assign") ? "assign" : "hand-over", {
            memberId: (name === "ana" ? people.ben : people.ana).memberId,
          }),
      ],
      ["snooze", (asked) => call(who, asked, "snooze", { until: new Date(Date.now() + 3_600_000) }, "PUT")],
      ["undo", (asked) => call(who, asked, "undo")],
    ];
    const put = async () => {
      const taskId = await insertTask(web.db, acme, server, { requester: people.ola.userId });
      const asked = await insertRequest(web.db, acme, taskId);
      await SITUATIONS[situation]!(asked);
      return asked;
    };
    const seen = await read(who, await put());
    const offer = { ...assignmentOffer(seen, me), undo: mayUndo(seen, me) };
    for (const [step, take] of steps) {
      const isOffered = Boolean(offer[step as keyof typeof offer]);
      if (!isOffered && step !== "undo") continue;
      // Each step changes its request. Nor is an undo kept from who may.
      const { status, body } = await take(await put());
      expect([name, step, body?.code, status < 300]).toEqual([
        name,
        step,
        isOffered ? undefined : body?.code,
        isOffered,
      ]);
    }
  }
});

async function read(who: Person, { id }: Asked): Promise<InputRequestDetail> {
  return (await web.call("GET", `/api/v1/input-requests/${id}`, { cookie: who.cookie })).body;
}
