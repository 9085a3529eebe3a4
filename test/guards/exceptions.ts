/**
 * Facts about calls, by name, that the API's description cannot express. A new route is tested without an
 * entry here; it needs one if the calls made from its schema are not valid.
 */
import type { Method } from "../../lib/web/http/route.ts";
import { IDP_CERTIFICATE } from "../saml/certificate.ts";
import type { Place } from "./from-schema.ts";
import { RECIPE_NAME } from "./things.ts";

interface Exception {
  /** Why a key is refused whatever its role: the thing is a person's. */
  membersOnly?: string;
  /** Why a successful call leaves nothing for later ones, so that it gets its own organization. */
  spends?: string;
  /** Why a GET leaves a trace. */
  leavesTrace?: string;
  /** The call that takes its effect on the caller back, without which later calls would fail. */
  undoneBy?: { method: Method; path: string };
  /** Values at places, e.g. `body.action`. */
  values?: Record<Place, unknown>;
  /** Headers without which the call is not valid. */
  headers?: Record<string, string>;
  /** The state that the task must have for the call to make sense. */
  taskState?: string;
  /** Statuses that show that the things were found, beside the usual ones; with the reason. */
  alsoFound?: Record<number, string>;
  /** The answer to a foreign id in a body where it is not 404; equal to the answer to an unknown id. */
  foreignInBody?: { status: number; because: string };
}

const RECIPE = {
  "body.name": RECIPE_NAME,
  "body.start.handle": "result.text",
  "body.status.state": "result.text",
};

const CALENDAR = { membersOnly: "a calendar's address is a person's" };
const DEVICES = { membersOnly: "a device is a person's" };
const NO_SLACK = { 404: "Slack is not set up" };
const SLACK = { membersOnly: "an account at Slack is a person's", alsoFound: NO_SLACK };
const NO_TEAMS = { 404: "Teams is not set up" };
const TEAMS = { membersOnly: "an account at Teams is a person's", alsoFound: NO_TEAMS };
const SUBSCRIPTION = {
  "body.endpoint": "https://push.test.example/one",
  "body.p256dh": `B${"A".repeat(86)}`,
  "body.auth": "A".repeat(22),
};

const OF_ANOTHER = { 404: "a program sees its own requests alone" };

const inHours = (hours: number) => new Date(Date.now() + hours * 3600_000).toISOString();
const AWAY = {
  values: { "body.from": inHours(0), "body.until": inHours(24), "body.scope": { tools: ["pay"] } },
  foreignInBody: { status: 422, because: "a delegate is a member here" },
};

