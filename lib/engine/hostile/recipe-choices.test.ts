/** Answers to the questions of a recipe. */
import { expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { createRecipeFixture, RECIPE } from "../../../test/fixtures/recipes/recipe-fixture.ts";
import type { AppError } from "../../base/errors.ts";
import { recordDecision } from "../../requests/answers/answer-writes.ts";
import type { AnswerInput } from "../../requests/request-input-schema.ts";
import { recipeSchema } from "../../servers/recipes/recipe-schema.ts";

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

test("who asked for the task, where a second person has to accept, is not told of a decline that there is not", async () => {
  const fixture = await createRecipeFixture();
  const { organization } = fixture;
  const { organizationId, operator, within } = organization;
  await withClient(organization.adminUrl, (client) =>
    client.query("UPDATE organization SET four_eyes = true WHERE id = $1", [organizationId]),
  );
  const request = await fixture.openRequest(await fixture.start());
  const { questionHash } = request;
  const answer = (input: Pick<AnswerInput, "action" | "content">) =>
    within((tx) => recordDecision(tx, operator, request.id, { ...input, questionHash })).then(
      () => null,
      (error: AppError) => error,
    );
  const accepted = await answer({ action: "accept", content: { choice: "Approve" } });
  expect(accepted?.code).toBe("four_eyes");
  const declined = await answer({ action: "decline" });
  // Either it can be declined, or nobody says so.
  if (declined) expect(accepted?.detail).not.toContain("You can decline");
});
