/** Answers to the questions of a recipe. */
import { expect, test } from "vitest";
import { createRecipeFixture, RECIPE } from "../../../test/fixtures/recipes/recipe-fixture.ts";
import { recipeSchema } from "../../servers/recipes/schema.ts";

test("a choice without a field that it needs is refused as it is made", async () => {
  const [question] = RECIPE.questions;
  const reject = {
    label: "Reject",
    tool: "stop",
    arguments: { id: "handle", reason: "answer.reason" },
    fields: { reason: { type: "string" } },
    required: ["reason"],
  };
  const fixture = await createRecipeFixture(
    recipeSchema.parse({ ...RECIPE, questions: [{ ...question, choices: [...question!.choices, reject] }] }),
  );
  const request = await fixture.openRequest(await fixture.start());
  const answer = fixture.organization.answer(request.id, { action: "accept", content: { choice: "Reject" } });
  await expect(answer).rejects.toMatchObject({ code: "invalid_content" });
});