export const EXCEPTIONS: Record<string, Exception> = {
  "POST /api/v1/servers/{id}/recipes": {
    // Of a name that the server in things.ts does not have.
    values: { ...RECIPE, "body.name": "another" },
    alsoFound: { 409: "a name is taken once" },
  },
  "GET /api/v1/servers/{id}/recipes/{name}": { values: { "path.name": RECIPE_NAME } },
  "PUT /api/v1/servers/{id}/recipes/{name}": {
    values: { ...RECIPE, "path.name": RECIPE_NAME },
  },
  "DELETE /api/v1/servers/{id}/recipes/{name}": {
    values: { "path.name": RECIPE_NAME },
    spends: "the recipe is removed",
  },
  "POST /api/v1/servers/{id}/recipes/{name}/try": {
    values: { "path.name": RECIPE_NAME, "body.reply": { content: [] } },
  },
  "POST /api/v1/sandbox": { membersOnly: "a person makes the sandbox" },
  "POST /api/v1/allowed-hosts": { membersOnly: "a person allows an address" },
  "DELETE /api/v1/allowed-hosts": {
    membersOnly: "a person allows an address",
    values: { "query.host": "localhost:3055" },
  },
  "POST /api/v1/agent-sign-ins": {
    membersOnly: "an agent is let in by the person as whom it acts",
    values: { "body.request": "q".repeat(43) },
  },
  "POST /api/v1/input-requests/{id}/answer": { values: { "body.action": "decline" } },
  "POST /api/v1/input-requests/{id}/judge-again": { membersOnly: "a person has a request judged again" },
  "DELETE /api/v1/standing-approvals/{id}": { membersOnly: "who gave it, or an admin, revokes it in person" },
  "POST /api/v1/policy/automatic/resume": { membersOnly: "an owner lets automatic answers go on in person" },
  "POST /api/v1/policy/proposals/{id}/approve": {
    membersOnly: "a person approves",
    spends: "the proposal is carried out",
  },
  "POST /api/v1/policy/proposals/{id}/withdraw": { spends: "the proposal is over" },
  "DELETE /api/v1/input-requests/{id}/vote": { alsoFound: { 404: "nobody votes on it" } },
  "POST /api/v1/input-requests/bulk-answer": {
    values: { "body.action": "decline" },
    foreignInBody: { status: 200, because: "each of the items has its own result" },
  },
  "POST /api/v1/input-requests/bulk-undo": {
    foreignInBody: { status: 200, because: "each of the ids has its own result" },
  },
  "GET /api/v1/input-requests/{id}/documents/{documentId}": {
    // Of the note in the arguments of the task in things.ts.
    values: { "path.documentId": "d0a5dd442b6c0a00ecc3c170572c83b6" },
    leavesTrace: "who opened the document is noted",
  },
  "POST /api/v1/groups": {
    alsoFound: { 422: "a name is taken once" },
    foreignInBody: { status: 422, because: "who is added is a member here" },
  },
  "PATCH /api/v1/groups/{id}": {
    foreignInBody: { status: 422, because: "who is added or removed is a member here" },
  },
  "DELETE /api/v1/groups/{id}": { spends: "the group is deleted" },
  "PUT /api/v1/policy": {
    // Of an organization without a policy; later ones are 409.
    headers: { "if-match": "0" },
    values: {
      body: { rules: [{ name: "All", stages: [{ name: "One", approvers: { roles: ["owner"] } }] }] },
    },
  },
  "POST /api/v1/policy/check": { values: { body: { rules: [] } } },
  "GET /api/v1/policy/versions/{version}": { values: { "path.version": "1" } },
  "PUT /api/v1/calendar": {
    // Of an organization without a calendar; later ones are 409.
    headers: { "if-match": "0" },
    values: {
      body: { calendar: { zone: "Europe/Berlin", days: { mon: [{ from: "09:00", to: "17:00" }] } } },
    },
  },
  "PUT /api/v1/call-rules": {
    // Of an organization without rules; later ones are 409.
    headers: { "if-match": "0" },
    values: { "body.rules.0.when": "true" },
    foreignInBody: { status: 422, because: "each mistake is told with its place" },
  },
  "POST /api/v1/call-rules/try": {
    values: { "body.rules.0.when": "true" },
    foreignInBody: { status: 422, because: "each mistake is told with its place" },
  },
  "POST /api/v1/requests": { values: { "body.kind": "question", "body.message": "Which?" } },
  "POST /api/v1/requests/{id}/consume": {
    // Of the approval in things.ts.
    values: { "body.argumentsDigest": "a".repeat(64) },
    alsoFound: { 409: "an approval is used once" },
  },
  "POST /api/aap/v1/instances": { headers: { "idempotency-key": "walk" } },
  "POST /api/aap/v1/requests": {
    headers: { "idempotency-key": "walk" },
    values: { "body.timeout": "1h" },
  },
  "GET /api/aap/v1/requests/{id}": { alsoFound: OF_ANOTHER },
  "DELETE /api/aap/v1/requests/{id}": { alsoFound: OF_ANOTHER },
  "POST /api/aap/v1/requests/{id}/consume": { headers: { "idempotency-key": "walk" }, alsoFound: OF_ANOTHER },
  "POST /api/aap/v1/requests/{id}/outcome": { alsoFound: OF_ANOTHER },
  "GET /api/v1/tasks/recent-arguments": { values: { "query.tool": "process_invoice" } },
  "POST /api/v1/page-failures": { values: { "body.id": "0a1b2c3d" } },
  "POST /api/v1/bulk-operations": { values: { "body.action": "cancel" } },
  "POST /api/v1/bulk-operations/{id}/begin": {
    values: { "body.count": 1 },
    alsoFound: { 403: "it is done in the name of who made it, who alone begins it" },
  },
  "PUT /api/v1/tasks/{id}/acknowledgement": {
    membersOnly: "a person looks after a task",
    taskState: "start_unknown",
  },
  "DELETE /api/v1/tasks/{id}/acknowledgement": { membersOnly: "a person looks after a task" },
  "POST /api/v1/tasks/{id}/settle-start": { taskState: "start_unknown" },
  "POST /api/v1/input-requests/{id}/claim": { membersOnly: "a claim is a person's" },
  "POST /api/v1/input-requests/{id}/comments": {
    membersOnly: "people comment",
    alsoFound: { 403: "whoever may answer or asked for the task comments" },
    foreignInBody: { status: 422, because: "each mention is told with its place" },
  },
  "DELETE /api/v1/input-requests/{id}/comments/{commentId}": {
    membersOnly: "a comment is a person's",
    alsoFound: { 403: "its author alone deletes it" },
  },
  "GET /api/v1/input-requests/{id}/mentionable": {
    membersOnly: "people comment",
    alsoFound: { 403: "whoever may answer or asked for the task comments" },
  },
  "POST /api/v1/input-requests/{id}/ask-requester": {
    membersOnly: "people comment",
    alsoFound: { 409: "somebody is asked once, and not themselves" },
    foreignInBody: { status: 422, because: "each mention is told with its place" },
  },
  "POST /api/v1/input-requests/{id}/has-info": {
    membersOnly: "people comment",
    alsoFound: { 403: "whoever may answer or asked for the task comments" },
  },
  "PUT /api/v1/input-requests/{id}/snooze": {
    membersOnly: "a person puts a request off",
    values: { "body.until": new Date(Date.now() + 3600_000).toISOString() },
  },
  "DELETE /api/v1/input-requests/{id}/snooze": { membersOnly: "a person puts a request off" },
  "POST /api/v1/input-requests/{id}/hand-over": { membersOnly: "a person hands over to a person" },
  "PUT /api/v1/input-requests/{id}/draft": { membersOnly: "a draft is a person's" },
  "GET /api/v1/views": { membersOnly: "views are a person's" },
  "POST /api/v1/views": { membersOnly: "views are a person's" },
  "PATCH /api/v1/views/{id}": { membersOnly: "views are a person's" },
  "DELETE /api/v1/views/{id}": { membersOnly: "views are a person's" },
  "POST /api/v1/members/{id}/view-as": {
    membersOnly: "a session looks as a member",
    undoneBy: { method: "DELETE", path: "/api/v1/me/view-as" },
  },
  "POST /api/v1/members/{id}/vouch": {
    membersOnly: "a person vouches",
    alsoFound: { 409: "the operator made the member, who counts for themselves" },
  },
  "DELETE /api/v1/members/{id}/vouch": {
    membersOnly: "a person takes it back",
    alsoFound: { 409: "nobody has vouched for the member" },
  },
  "POST /api/v1/members/{id}/suspend": { spends: "the member is none until they are reinstated" },
  "POST /api/v1/members/{id}/reinstate": { alsoFound: { 404: "the member is not suspended" } },
  "POST /api/v1/members/{id}/password-link": { membersOnly: "a person makes it" },
  "DELETE /api/v1/members/{id}/sessions/{sessionId}": {
    alsoFound: { 404: "the session is another member's" },
  },
  "POST /api/v1/organization/four-eyes/accept": {
    membersOnly: "a person accepts",
    alsoFound: { 404: "nothing is proposed" },
  },
  "POST /api/v1/organization/four-eyes/withdraw": { alsoFound: { 404: "nothing is proposed" } },
  "POST /api/v1/me/step-up": {
    membersOnly: "an account is a person's",
    alsoFound: { 403: "the tests' people have nothing to show" },
  },
  "PUT /api/v1/organization/hold": { membersOnly: "a person answers for it" },
  "DELETE /api/v1/organization/hold": {
    membersOnly: "a person answers for it",
    alsoFound: { 404: "there is no hold" },
  },
  "POST /api/v1/organization/deletion/withdraw": { alsoFound: { 404: "no deletion waits" } },
  "PUT /api/v1/organization/sign-in": {
    membersOnly: "a person's own sign-in has to meet it",
    values: {
      body: {
        providers: [],
        providerAgeMs: null,
        acrValues: [],
        amrValues: [],
        secondFactorFrom: null,
        sessionMs: null,
        idleMs: null,
      },
    },
  },
  "POST /api/v1/organization/domains": { values: { "body.domain": "named.test.example" } },
  "POST /api/v1/organization/domains/{id}/verify": {
    alsoFound: { 502: "no resolver answers in the tests" },
  },
  "DELETE /api/v1/me/view-as": { membersOnly: "a session looks as a member" },
  "GET /api/v1/organization/export": { leavesTrace: "that everything was taken out is noted" },
  "GET /api/v1/events/export": { leavesTrace: "that history was taken out is noted" },
  "GET /api/v1/tasks/export": { leavesTrace: "which tasks were taken out is noted" },
  "GET /api/v1/tasks/{id}/access": {
    alsoFound: { 403: "those who asked for the task see who looked at it, and admins" },
  },
  "GET /api/v1/tasks/{id}/messages": { leavesTrace: "who read the protocol is noted" },
  "DELETE /api/v1/connections/{id}": { alsoFound: { 403: "the shared connection is an admin's to end" } },
  "POST /api/v1/servers/{id}/connect": {
    values: { "body.shared": false },
    alsoFound: { 403: "a key has none of its own" },
  },
  "POST /api/v1/agent-credentials/{id}/rotate": {
    alsoFound: { 403: "an agent is rotated by its maker alone" },
  },
  "POST /api/v1/api-keys/{id}/rotate": { alsoFound: { 403: "a key is rotated by its maker alone" } },
  "DELETE /api/v1/me/membership": { spends: "it ends the membership", membersOnly: "a key is no member" },
  "PUT /api/v1/me/organization": { membersOnly: "a key has one organization" },
  ...Object.fromEntries(
    [
      "GET /access",
      "GET /security",
      "GET /security-events",
      "POST /password",
      "GET /step-up",
      "GET /sessions",
      "DELETE /sessions",
      "DELETE /sessions/{id}",
      "POST /passkeys",
      "POST /passkeys/options",
      "DELETE /passkeys/{id}",
      "POST /second-factor",
      "POST /second-factor/confirm",
      "POST /second-factor/recovery-codes",
      "POST /second-factor/remove",
    ].map((call) => [call.replace(" ", " /api/v1/me"), { membersOnly: "an account is a person's" }]),
  ),
  "GET /api/v1/me/away": { membersOnly: "a person is away" },
  "PUT /api/v1/me/away": { membersOnly: "a person is away", ...AWAY },
  "DELETE /api/v1/me/away": { membersOnly: "a person is away" },
  "PUT /api/v1/members/{id}/away": { membersOnly: "a person says who is away", ...AWAY },
  "DELETE /api/v1/members/{id}/away": { membersOnly: "a person says who is away" },
  "GET /api/v1/me/preferences": { membersOnly: "preferences are a person's" },
  "PATCH /api/v1/me/preferences": { membersOnly: "preferences are a person's" },
  "GET /api/v1/me/calendar-feed": CALENDAR,
  "POST /api/v1/me/calendar-feed": CALENDAR,
  "DELETE /api/v1/me/calendar-feed": CALENDAR,
  "GET /api/v1/me/devices": DEVICES,
  "POST /api/v1/me/devices": { ...DEVICES, values: SUBSCRIPTION },
  "PUT /api/v1/me/devices": { ...DEVICES, values: { "body.endpoint": SUBSCRIPTION["body.endpoint"] } },
  "PATCH /api/v1/me/devices/{id}": DEVICES,
  "DELETE /api/v1/me/devices/{id}": { ...DEVICES, spends: "the device is removed" },
  "POST /api/v1/me/devices/{id}/test": DEVICES,
  "POST /api/v1/me/devices/{id}/shown": { ...DEVICES, spends: "a later test replaces this one" },
  "PUT /api/v1/organization/slack": {
    values: {
      body: {
        botToken: "xoxb-1111-2222-test",
        clientId: "1111.2222",
        clientSecret: "0".repeat(32),
        signingSecret: "0".repeat(32),
      },
    },
    alsoFound: { 502: "no Slack answers in the tests" },
  },
  "PATCH /api/v1/organization/slack": { alsoFound: NO_SLACK },
  "DELETE /api/v1/organization/slack": { alsoFound: NO_SLACK },
  "GET /api/v1/me/slack": SLACK,
  "POST /api/v1/me/slack": SLACK,
  "DELETE /api/v1/me/slack": SLACK,
  "POST /api/v1/me/slack/test": SLACK,
  "PUT /api/v1/organization/teams": {
    values: {
      body: {
        appId: "11111111-2222-4333-8444-555555555555",
        tenantId: "66666666-7777-4888-9999-000000000000",
        clientSecret: "0".repeat(40),
      },
    },
    alsoFound: { 502: "no Microsoft answers in the tests" },
  },
  "PATCH /api/v1/organization/teams": { alsoFound: NO_TEAMS },
  "DELETE /api/v1/organization/teams": { alsoFound: NO_TEAMS },
  "GET /api/v1/organization/teams/package": { alsoFound: NO_TEAMS },
  "GET /api/v1/me/teams": TEAMS,
  "POST /api/v1/me/teams": TEAMS,
  "DELETE /api/v1/me/teams": TEAMS,
  "POST /api/v1/me/teams/test": TEAMS,
  "GET /api/v1/me/notifications": { membersOnly: "what one is told is a person's" },
  "PATCH /api/v1/me/notifications": {
    membersOnly: "what one is told is a person's",
    values: { "body.kinds": { done: { app: true, email: true } }, "body.digest.zone": "Europe/Vienna" },
  },
  "GET /api/v1/notices": { membersOnly: "notices are a person's" },
  "GET /api/v1/notices/counts": { membersOnly: "notices are a person's" },
  "POST /api/v1/notices/{id}/read": { membersOnly: "notices are a person's" },
  "POST /api/v1/notices/read-all": { membersOnly: "notices are a person's" },
  "POST /api/v1/directory/token": { membersOnly: "a person makes the token" },
  "DELETE /api/v1/directory/token": { alsoFound: { 404: "there is no token" } },
  "PATCH /api/v1/directory": { values: { body: { defaultRole: "approver" } } },
  "PATCH /api/v1/directory/groups/{id}": { values: { body: { role: "viewer" } } },
  "POST /api/v1/audit-streams": {
    values: { "body.kind": "webhook", "body.url": "https://hooks.test.example/in" },
  },
  "PATCH /api/v1/audit-streams/{id}": { values: { body: { paused: true } } },
  "GET /api/v1/me/saml-links": { membersOnly: "an account is a person's" },
  "POST /api/v1/me/saml-links": { membersOnly: "an account is a person's" },
  "DELETE /api/v1/me/saml-links/{id}": { membersOnly: "an account is a person's" },
  "POST /api/v1/saml-providers": {
    values: {
      body: {
        name: "Acme SSO",
        entityId: "https://idp.test.example/metadata",
        ssoUrl: "https://idp.test.example/sso",
        certificates: IDP_CERTIFICATE,
      },
    },
  },
  "PATCH /api/v1/saml-providers/{id}": { values: { body: { name: "Acme SSO" } } },
  "POST /api/v1/saml-providers/{id}/confirm": {
    membersOnly: "a person confirms",
    alsoFound: { 403: "the owner counts as one with who set it up" },
  },
  "POST /api/v1/saml-providers/{id}/test": { membersOnly: "a person tests with a browser" },
  "PUT /api/v1/organization/content-sealing": { values: { "body.sealed": false } },
  "PUT /api/v1/organization/addresses": { values: { "body.networks": [], "body.version": 0 } },
  "POST /api/v1/webhooks": { values: { "body.url": "https://hooks.test.example/in" } },
  "PATCH /api/v1/webhooks/{id}": { values: { "body.url": "https://hooks.test.example/in" } },
  "PATCH /api/v1/organization/retention": { values: { "body.messageDays": 60 } },
  "GET /api/v1/organization/retention/preview": {
    values: { "query.messageDays": "30", "query.payloadDays": "30", "query.taskDays": "forever" },
  },
};

