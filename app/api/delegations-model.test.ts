/**
 * Random votes over absences, suspensions, removals, policy changes, keys, agents and bulk decisions, beside a model that says which
 * of them count. The seed is printed with each failure; MODEL_SEED runs one of them again. The full tests make more runs.
 */
import { beforeAll, expect, test } from "vitest";
import { uuidv7 } from "@/lib/base/ids.ts";
import { randomFor } from "@/test/chaos/random.ts";
import { modelSeeds } from "@/test/random/model-seeds.ts";
import { type Voter, type VotingOrganization, votingOrganization } from "@/test/voting.ts";
import { webForFile } from "@/test/web.ts";

const STEPS = 45;
const FORM = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const HOUR_MS = 3_600_000;

const web = webForFile();
let acme: VotingOrganization;
let serviceKey: string;

interface Person extends Voter {
  name: string;
  isOwner: boolean;
  /** Runs the organization: may undo what others decided, and say who is away for others. */
  isAdmin: boolean;
  /** Made by the person. Null: only admins make keys, and those of who was suspended are gone. */
  key: { id: string; secret: string } | null;
  state: "active" | "suspended" | "removed";
}
let everybody: Person[];

async function person(name: string, role: "owner" | "admin" | "approver"): Promise<Person> {
  const made = await acme.person(name, role);
  const isAdmin = role !== "approver";
  const key = isAdmin ? await keyOf(made) : null;
  return { ...made, name, isOwner: role === "owner", isAdmin, key, state: "active" };
}

async function keyOf({ cookie }: Voter): Promise<Person["key"]> {
  const body = { name: uuidv7(), role: "approver" };
  const made = await web.call("POST", "/api/v1/api-keys", { cookie, body });
  return { id: made.body.id, secret: made.body.secret };
}

beforeAll(async () => {
  acme = await votingOrganization(web, "acme");
  everybody = [
    await person("Olga", "owner"),
    await person("Ada", "admin"),
    await person("Ben", "admin"),
    await person("Cleo", "approver"),
    await person("Dora", "approver"),
  ];
  const owner = everybody[0]!;
  const account = await web.call("POST", "/api/v1/service-accounts", {
    cookie: owner.cookie,
    body: { name: "bots", role: "approver", ownerId: owner.memberId },
  });
  const { body } = await web.call("POST", "/api/v1/api-keys", {
    cookie: owner.cookie,
    body: { name: "bot", role: "approver", serviceAccountId: account.body.id },
  });
  serviceKey = body.secret;
});

interface Vote {
  person: string;
  caster: string;
  stage: number;
  rejects: boolean;
  n: number;
  byKey: boolean;
}

interface Absence {
  delegate: string;
  setBy: string;
  /** Names of rules; null: all. */
  rules: string[] | null;
}

/** A request as its rule has it. People are ids of users. */
class Asked {
  votes: Vote[] = [];
  completing: Vote | null = null;

  readonly request: { id: string; questionHash: string };
  readonly rule: string;
  readonly stages: { who: string[]; need: number; rejections: number }[];
  readonly requester: string;

  constructor(its: Pick<Asked, "request" | "rule" | "stages" | "requester">) {
    this.request = its.request;
    this.rule = its.rule;
    this.stages = its.stages;
    this.requester = its.requester;
  }

  /** The same request, if nobody had asked for its task. */
  ofNobody(): Asked {
    return Object.assign(new Asked({ ...this, requester: "" }), {
      votes: this.votes,
      completing: this.completing,
    });
  }

  get open(): number {
    const at = this.stages.findIndex(({ need }, stage) => this.count(stage, false) < need);
    return at === -1 ? this.stages.length : at;
  }

  count(stage: number, rejects: boolean): number {
    const its = this.votes.filter((vote) => vote.stage === stage && vote.rejects === rejects);
    return new Set(its.map((vote) => vote.person)).size;
  }

  /** Whose vote `caster` may cast now: their own, or that of who is away. Undefined: nobody's. */
  voteOf(model: Model, caster: Person, byKey = false): string | undefined {
    if (this.completing || caster.state !== "active" || caster.userId === this.requester) return undefined;
    const isOwn = this.stages[this.open]!.who.includes(caster.userId);
    const whose = isOwn ? caster.userId : byKey ? undefined : model.absentOf(caster.userId, this);
    return whose === undefined || [caster.userId, whose].some((each) => this.hasVotedHere(each))
      ? undefined
      : whose;
  }

