/** The engine and the web app are killed with -9 around an answer. `npm run chaos` kills everything, again and again. */
import { killPart, waitUntilReady } from "./fixtures/shared-intray.ts";
import {
  askAbout,
  backTo,
  deliverySteps,
  expect,
  ledgerOf,
  openPageAs,
  readRequest,
  requestPane,
  SOON,
  test,
} from "./fixtures/test.ts";

test("an answer that is given while the engine is down arrives once, also if the web app is killed then", async ({
  browser,
  ola,
}) => {
  // A page's scripts may be on their way when the web app is killed: it logs that they did not come.
  const ben = await openPageAs(browser, "Ben");
  const { id, requestId } = await askAbout(ola, ben);
  await killPart("engine");
  await requestPane(ben).getByRole("button", { name: "Approve" }).click();
  await expect.poll(async () => (await readRequest(ola, requestId)).state, SOON).not.toBe("open");
  await killPart("web");
  await expect.poll(async () => (await ledgerOf(id)).told.length, { timeout: 60_000 }).toBe(1);
  await waitUntilReady();
  await backTo(ben, requestId);
  await expect(deliverySteps(ben).nth(3)).toContainText("done", SOON);
  expect((await ledgerOf(id)).told).toMatchObject([{ accepted: true, content: { value: "approve" } }]);
  await ben.context().close();
});
