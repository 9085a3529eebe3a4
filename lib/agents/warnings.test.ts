/** People are told of the end of agents' secrets: 14, 3 and 0 days before, once each. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createNotificationsFixture,
  type NotificationsFixture,
} from "../../test/fixtures/notifications-fixture.ts";
import type { Principal } from "../access/principal.ts";
import { AGENT_WARNINGS, NOTICES } from "../engine/jobs/notice-jobs.ts";
import { listNotices } from "../outbound/notices/notice-reads.ts";
import { listedWords } from "../outbound/notices/notice-words.ts";
import { markAllRead } from "../outbound/notices/notice-writes.ts";
import { createAgent, revokeAgent } from "./agent-writes.ts";

type Person = Principal & { userId: string };
let fixture: NotificationsFixture;
let ana: Person;
let max: Person;
let vic: Person;

beforeAll(async () => {
  process.env.SMTP_URL = "smtp://mail.test.example:2525";
  fixture = await createNotificationsFixture();
  ana = await fixture.member("admin", "Ana");
  max = await fixture.member("operator", "Max");
  vic = await fixture.member("operator", "Vic");
});
afterAll(() => fixture?.close());

const unread = async (person: Person) => {
  const { items } = await fixture.within((tx) => listNotices(tx, person, { limit: 50, unread: "true" }));
  return items;
};
const told = async (person: Person) => (await unread(person)).map(({ cause, agent }) => [cause, agent?.name]);
const everyone = () => Promise.all([ana, max, vic].map(told));
const make = (expires?: 7) =>
  fixture.within((tx) => createAgent(tx, max, { name: "Coder", ...(expires && { expires }) }));
const later = async (id: string, days: number) => {
  await fixture.sql(
    `UPDATE agent_credential SET expires_at = expires_at - $2 * interval '1 day',
      created_at = created_at - $2 * interval '1 day' WHERE id = $1`,
    [id, days],
  );
  await turn();
};
const turn = async () => {
  const [due] = await fixture.sql("SELECT count(*)::int AS due FROM gate.organizations_with_ending_agents()");
  if (Number(due?.due) > 0) await fixture.run(AGENT_WARNINGS);
  await fixture.run(NOTICES);
};

test("the maker and the admins are told before an agent's secret ends, once each", async () => {
  const { id } = await make();
  await later(id, 75);
  expect(await everyone()).toEqual([[], [], []]);
  for (const [days, cause] of [
    [1.5, "agent.ends_in_14_days"],
    [11, "agent.ends_in_3_days"],
    [3, "agent.ended"],
  ] as const) {
    await later(id, days);
    const notice = [[cause, "Coder"]];
    expect(await everyone()).toEqual([notice, notice, []]);
    const [shown] = await unread(ana);
    expect(listedWords(shown!)).toMatchObject({ about: "Coder", path: `/servers/agents/${id}` });
    const mails = await fixture.sql(
      "SELECT user_id FROM notice WHERE cause = $1 AND subject = $2 AND mail_after IS NOT NULL",
      [cause, id],
    );
    expect(mails).toHaveLength(2);
    for (const person of [ana, max, vic]) await fixture.within((tx) => markAllRead(tx, person));
    await turn();
    expect(await everyone()).toEqual([[], [], []]);
  }
});

test("nobody is told of a short life when it begins, nor of an agent that was revoked", async () => {
  const { id } = await make(7);
  await turn();
  expect(await everyone()).toEqual([[], [], []]);
  await later(id, 5);
  expect(await told(ana)).toEqual([["agent.ends_in_3_days", "Coder"]]);
  await fixture.within((tx) => revokeAgent(tx, ana, id));
  await turn();
  expect(await everyone()).toEqual([[], [], []]);
});