  /** Casts a vote. False: it has to be refused. */
  vote(model: Model, caster: Person, n: number | "no", { byKey = false, proposes = false } = {}): boolean {
    const { open } = this;
    const whose = this.voteOf(model, caster, byKey);
    if (whose === undefined) return false;
    const rejects = n === "no";
    const vote = { person: whose, caster: caster.userId, stage: open, rejects, n: rejects ? 0 : n, byKey };
    const differs = (other: Vote) => !rejects && !other.rejects && other.n !== vote.n;
    if (this.votes.some(differs) && !proposes) return false;
    this.votes = [...this.votes.filter((other) => !differs(other)), vote];
    const isRejected = rejects && this.count(open, true) >= this.stages[open]!.rejections;
    if (isRejected || this.open === this.stages.length) this.completing = vote;
    return true;
  }

  hasVotedHere(userId: string): boolean {
    return this.votes.some(
      (vote) => vote.stage === this.open && (vote.person === userId || vote.caster === userId),
    );
  }

  takeBack(caster: Person): boolean {
    if (this.completing || caster.state !== "active") return false;
    const mine = this.votes.find(
      (vote) => [vote.person, vote.caster].includes(caster.userId) && vote.stage >= this.open,
    );
    this.votes = this.votes.filter((vote) => vote !== mine);
    return mine !== undefined;
  }

  undo(by: Person): boolean {
    if (!this.completing || by.state !== "active" || by.userId === this.requester) return false;
    const isOwn = this.completing.caster === by.userId && !this.completing.byKey;
    if (!by.isAdmin && !isOwn) return false;
    this.votes = this.votes.filter((vote) => vote !== this.completing);
    this.completing = null;
    return true;
  }
}

class Model {
  away = new Map<string, Absence>();
  readonly people: Person[];

  constructor(people: Person[]) {
    this.people = people;
  }

  isActive(userId: string): boolean {
    return this.people.some((each) => each.userId === userId && each.state === "active");
  }

  /** For whom `by` has a vote in the stage that is open: who asked for the task is nowhere on the way. */
  absentOf(by: string, asked: Asked): string | undefined {
    const found: string[] = [];
    const walk = (delegate: string, path: string[], setters: string[]) => {
      for (const [absent, { delegate: next, setBy, rules }] of this.away) {
        if (next !== delegate || !this.isActive(absent) || path.includes(absent) || absent === by) continue;
        if (rules && !rules.includes(asked.rule)) continue;
        const steps = [absent, ...path];
        const set = [setBy, ...setters];
        if (steps.length < 3) walk(absent, steps, set);
        const owners = steps.filter((each) => this.isOwner(each));
        const isChosenByLess = steps.some((each, at) => set[at] !== each && !this.isOwner(set[at]!));
        if (set.includes(by) || (owners.length > 0 && isChosenByLess)) continue;
        if ([...steps, ...set, by].includes(asked.requester)) continue;
        if (!asked.stages[asked.open]!.who.includes(absent) || asked.hasVotedHere(absent)) continue;
        found.push(absent);
      }
    };
    if (this.isActive(by) && !asked.hasVotedHere(by)) walk(by, [], []);
    return found.sort()[0];
  }

  /** As of now: somebody who was suspended is nobody's owner. */
  isOwner(userId: string): boolean {
    return this.people.some((each) => each.userId === userId && each.isOwner && each.state === "active");
  }

  setAway(by: Person, absent: Person, delegate: Person, rules: string[] | null): boolean {
    if (![by, absent, delegate].every(({ state }) => state === "active")) return false;
    if (by !== absent && (!by.isAdmin || delegate === by || (absent.isOwner && !by.isOwner))) return false;
    if (absent === delegate) return false;
    const seen = new Set<string>();
    for (
      let next: string | undefined = delegate.userId;
      next !== undefined;
      next = this.away.get(next)?.delegate
    ) {
      if (next === absent.userId) return false;
      if (seen.has(next)) break;
      seen.add(next);
    }
    this.away.set(absent.userId, { delegate: delegate.userId, setBy: by.userId, rules });
    return true;
  }
}

