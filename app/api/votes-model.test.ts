/**
 * Random votes and changes of groups, beside a model that says what each of them must do. The seed is printed with each failure;
 * MODEL_SEED runs one of them again. The full tests make more runs.
 */
import { beforeAll, expect, test } from "vitest";
import { modelSeeds } from "@/test/random/model-seeds.ts";
import { type Voter, type VotingOrganization, votingOrganization } from "@/test/voting.ts";
import { webForFile } from "@/test/web.ts";

const STEPS = 30;
const FORM = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };

const web = webForFile();
let acme: VotingOrganization;
const people: Record<string, Voter> = {};
/** How each may call: in person, or by keys of theirs. */
const ways: Record<string, ({ cookie: string } | { key: string })[]> = {};

beforeAll(async () => {
  acme = await votingOrganization(web, "acme");
  for (const name of ["Ada", "Ben", "Cleo", "Dora", "Eve"]) {
    const person = await acme.person(name, "admin");
    people[name] = person;
    ways[name] = [
      person,
      { key: await acme.keyOf(person, "operator") },
      { key: await acme.keyOf(person, "operator") },
    ];
  }
});

interface Vote {
  who: string;
  stage: number;
  rejects: boolean;
  n: number;
}

interface Stage {
  /** Of a group, those who are in it at the moment. */
  who: string[];
  need: number;
  rejections: number;
}

class Model {
  votes: Vote[] = [];
  completing: Vote | null = null;

  readonly stages: Stage[];
  readonly requester: string;

  constructor(stages: Stage[], requester: string) {
    this.stages = stages;
    this.requester = requester;
  }

  count(stage: number, rejects: boolean): number {
    return this.votes.filter((vote) => vote.stage === stage && vote.rejects === rejects).length;
  }

  get open(): number {
    const at = this.stages.findIndex(({ need }, stage) => this.count(stage, false) < need);
    return at === -1 ? this.stages.length : at;
  }

  /** Returns the code of the refusal, or null. */
  vote(who: string, n: number | "no", proposes: boolean): string | null {
    if (this.completing) return "already_answered";
    if (who === this.requester) return "four_eyes";
    const { open } = this;
    const own = this.votes.filter((vote) => vote.who === who);
    const isApprover = this.stages[open]!.who.includes(who);
    if (own.some(({ stage }) => stage === open) || (own.length > 0 && !isApprover)) return "already_voted";
    if (!isApprover) return "not_an_approver";
    const vote = { who, stage: open, rejects: n === "no", n: n === "no" ? 0 : n };
    const differs = (other: Vote) => !vote.rejects && !other.rejects && other.n !== vote.n;
    if (this.votes.some(differs) && !proposes) return "content_differs";
    this.votes = [...this.votes.filter((other) => !differs(other)), vote];
    const isRejected = vote.rejects && this.count(open, true) >= this.stages[open]!.rejections;
    if (isRejected || this.open === this.stages.length) this.completing = vote;
    return null;
  }

  takeBack(who: string): string | null {
    if (this.completing) return "already_answered";
    const own = this.votes.filter((vote) => vote.who === who);
    const mine = own.find(({ stage }) => stage >= this.open);
    if (!mine) return own.length > 0 ? "stage_full" : "not_found";
    this.votes = this.votes.filter((vote) => vote !== mine);
    return null;
  }

  undo(who: string): string | null {
    if (!this.completing) return "already_sent";
    // All are admins: operators may undo anybody's. Who asked for the task may not.
    if (who === this.requester) return "four_eyes";
    this.votes = this.votes.filter((vote) => vote !== this.completing);
    this.completing = null;
    return null;
  }
}

