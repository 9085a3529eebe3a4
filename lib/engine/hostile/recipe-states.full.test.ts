/** A server that is in a state of which a recipe knows nothing, for a while. */
import { expect, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import {
  APPROVE,
  createRecipeFixture,
  drop,
  structured,
} from "../../../test/fixtures/recipes/recipe-fixture.ts";

test("an approval that never arrived is not called taken because of a state that the recipe does not know", async () => {
  const fixture = await createRecipeFixture();
  let looks = 0;
  fixture.tools.approve = (asked) => {
    fixture.tools.status = () => structured({ state: looks++ < 8 ? "MAINTENANCE" : "PENDING" });
    return drop(asked);
  };
  const id = await fixture.start();
  const request = await fixture.openRequest(id);
  await fixture.organization.answer(request.id, APPROVE);
  await until("it is there again", async () => looks > 10);
  expect(await fixture.deliveryOf(request.id)).toMatchObject({ state: "sending" });
  expect(await fixture.requestsOf(id)).toHaveLength(1);
});

test("an open question stays open in a state that the recipe does not know", async () => {
  const fixture = await createRecipeFixture();
  const id = await fixture.start();
  const request = await fixture.openRequest(id);
  let looks = 0;
  fixture.tools.status = () => structured({ state: looks++ < 8 ? "MAINTENANCE" : "PENDING" });
  await until("it is there again", async () => looks > 10);
  expect(await fixture.requestsOf(id)).toMatchObject([{ id: request.id, state: "open" }]);
});

test("an approval that was just taken is not asked for again because another fact has changed", async () => {
  const fixture = await createRecipeFixture();
  let looks = 0;
  fixture.tools.approve = () => {
    fixture.tools.status = () => {
      looks++;
      return structured({ state: "PENDING", queued: true });
    };
    return structured({});
  };
  const id = await fixture.start();
  const request = await fixture.openRequest(id);
  await fixture.organization.answer(request.id, APPROVE);
  await until("it was looked at", async () => looks > 2);
  expect((await fixture.requestsOf(id)).map(({ state }) => state)).toEqual(["answered"]);
});