async function run(seed: number): Promise<void> {
  const random = randomFor(seed);
  const below = (most: number) => Math.floor(random() * most);
  const some = <T>(list: T[]): T => list[below(list.length)]!;
  await acme.sql("DELETE FROM away");
  for (const each of everybody.filter(({ state }) => state === "suspended")) await reinstate(each);
  const people = [...everybody, await person(`Zoe${seed}`, "approver")];
  const model = new Model(people);
  const requests: Asked[] = [];
  const owner = people[0]!;
  const withRequest = async (): Promise<void> => {
    const rule = `Rule ${requests.length} of ${seed}`;
    const members = people.filter(({ state }) => state === "active");
    const stages = Array.from({ length: 1 + below(3) }, () => {
      const who = members.filter(() => below(3) === 0);
      if (who.length < 2) who.splice(0, who.length, ...members.slice(0, 2));
      return { who, need: 1 + below(2), rejections: 1 + below(2) };
    });
    await acme.policy({
      rules: [
        {
          name: rule,
          stages: stages.map(({ who, ...its }, at) => ({
            name: `Stage ${at}`,
            approvers: { people: who.map(({ email }) => email) },
            ...its,
          })),
        },
      ],
    });
    // Often somebody who chooses delegates of others.
    const requester = some(below(2) === 0 ? people.filter(({ isAdmin }) => isAdmin) : people);
    const taskId = await acme.task({ requester: requester.userId });
    const { key } = requester;
    // By the person, a key of theirs, or an agent of theirs.
    const way = below(3);
    if (way === 1 && key) await requestedBy(taskId, { kind: "key", id: key.id, name: "k" });
    if (way === 2) await requestedBy(taskId, { kind: "agent", id: await agentOf(requester), name: "A" });
    const request = await acme.ask(taskId, { schema: FORM });
    requests.push(
      new Asked({
        request,
        rule,
        stages: stages.map((stage) => ({ ...stage, who: stage.who.map(({ userId }) => userId) })),
        requester: requester.userId,
      }),
    );
  };
  /** Whether the model lets one member say that another is away, and whether the product does. */
  const isAway = async (by: Person, absent: Person, delegate: Person, rules: string[] | null) => {
    const expected = model.setAway(by, absent, delegate, rules);
    const path = absent === by ? "/api/v1/me/away" : `/api/v1/members/${absent.memberId}/away`;
    const times = { from: inHours(-1), until: inHours(48) };
    const body = { ...times, delegateUserId: delegate.userId, scope: rules && { rules } };
    return [expected, isDone(await web.call("PUT", path, { cookie: by.cookie, body }))];
  };
  for (let each = 0; each < 3; each++) {
    const absent = some(people);
    await isAway(below(2) === 0 ? owner : absent, absent, some(people), null);
  }
  await withRequest();
  await withRequest();

  for (let step = 0; step < STEPS; step++) {
    const open = requests.filter(({ completing }) => completing === null);
    const asked = open.length > 0 && below(5) > 0 ? some(open) : some(requests);
    const kind = below(24);
    // Most may vote, for others where somebody may, or are kept from it by who asked for the task alone.
    const able = people.filter((each) => asked.voteOf(model, each) !== undefined);
    const forOthers = able.filter((each) => asked.voteOf(model, each) !== each.userId);
    const kept = people.filter((each) => !able.includes(each) && asked.ofNobody().voteOf(model, each));
    const likely = [people, able, forOthers, kept].filter((list) => list.length > 0);
    const who = some(kind < 12 ? some(likely) : people);
    let said = `seed ${seed}, step ${step}: ${who.name} (${who.state})`;
    /** What the model says, and what happened. */
    let expected: unknown;
    let happened: unknown;
    if (kind < 10) {
      const n = below(5) === 0 ? "no" : below(6) === 0 ? 2 : 1;
      const proposes = below(4) === 0;
      const byKey = who.key !== null && below(4) === 0;
      said += ` votes ${n}${byKey ? " by key" : ""}${proposes ? ", proposing" : ""} on ${asked.rule}`;
      expected = asked.vote(model, who, n, { byKey, proposes });
      const way = byKey ? { key: who.key!.secret } : { cookie: who.cookie };
      const content = n === "no" ? { action: "decline", content: undefined } : { content: { n } };
      happened = isDone(await acme.decide(way, asked.request, { ...content, proposes, holdMs: 60_000 }));
    } else if (kind < 12) {
      if (open.length === 0) continue;
      said += " votes 1 on all that are open";
      expected = who.state === "active" ? open.map((each) => each.vote(model, who, 1)) : "refused";
      const reply = await web.call("POST", "/api/v1/input-requests/bulk-answer", {
        cookie: who.cookie,
        body: {
          items: open.map(({ request: { id, questionHash } }) => ({ id, questionHash })),
          ...{ action: "accept", content: { n: 1 }, holdMs: 60_000 },
        },
      });
      happened =
        reply.status === 200
          ? reply.body.results.map(({ status }: { status: string }) => status !== "refused")
          : "refused";
    } else if (kind < 14) {
      said += ` takes back on ${asked.rule}`;
      expected = asked.takeBack(who);
      happened = isDone(await acme.takeBack({ cookie: who.cookie }, asked.request));
    } else if (kind === 14) {
      said += ` undoes ${asked.rule}`;
      expected = asked.undo(who);
      const path = `/api/v1/input-requests/${asked.request.id}/undo`;
      happened = isDone(await web.call("POST", path, { cookie: who.cookie }));
    } else if (kind < 19) {
      const [absent, delegate] = [below(2) === 0 ? some(people) : who, some(people)];
      const rules = below(3) === 0 ? [asked.rule] : null;
      said += ` says that ${absent.name} is away, and ${delegate.name} stands in${rules ? ` for ${asked.rule}` : ""}`;
      [expected, happened] = await isAway(who, absent, delegate, rules);
    } else if (kind === 19) {
      said += " is back";
      expected = who.state === "active";
      if (expected) model.away.delete(who.userId);
      happened = isDone(await web.call("DELETE", "/api/v1/me/away", { cookie: who.cookie }));
    } else if (kind === 20) {
      if (who === owner || who.state === "removed") continue;
      if (who.state === "suspended") {
        said += " is reinstated";
        await reinstate(who);
      } else {
        said += " is suspended";
        await act(who, "suspend");
        Object.assign(who, { state: "suspended" });
        model.away.delete(who.userId);
      }
    } else if (kind === 21) {
      const zoe = people.at(-1)!;
      if (zoe.state !== "active" || below(2) > 0) continue;
      said += `: ${zoe.name} is removed`;
      const reply = await web.call("DELETE", `/api/v1/members/${zoe.memberId}`, { cookie: owner.cookie });
      expect([said, reply.status]).toEqual([said, 204]);
      Object.assign(zoe, { state: "removed" });
      model.away.delete(zoe.userId);
    } else if (kind === 22) {
      said += ": a service account votes, and a stranger's key";
      expected = [false, false];
      happened = [
        isDone(await acme.decide({ key: serviceKey }, asked.request, { content: { n: 1 } })),
        isDone(
          await acme.decide({ key: await web.key(acme.id, "owner") }, asked.request, { content: { n: 1 } }),
        ),
      ];
    } else if (requests.length < 6) {
      said += ": another policy, and a request by it";
      await withRequest();
    }
    expect([said, happened, refusal]).toEqual([said, expected, refusal]);
    await acme.holdOn();
    await matches(said, requests);
    if (step % 3 === 0) await listsWaiting(said, model, requests);
  }
}