/** mulberry32. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below) | 0;
  };
}

async function group(name: string, who: string[]): Promise<string> {
  const members = who.map((each) => people[each]!.memberId);
  const made = await web.call("POST", "/api/v1/groups", { ...people.Ada, body: { name, members } });
  expect(made.status).toBe(201);
  return made.body.id;
}

async function run(seed: number): Promise<void> {
  const below = random(seed);
  const names = Object.keys(people);
  const some = () => names.filter(() => below(3) > 0);
  const stages: Stage[] = Array.from({ length: 1 + below(3) }, () => {
    const who = some();
    if (who.length < 2) who.splice(0, who.length, "Ada", "Ben");
    return { who, need: 1 + below(Math.min(2, who.length)), rejections: 1 + below(2) };
  });
  const requester = names[below(names.length)]!;
  // Some stages name people, others a group whose members change meanwhile.
  const groups: (string | null)[] = [];
  for (const [at, { who }] of stages.entries())
    groups.push(below(2) === 0 ? null : await group(`${seed} ${at}`, who));
  await acme.policy({
    rules: [
      {
        name: "All",
        stages: stages.map(({ who, ...its }, at) => ({
          name: `Stage ${at}`,
          approvers: groups[at]
            ? { groups: [`${seed} ${at}`] }
            : { people: who.map((name) => people[name]!.email) },
          ...its,
        })),
      },
    ],
  });
  const request = await acme.ask(await acme.task({ requester: people[requester]!.userId }), { schema: FORM });
  const model = new Model(stages, requester);
  for (let step = 0; step < STEPS; step++) {
    const who = names[below(names.length)]!;
    const way = ways[who]![below(3)]!;
    const kind = below(12);
    const said = `seed ${seed}, step ${step}: ${who}`;
    let reply: { status: number; body: { code: string } };
    let expected: string | null;
    if (kind < 7) {
      const n = below(5) === 0 ? "no" : below(4) === 0 ? 2 : 1;
      const proposes = below(4) === 0;
      expected = model.vote(who, n, proposes);
      const content = n === "no" ? { action: "decline", content: undefined } : { content: { n } };
      reply = await acme.decide(way, request, { ...content, proposes, holdMs: 60_000 });
    } else if (kind < 9) {
      expected = model.takeBack(who);
      reply = await acme.takeBack(way, request);
    } else if (kind < 11) {
      const at = below(stages.length);
      const id = groups[at];
      if (!id) continue;
      const { who: isIn } = stages[at]!;
      const change = isIn.includes(who) ? "remove" : "add";
      if (change === "add") isIn.push(who);
      else isIn.splice(isIn.indexOf(who), 1);
      expected = null;
      const body = { [change]: [people[who]!.memberId] };
      reply = await web.call("PATCH", `/api/v1/groups/${id}`, { ...people.Ada, body });
    } else {
      expected = model.undo(who);
      reply = await web.call("POST", `/api/v1/input-requests/${request.id}/undo`, way);
    }
    expect([said, reply.status < 300 ? null : reply.body.code]).toEqual([said, expected]);
    await acme.holdOn();
    const { state, approval } = await acme.read(people.Ada!, request);
    expect([said, state]).toEqual([said, model.completing ? "answered" : "open"]);
    expect([
      said,
      approval.stages.map((stage: { votes: { person: string; agrees: boolean }[] }) =>
        stage.votes.map(({ person, agrees }) => `${person} ${agrees}`).sort(),
      ),
    ]).toEqual([
      said,
      stages.map((_, at) =>
        model.votes
          .filter(({ stage }) => stage === at)
          .map((vote) => `${people[vote.who]!.userId} ${!vote.rejects}`)
          .sort(),
      ),
    ]);
    const live = (await acme.answers(request)).filter(({ withdrawn_at }) => withdrawn_at === null);
    expect([said, live.map(({ content }) => content)]).toEqual([
      said,
      model.completing ? [model.completing.rejects ? null : { n: model.completing.n }] : [],
    ]);
  }
}

test("votes do what the model says, whoever casts them and in whatever order, also as groups change", async () => {
  for (const seed of modelSeeds(2)) await run(seed);
});
