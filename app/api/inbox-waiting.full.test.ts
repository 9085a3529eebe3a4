/**
 * What waits for a person: the lists and the counts of every tab agree with each other, with what each request
 * says of itself, and with what the API lets the person accept.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { ROLES, type Role } from "@/lib/access/roles.ts";
import { pageSchema } from "@/lib/base/page.ts";
import { requestCountsSchema } from "@/lib/requests/lists/request-list-schema.ts";
import {
  type InputRequestDetail,
  inputRequestDetailSchema,
  inputRequestSchema,
} from "@/lib/requests/request-schema.ts";
import { waitsFor } from "@/lib/requests/request-status.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();

interface Person {
  name: string;
  role: Role;
  userId: string | null;
  who: { key?: string; cookie?: string };
}

/** A member of each role, a second approver, and a key of an owner. */
async function peopleOf(organization: string): Promise<Person[]> {
  const people: Person[] = [];
  for (const role of [...ROLES, "approver"] as Role[]) {
    const name = `${role} ${people.length}`;
    const { userId, cookie } = await web.member(organization, name, role);
    people.push({ name, role, userId, who: { cookie } });
  }
  const key = await web.key(organization, "owner");
  return [...people, { name: "key", role: "owner", userId: null, who: { key } }];
}

const NAMES = ["the shared connection's", "a member's own connection's", "an authorized shared connection's"];

/** Opens requests of every combination of form or site, owner, requester, assignee and claim. */
async function fill(organization: string, people: Person[]): Promise<void> {
  const approvers = people.filter(({ userId, role }) => userId !== null && role !== "viewer");
  const [ann, bob] = [approvers[0]!, approvers[1]!];
  for (const [kind, name] of NAMES.entries()) {
    const server = await insertServer(web.db, organization, { name });
    await web.db.withOrganization(organization, (tx) =>
      tx.connection.update({
        where: { organizationId_id: { organizationId: organization, id: server.connectionId } },
        data: kind === 0 ? {} : kind === 1 ? { userId: ann.userId } : { authorizedBy: bob.userId },
      }),
    );
    // Whose connection it is matters to sites alone.
    for (const url of kind === 0 ? [undefined, "https://bank.example/"] : ["https://bank.example/"])
      for (const requester of [undefined, ann.userId!])
        for (const [assignee, claimant] of [
          [undefined, undefined],
          [ann.userId!, undefined],
          [undefined, bob],
          [bob.userId!, ann],
        ] as const) {
          const task = await insertTask(web.db, organization, server, { ...(requester && { requester }) });
          const { id } = await insertRequest(web.db, organization, task, {
            message: `${name}, ${url ?? "form"}`,
            ...(url && { url }),
            ...(assignee && { assignee }),
          });
          if (!claimant) continue;
          // As an earlier version left it: today's refuses claims of who may not accept.
          await web.db.withOrganization(organization, (tx) =>
            tx.claim.create({
              data: { organizationId: organization, inputRequestId: id, userId: claimant.userId! },
            }),
          );
        }
  }
}

const page = pageSchema(inputRequestSchema);

async function idsOf({ who }: Person, query: string): Promise<string[]> {
  const answer = await web.call("GET", `/api/v1/input-requests?state=open&limit=200&${query}`, who);
  return page
    .parse(answer.body)
    .items.map(({ id }) => id)
    .sort();
}

async function detailsOf({ who }: Person): Promise<InputRequestDetail[]> {
  const { items } = page.parse(
    (await web.call("GET", "/api/v1/input-requests?state=open&limit=200", who)).body,
  );
  const details: InputRequestDetail[] = [];
  for (const { id } of items)
    details.push(
      inputRequestDetailSchema.parse((await web.call("GET", `/api/v1/input-requests/${id}`, who)).body),
    );
  return details;
}

