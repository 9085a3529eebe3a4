/** Socket Mode with a local Slack: one socket an organization, envelopes acknowledged, presses carried out once. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { insertRequest, insertTask } from "../../../test/fixtures/rows.ts";
import { APP_TOKEN, SECRETS, type SlackServer } from "../../../test/servers/slack/slack.ts";
import { createSlackFixture, type SlackFixture } from "../../../test/servers/slack/slack-fixture.ts";
import { uuidv7 } from "../../base/ids.ts";
import { allowText } from "../../outbound/channel/app-writes.ts";
import { SLACK } from "../../outbound/channel/platforms.ts";
import { askWorkspace, readSlack, setUpSlack } from "../../outbound/slack/app-writes.ts";
import { SlackSockets } from "./sockets.ts";

let fixture: SlackFixture;
let slack: SlackServer;
let opened: SlackSockets[];

beforeAll(async () => {
  fixture = await createSlackFixture();
  ({ slack } = fixture);
});
afterAll(() => fixture?.close());
beforeEach(async () => {
  opened = [];
  await fixture.reset();
  await setUp();
  await fixture.within((tx) => allowText(SLACK, tx, fixture.ana, { showsText: true }));
  await fixture.link(fixture.ben, "U1");
  await fixture.sql("UPDATE slack_account SET channel = 'DU1'");
});
afterEach(async () => {
  for (const sockets of opened) await sockets.stop();
  await until("all sockets are closed", async () => slack.sockets.length === 0);
});

/** As one web process. */
function webProcess(): SlackSockets {
  const means = { database: fixture.database, seal: fixture.seal, ...fixture.means() };
  const sockets = new SlackSockets(async () => means);
  opened.push(sockets);
  return sockets;
}
async function setUp(appToken = APP_TOKEN): Promise<void> {
  const workspace = await askWorkspace(fixture.means(), SECRETS.botToken);
  await fixture.within((tx) =>
    setUpSlack(tx, fixture.ana, fixture.seal, { ...SECRETS, appToken }, workspace),
  );
}
const shown = async () => (await fixture.within((tx) => readSlack(tx, "https://x.example"))).app?.socket;

let messages = 0;
/** What Slack sends when Ben presses, of a request that his messages have. */
async function pressOf(team = "T1"): Promise<{ payload: object; requestId: string }> {
  // A label without a number: it is no repetition of the others.
  const unlike = { label: "Payment" };
  const taskId = await insertTask(fixture.database, fixture.organizationId, fixture.finance, unlike);
  const request = await insertRequest(fixture.database, fixture.organizationId, taskId, {
    message: "Pay INV-100?",
  });
  const ts = `17.${++messages}`;
  await fixture.sql(
    `INSERT INTO slack_message (organization_id, id, user_id, matter, is_request, ts, digest)
      VALUES ($1, gen_random_uuid(), $2, $3, true, $4, 'x')`,
    [fixture.organizationId, fixture.ben.userId, request.id, ts],
  );
  const value = { request: request.id, questionHash: request.questionHash, kind: "accept", content: {} };
  const payload = {
    type: "block_actions",
    trigger_id: `socket-${ts}`,
    team: { id: team },
    user: { id: "U1" },
    container: { type: "message", message_ts: ts, channel_id: "DU1" },
    actions: [{ action_id: "accept-0", value: JSON.stringify(value) }],
  };
  return { payload, requestId: request.id };
}
const answers = (requestId: string) =>
  fixture.sql("SELECT FROM answer WHERE input_request_id = $1", [requestId]);

test("a press over the socket is acknowledged, and decides", async () => {
  await webProcess().look();
  expect(slack.sockets).toHaveLength(1);
  expect(await shown()).toMatchObject({ since: expect.any(String), error: null });
  const { payload, requestId } = await pressOf();
  const id = slack.sockets[0]?.send(payload);
  await until("it is decided", async () => (await answers(requestId)).length === 1);
  await until("it is acknowledged", async () => slack.sockets[0]?.acknowledged.includes(id ?? ""));
});

test("two processes hold one socket, and the second takes over when the first ends or dies", async () => {
  const [one, two] = [webProcess(), webProcess()];
  await Promise.all([one.look(), two.look()]);
  expect(slack.sockets).toHaveLength(1);
  await Promise.all([one.look(), two.look()]);
  expect(slack.sockets).toHaveLength(1);
  await one.stop();
  await two.look();
  expect(slack.sockets).toHaveLength(1);
  // As if the process that holds it were dead: its lease ends, its socket does not.
  await fixture.sql(
    "UPDATE slack_app SET socket_until = now() - interval '1 second', socket_holder = gen_random_uuid()",
  );
  await webProcess().look();
  await until("both are open", async () => slack.sockets.length === 2);
  const { payload, requestId } = await pressOf();
  for (const socket of slack.sockets) socket.send(payload);
  await until("both are acknowledged", async () =>
    slack.sockets.every(({ acknowledged }) => acknowledged.length > 0),
  );
  await until("it is decided", async () => (await answers(requestId)).length > 0);
  expect(await answers(requestId)).toHaveLength(1);
  expect(await fixture.sql("SELECT FROM slack_press")).toHaveLength(1);
  // The first one finds that it holds it no more.
  await two.look();
  await until("one is open", async () => slack.sockets.length === 1);
});

test("a socket that Slack ends is opened again", async () => {
  const sockets = webProcess();
  await sockets.look();
  slack.sockets[0]?.askToReconnect();
  await until("it is closed", async () => slack.sockets.length === 0);
  await until("it is open again", async () => {
    await sockets.look();
    return slack.sockets.length === 1;
  });
});

test("sockets of several organizations are opened side by side, so that a slow one keeps no other", async () => {
  const { database, seal, ana } = fixture;
  const other = uuidv7();
  await fixture.sql("INSERT INTO organization (id, slug, name) VALUES ($1, 'other', 'Other')", [other]);
  const workspace = { teamId: "T2", team: "Other", bot: "intray" };
  await database.withOrganization(other, (tx) =>
    setUpSlack(tx, ana, seal, { ...SECRETS, appToken: APP_TOKEN }, workspace),
  );
  slack.saysHello = false;
  const looked = webProcess().look();
  await until("both are being opened", async () => slack.sockets.length === 2);
  slack.saysHello = true;
  for (const socket of slack.sockets) socket.sayHello();
  await looked;
  await fixture.sql("DELETE FROM slack_app WHERE organization_id = $1", [other]);
});

test("a press of another workspace decides nothing", async () => {
  await webProcess().look();
  const { payload, requestId } = await pressOf("T2");
  const id = slack.sockets[0]?.send(payload);
  await until("it is acknowledged", async () => slack.sockets[0]?.acknowledged.includes(id ?? ""));
  expect(await fixture.sql("SELECT FROM slack_press")).toEqual([]);
  expect(await answers(requestId)).toEqual([]);
});

test("a token that Slack refuses is told in the settings, and tried again; without one there is no socket", async () => {
  await setUp("xapp-another-token");
  const sockets = webProcess();
  await sockets.look();
  expect(await shown()).toEqual({ since: null, error: "Slack answered invalid_auth." });
  await setUp();
  await sockets.look();
  expect(await shown()).toMatchObject({ error: null });
  expect(slack.sockets).toHaveLength(1);
  await fixture.setUp();
  await sockets.look();
  await until("it is closed", async () => slack.sockets.length === 0);
  expect(await shown()).toBeNull();
});
