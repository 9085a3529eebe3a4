/** Retries of a recipe's task. */
import { expect, test } from "vitest";
import { createRecipeFixture, structured } from "../../../test/fixtures/recipes/recipe-fixture.ts";

test("a start that was made and named no handle is not made again by a retry", async () => {
  const fixture = await createRecipeFixture();
  fixture.tools.submit = () => structured({ number: "P-1" });
  const id = await fixture.startWithRetries(3);
  await fixture.inState(id, "failed");
  await new Promise((resolve) => setTimeout(resolve, 8_000));
  expect(fixture.told).toEqual(["submit"]);
});

test("a recipe that was removed starts nothing any more, a retry neither", async () => {
  const fixture = await createRecipeFixture();
  fixture.tools.status = () => structured({ state: "PAYING" });
  const id = await fixture.startWithRetries(3);
  await fixture.inState(id, "working");
  await fixture.remove();
  fixture.tools.status = () => structured({ state: "REJECTED" });
  await fixture.inState(id, "failed");
  await new Promise((resolve) => setTimeout(resolve, 8_000));
  expect(fixture.told).toEqual(["submit"]);
});

test("what was queued by a recipe that was removed ends, and calls nothing", async () => {
  const fixture = await createRecipeFixture();
  const id = await fixture.startRemoved();
  expect((await fixture.inState(id, "failed")).error).toMatchObject({ code: "recipe_removed" });
  expect(fixture.told).toEqual([]);
});