/** Everybody's list of what waits for them has the requests in which they have a vote, in person and by their keys. */
async function listsWaiting(said: string, model: Model, requests: Asked[]): Promise<void> {
  const path = "/api/v1/input-requests?state=open&waiting=me&limit=200";
  for (const each of model.people.filter(({ state }) => state === "active"))
    for (const byKey of each.key ? [false, true] : [false]) {
      const way = byKey ? { key: each.key!.secret } : { cookie: each.cookie };
      const listed: { id: string }[] = (await web.call("GET", path, way)).body.items;
      const waits = ({ id }: Asked["request"]) => listed.some((item) => item.id === id);
      const whose = `${said}; what waits for ${each.name}${byKey ? "'s key" : ""}`;
      const mays = requests.map((asked) => asked.voteOf(model, each, byKey) !== undefined);
      expect([whose, requests.map(({ request }) => waits(request))]).toEqual([whose, mays]);
    }
}

/** The database has the votes of the model, one answer where they suffice, and none where they don't. */
async function matches(said: string, requests: Asked[]): Promise<void> {
  const ids = requests.map(({ request }) => request.id);
  const votes = await acme.sql(
    `SELECT input_request_id AS id, person, coalesce(CASE WHEN on_behalf_of IS NOT NULL THEN cast_by ->> 'id' END, person::text) AS caster,
      stage, rejects FROM vote WHERE input_request_id = ANY ($1) AND ended_at IS NULL`,
    [ids],
  );
  const states = await acme.sql(
    "SELECT id, state, (approval -> 'open' ->> 'stage')::int AS open FROM input_request WHERE id = ANY ($1)",
    [ids],
  );
  const answers = await acme.sql(
    "SELECT input_request_id AS id, content FROM answer WHERE input_request_id = ANY ($1) AND withdrawn_at IS NULL",
    [ids],
  );
  for (const asked of requests) {
    const { id } = asked.request;
    const of = <T extends { id: string }>(rows: T[]) => rows.filter((row) => row.id === id);
    const words = (list: Vote[]) =>
      list
        .map(({ person: whose, caster, stage, rejects }) => `${whose} by ${caster} in ${stage}: ${!rejects}`)
        .sort();
    const its = of(votes as ({ id: string } & Vote)[]);
    expect([said, asked.rule, words(its)]).toEqual([said, asked.rule, words(asked.votes)]);
    // Nothing that the model takes for granted: the requester is nowhere, nobody votes twice, no stage is skipped.
    for (const vote of its) expect([vote.person, vote.caster]).not.toContain(asked.requester);
    for (const stage of new Set(its.map((vote) => vote.stage))) {
      const persons = its
        .filter((vote) => vote.stage === stage)
        .flatMap((vote) => [...new Set([vote.person, vote.caster])]);
      expect([said, new Set(persons).size]).toEqual([said, persons.length]);
      // A no may end it at an earlier stage, which was opened again by another content.
      const before = Array.from({ length: asked.completing?.rejects === false ? stage : 0 }, (_, at) => at);
      for (const at of before) expect(asked.count(at, false)).toBeGreaterThanOrEqual(asked.stages[at]!.need);
    }
    const [row] = of(states as { id: string; state: string; open: number }[]);
    expect([said, row?.state]).toEqual([said, asked.completing ? "answered" : "open"]);
    if (!asked.completing) expect([said, row?.open]).toEqual([said, asked.open]);
    const { completing } = asked;
    expect([said, of(answers as { id: string; content: unknown }[]).map(({ content }) => content)]).toEqual([
      said,
      completing ? [completing.rejects ? null : { n: completing.n }] : [],
    ]);
  }
}

