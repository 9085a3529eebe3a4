/** A recipe's task that is cancelled while its server fails. */
import { expect, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import {
  APPROVE,
  createRecipeFixture,
  drop,
  failed,
  structured,
} from "../../../test/fixtures/recipes/recipe-fixture.ts";

test("an approval whose reply was lost is not called taken because the status tool fails while the task is being cancelled", async () => {
  const fixture = await createRecipeFixture();
  fixture.tools.approve = (asked) => {
    fixture.tools.status = () => failed("The ledger is locked.");
    return drop(asked);
  };
  const id = await fixture.start();
  const request = await fixture.openRequest(id);
  await fixture.organization.answer(request.id, APPROVE);
  await until("it is under way", async () => (await fixture.deliveryOf(request.id)).state === "sending");
  await until("it was sent", async () => fixture.told.includes("approve"));
  await fixture.cancel(id);
  await fixture.inState(id, "cancelled");
  const { state, inDoubt } = await fixture.deliveryOf(request.id);
  expect({ state, inDoubt, told: fixture.told }).toEqual({
    state: "failed",
    inDoubt: true,
    told: ["submit", "approve", "stop"],
  });
});

test("a tool that cancels, and whose reply is lost, is not called again by itself: it does not say that this does no harm", async () => {
  const fixture = await createRecipeFixture();
  fixture.tools.stop = drop;
  const id = await fixture.start();
  await fixture.openRequest(id);
  await fixture.cancel(id);
  await until("it is told to stop", async () => fixture.told.includes("stop"));
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  expect(fixture.told).toEqual(["submit", "stop"]);
});

test("a cancel that certainly did nothing is sent again by itself", async () => {
  const fixture = await createRecipeFixture();
  let refusals = 0;
  fixture.tools.stop = ({ response, reply }) => {
    if (refusals++ > 0) reply(structured({}));
    else response.writeHead(429, { "retry-after": "1" }).end();
  };
  const id = await fixture.start();
  await fixture.openRequest(id);
  await fixture.cancel(id);
  await fixture.inState(id, "cancelled");
  expect(fixture.told).toEqual(["submit", "stop", "stop"]);
});