describe.each([
  ["an organization", false],
  ["an organization that requires a second person", true],
])("in %s", (title, fourEyes) => {
  let people: Person[];
  const detailsBy = new Map<Person, InputRequestDetail[]>();

  beforeAll(async () => {
    const organization = await web.organization(fourEyes ? "acme-waiting" : "globex-waiting");
    people = await peopleOf(organization);
    await fill(organization, people);
    const owner = people.find(({ role }) => role === "owner")!;
    const changed = await web.call("PATCH", "/api/v1/organization", { ...owner.who, body: { fourEyes } });
    expect(changed.status).toBe(200);
  });

  test("counts and lists agree for each tab and person", async () => {
    for (const person of people) {
      const details = await detailsOf(person);
      detailsBy.set(person, details);
      expect(details, title).toHaveLength(32);
      const ids = (keep: (request: InputRequestDetail) => boolean) =>
        details
          .filter(keep)
          .map(({ id }) => id)
          .sort();
      const mine = (each: { id: string } | null) => person.userId !== null && each?.id === person.userId;
      const tabs = {
        waiting: [
          "waiting=me",
          ids((request) => person.role !== "viewer" && waitsFor(request, person.userId)),
        ],
        mine: ["assignee=me", ids(({ assignedTo, claimedBy }) => mine(assignedTo) || mine(claimedBy))],
        unassigned: [
          "assignee=none",
          ids(({ assignedTo, claimedBy }) => assignedTo === null && claimedBy === null),
        ],
        all: ["", ids(() => true)],
      } as const;
      const counts = requestCountsSchema.parse(
        (await web.call("GET", "/api/v1/input-requests/counts", person.who)).body,
      );
      for (const [tab, [query, expected]] of Object.entries(tabs)) {
        expect([person.name, tab, await idsOf(person, query)]).toEqual([person.name, tab, expected]);
        expect([person.name, tab, counts[tab as keyof typeof tabs]]).toEqual([
          person.name,
          tab,
          expected.length,
        ]);
      }
      const narrowed = requestCountsSchema.parse(
        (await web.call("GET", "/api/v1/input-requests/counts?q=own", person.who)).body,
      );
      expect(await idsOf(person, "waiting=me&q=own")).toHaveLength(narrowed.waiting);
    }
  });

  test("each may accept what waits for them, and is refused what others hold", async () => {
    const accept = (person: Person, { id, questionHash }: InputRequestDetail) =>
      web.call("POST", `/api/v1/input-requests/${id}/answer`, {
        ...person.who,
        body: { action: "accept", questionHash },
      });
    for (const person of people) {
      const waiting = new Set(await idsOf(person, "waiting=me"));
      const open = await idsOf(person, "");
      const details = (detailsBy.get(person) ?? []).filter(({ id }) => open.includes(id));
      expect(details).toHaveLength(open.length);
      for (const request of details) {
        const ofAnother = request.assignedTo !== null && request.assignedTo.id !== person.userId;
        // An assignment asks one person, and stops nobody.
        if (waiting.has(request.id) || ofAnother) continue;
        const { status, body } = await accept(person, request);
        expect([403, 409], `${person.name}: ${request.message}`).toContain(status);
        expect(["forbidden", "four_eyes", "claimed_by_other"]).toContain(body.code);
      }
      const first = details.find(({ id }) => waiting.has(id));
      if (!first) continue;
      expect((await accept(person, first)).status).toBe(202);
      const { waiting: left } = requestCountsSchema.parse(
        (await web.call("GET", "/api/v1/input-requests/counts", person.who)).body,
      );
      expect(left).toBe(waiting.size - 1);
    }
  });
});

test("a row of the list tells what keeps its reader from accepting, as the request does", async () => {
  const organization = await web.organization("rows-tell");
  const people = await peopleOf(organization);
  await fill(organization, people);
  const owner = people.find(({ role }) => role === "owner")!;
  const changed = await web.call("PATCH", "/api/v1/organization", {
    ...owner.who,
    body: { fourEyes: true },
  });
  expect(changed.status).toBe(200);
  const said = new Set<string>();
  for (const person of people.filter(({ role }) => role === "owner" || role === "approver")) {
    const list = await web.call("GET", "/api/v1/input-requests?state=open&limit=200", person.who);
    const details = new Map((await detailsOf(person)).map((each) => [each.id, each]));
    for (const { id, fourEyes, urlOwner, task } of page.parse(list.body).items) {
      const detail = details.get(id)!;
      const told = { fourEyes, urlOwner, cancelRequestedAt: task.cancelRequestedAt };
      const { cancelRequestedAt } = detail.task;
      expect(told).toEqual({ fourEyes: detail.fourEyes, urlOwner: detail.urlOwner, cancelRequestedAt });
      said.add(fourEyes ? "second person" : urlOwner ? `only ${urlOwner.name}` : "open");
    }
  }
  expect([...said].sort()).toEqual(["only approver 1", "only operator 2", "open", "second person"]);

  const server = await insertServer(web.db, organization);
  const task = await insertTask(web.db, organization, server);
  await insertRequest(web.db, organization, task, { message: "Soon cancelled" });
  expect((await web.call("POST", `/api/v1/tasks/${task}/cancel`, owner.who)).status).toBeLessThan(300);
  const rows = await web.call("GET", "/api/v1/input-requests?q=Soon%20cancelled", owner.who);
  expect(page.parse(rows.body).items.map((row) => row.task.cancelRequestedAt)).toEqual([expect.any(String)]);
});

test("an unknown `waiting` is refused", async () => {
  const organization = await web.organization("waiting-of-whom");
  const { body, status } = await web.call("GET", "/api/v1/input-requests?waiting=ana", {
    key: await web.key(organization, "viewer"),
  });
  expect([status, z.object({ code: z.string() }).parse(body).code]).toEqual([422, "invalid_input"]);
});