/** Of the last call, for the message of a failure. */
let refusal: string | undefined;
const isDone = ({ status, body }: { status: number; body: { code?: string } | null }) => {
  refusal = body?.code;
  return status < 300;
};
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
const requestedBy = (taskId: string, actor: object) =>
  acme.sql("UPDATE task SET requested_by = $1 WHERE id = $2", [JSON.stringify(actor), taskId]);

async function agentOf({ userId }: Person): Promise<string> {
  const id = uuidv7();
  await acme.sql(
    "INSERT INTO agent_credential (organization_id, id, name, role, secret_hash, created_by) VALUES ($1, $2::uuid, 'A', 'viewer', decode(md5($2::text), 'hex'), $3)",
    [acme.id, id, userId],
  );
  return id;
}

async function act({ memberId }: Person, what: "suspend" | "reinstate"): Promise<void> {
  const reply = await web.call("POST", `/api/v1/members/${memberId}/${what}`, {
    cookie: everybody[0]!.cookie,
  });
  expect([what, reply.status]).toEqual([what, 200]);
}

async function reinstate(who: Person): Promise<void> {
  await act(who, "reinstate");
  // Whether keys come back is another test's to say.
  Object.assign(who, { state: "active", key: null, cookie: await web.signIn(who.userId) });
}

test("whoever votes, for whomever, and whatever changes meanwhile: one answer, by those who had to agree", async () => {
  for (const seed of modelSeeds(1))
    await run(seed).catch((cause: unknown) => {
      throw new Error(`MODEL_SEED=${seed}`, { cause });
    });
});