/** Calls that anyone may make, and why. Any other public route fails the tests. */
export const PUBLIC: Record<string, string> = {
  "GET /api/v1/openapi.json": "it names no tenant",
  "GET /healthz": "it names no tenant",
  "GET /readyz": "it names no tenant",
  "GET /metrics": "METRICS_TOKEN is its credential, and it names no tenant",
  "GET /oauth/callback": "the session that began the sign-in is its credential, with the sign-in's own state",
  "GET /oauth/callback/{issuer}":
    "the session that began the sign-in is its credential, with the sign-in's own state",
  "POST /api/v1/slack/{id}/interactions": "Slack's signature of the whole body is its credential",
  "POST /api/v1/teams/{id}/messages": "Microsoft's token for the organization's app is its credential",
  "GET /oauth/teams": "the session that began the link is its credential, with the link's own state",
  "GET /oauth/slack": "the session that began the link is its credential, with the link's own state",
  "GET /policy.schema.json": "it names no tenant",
  "GET /.well-known/jwks.json": "public keys of the installation, which name no tenant",
  "GET /oauth/client-metadata.json": "it names no tenant",
  "GET /oauth/client-metadata/{issuer}": "it names no tenant",
  "GET /api/calendar/{file}": "the address is its credential: a secret that is kept as a hash",
  "GET /api/unsubscribe/{token}": "it leads to a page, and changes nothing",
  "POST /api/unsubscribe/{token}": "the link's signed token is its credential",
  "GET /api/auth/saml/{id}/metadata": "it names no tenant",
  "GET /api/auth/saml/{id}/start": "it begins a sign-in",
  "POST /api/auth/saml/{id}/acs": "the provider's signature is its credential",
  "GET /api/auth/saml/{id}/finish": "the ticket and the browser's cookie are its credential",
  "POST /api/engine/run": "CRON_SECRET is its credential",
  "POST /api/forgot-password": "it answers the same whoever asks, and mails the address alone",
  "POST /api/join": "the link's token and a session of anyone are its credential",
  "POST /api/join/account": "the link's token is its credential",
  "POST /api/join/look": "the link's token is its credential",
  "POST /api/sign-in/passkey": "it begins a sign-in",
  "POST /api/sign-in/way": "it tells of a domain alone, whose organization wants it told",
  "POST /api/set-password": "the link's token is its credential",
  "POST /api/set-password/look": "the link's token is its credential",
  "POST /api/setup": "it works once, while there is no organization",
};
