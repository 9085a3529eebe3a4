/** Documents of a server that asks for a sign-in, behind a real authorization server. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createOAuthFixture, type OAuthFixture } from "../../../test/fixtures/oauth-fixture.ts";
import { insertRequest, insertTask } from "../../../test/fixtures/rows.ts";
import { type OfficialServer, startOfficialServer } from "../../../test/servers/official/official-server.ts";
import { findDocuments } from "./document-reads.ts";
import { readDocument } from "./read.ts";

let everything: OfficialServer;
let oauth: OAuthFixture;

beforeAll(async () => {
  everything = await startOfficialServer("everything");
  oauth = await createOAuthFixture({ url: everything.url, era: "2025-11-25" });
});
afterAll(async () => {
  await oauth.close();
  await everything.stop();
});

test("the connection's own token goes with the read; without one a person is asked to sign in", async () => {
  const { organization, services, serverId } = oauth;
  const { organizationId, approver } = organization;
  const connectionId = await oauth.connect();
  const place = { id: serverId, connectionId };
  const args = { note: { type: "resource_link", uri: "demo://resource/dynamic/text/1" } };
  const taskId = await insertTask(organization.database, organizationId, place, { arguments: args });
  const { id } = await insertRequest(organization.database, organizationId, taskId);
  const [document] = await organization.within((tx) => findDocuments(tx, approver, id));
  const read = () => readDocument(services, approver, id, document?.id ?? "", new AbortController().signal);

  const { bytes, mediaType } = await read();
  expect([mediaType, String(bytes)]).toEqual([
    "text/plain; charset=utf-8",
    expect.stringContaining("Resource 1"),
  ]);

  await organization.within((tx) =>
    tx.oauthGrant.updateMany({ where: { organizationId, connectionId }, data: { state: "needs_reauth" } }),
  );
  await expect(read()).rejects.toMatchObject({
    code: "server_unavailable",
    detail: expect.stringMatching(/sign in/i),
  });
});

test.each([
  ["401", { refuses: () => true }],
  [
    "403 that asks for more rights",
    { needs: (method: string) => (method === "resources/read" ? "all" : null) },
  ],
])("a server that answers the read with %s leaves the sign-in as it is", async (_status, behaviour) => {
  const { organization, services, serverId, remote } = oauth;
  const { organizationId, approver } = organization;
  const connectionId = await oauth.connect();
  const args = { note: { type: "resource_link", uri: "demo://resource/dynamic/text/2" } };
  const place = { id: serverId, connectionId };
  const taskId = await insertTask(organization.database, organizationId, place, { arguments: args });
  const { id } = await insertRequest(organization.database, organizationId, taskId);
  const [document] = await organization.within((tx) => findDocuments(tx, approver, id));
  const read = () => readDocument(services, approver, id, document?.id ?? "", new AbortController().signal);
  Object.assign(remote.behave, behaviour);
  try {
    // With a grant that renews, and with one that does not.
    await expect(read()).rejects.toMatchObject({ code: "server_unavailable" });
    expect((await oauth.grant(connectionId)).state).toBe("connected");
    await organization.within((tx) =>
      tx.oauthGrant.updateMany({ where: { organizationId, connectionId }, data: { renews: false } }),
    );
    await expect(read()).rejects.toMatchObject({ code: "server_unavailable" });
    expect(await oauth.grant(connectionId)).toMatchObject({ state: "connected", neededScope: null });
  } finally {
    remote.behave.refuses = undefined;
    remote.behave.needs = undefined;
  }
  expect(String((await read()).bytes)).toContain("Resource 2");
});
