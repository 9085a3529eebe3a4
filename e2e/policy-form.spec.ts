/** An admin builds the policy by its form and by its text, each of which follows the other, and sees who could decide what. */
import { readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { policyInputSchema, type SavedPolicy } from "../lib/policy/policy-schema.ts";
import { withoutDefaults } from "../lib/policy/without-defaults.ts";
import { checkAppearance, PHONE } from "./fixtures/appearance.ts";
import { addPerson, newMember, newOwner } from "./fixtures/organizations.ts";
import {
  answer,
  apiOf,
  expect,
  expectToast,
  invoiceServer,
  openRequest,
  readRequest,
  SOON,
  startInvoice,
  tabTo,
  test,
} from "./fixtures/test.ts";

const WIDE = { width: 1440, height: 900 };

/** The first example of docs/governance.md, with people of this organization. */
function exampleOf(slug: string): object {
  const docs = readFileSync("docs/governance.md", "utf8");
  const [, text = ""] = /```json\n(.*?)\n```/s.exec(docs) ?? [];
  return JSON.parse(text.replaceAll("acme.example", `${slug}.example`));
}

async function policyOf(page: Page): Promise<SavedPolicy> {
  return apiOf(page).get<SavedPolicy>("/policy");
}

test("two people above 5,000, by rows and with the keyboard alone", { tag: "@journey" }, async ({
  browser,
}) => {
  const slug = "utah";
  const ana = await newOwner(browser, "Ana", slug);
  const bea = await newMember(browser, "Bea", slug, "approver");
  const dora = await newMember(browser, "Dora", slug, "approver");
  const otto = await newMember(browser, "Otto", slug, "operator");
  const server = { name: "Finance ERP", url: `${invoiceServer()}/mcp` };
  expect((await apiOf(ana).write("POST", "/servers", server)).status()).toBe(201);
  await ana.goto("/settings/policy");
  await expect(ana.getByText("No rules yet: any one member decides, except viewers.")).toBeVisible(SOON);
  await checkAppearance(ana, "policy, empty");
  const press = async (name: string) => {
    await tabTo(ana, ana.getByRole("button", { name, exact: true }).filter({ visible: true }).first());
    await ana.keyboard.press("Enter");
  };
  await press("Add a rule");
  await expect(ana.getByLabel("Name", { exact: true })).toBeFocused();
  await ana.keyboard.press("ControlOrMeta+a");
  await ana.keyboard.type("Two people above 5,000");
  await press("Add a condition");
  const row = ana.getByRole("group", { name: "Row 1" });
  await expect(row.getByLabel("Field")).toBeFocused();
  await expect(row.getByLabel("Operator")).toHaveValue("moreThan");
  await expect(ana.getByRole("button", { name: "Save policy" })).toBeDisabled();
  await tabTo(ana, row.getByLabel("Value"));
  await ana.keyboard.type("5,000");
  await ana.keyboard.press("Tab");
  await ana.keyboard.press("Tab");
  await expect(row.getByText("Use a number such as 5000")).toBeVisible();
  await checkAppearance(ana, "policy, a row that says nothing yet");
  // The text is right: it has what the form last said.
  await expect(ana.getByLabel("Policy as JSON")).not.toHaveAttribute("aria-invalid", "true");
  await press("Show 1 problem");
  await expect(ana.getByRole("button", { name: "rules.0.when" })).toBeFocused();
  await tabTo(ana, row.getByLabel("Value"));
  await ana.keyboard.press("ControlOrMeta+a");
  await ana.keyboard.type("5000");
  await tabTo(ana, ana.getByLabel(/^How many have to agree/));
  await ana.keyboard.type("2");
  // That nobody is to spare is said before the save.
  const short = ana.getByRole("list", { name: "Stages without people to spare" });
  await expect(short).toContainText(
    "“Two people above 5,000”, stage “Approvers”: Bea, Dora. Just enough",
    SOON,
  );
  await expect(short).toBeInViewport();
  await checkAppearance(ana, "policy, rows");
  await press("Save policy");
  await expectToast(ana, "Policy saved");
  await expect(short).toHaveCount(0);
  const versions = ana.getByRole("region", { name: "Versions" });
  await versions.getByRole("button", { name: /^Version 1/ }).click();
  await expect(versions).toContainText("2 approvers, when amount is above 5000", SOON);
  await versions.getByText("Conditions in CEL").click();
  await expect(versions).toContainText("when amount != null && amount > 5000.0");
  expect((await policyOf(ana)).policy.rules).toEqual([
    {
      name: "Two people above 5,000",
      when: "amount != null && amount > 5000.0",
      stages: [{ name: "Approvers", approvers: { roles: ["approver"] }, need: 2 }],
    },
  ]);

  const due = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const ask = async (amount: number) => {
    const lines = [{ description: "Press", amount, due_date: due }];
    return openRequest(otto, (await startInvoice(otto, { changes: { lines } })).taskId);
  };
  const [large, small] = [await ask(6000), await ask(4000)];
  expect((await readRequest(ana, large)).approval).toMatchObject({
    rule: "Two people above 5,000",
    stages: [{ need: 2, votes: [] }],
  });
  await answer(bea, large, { value: "approve" });
  expect(await readRequest(ana, large)).toMatchObject({ state: "open", answer: null });
  await answer(dora, large, { value: "approve" });
  await expect.poll(async () => (await readRequest(ana, large)).answer !== null, SOON).toBe(true);
  expect((await readRequest(ana, small)).approval).toBeNull();
  await answer(bea, small, { value: "approve" });
  await expect.poll(async () => (await readRequest(ana, small)).answer !== null, SOON).toBe(true);

  // Tried without the rule: the result stays in view with the button that saves.
  await ana.getByRole("button", { name: "Remove “Two people above 5,000”" }).click();
  await ana.getByRole("button", { name: "Try it on the last 30 days" }).click();
  const tried = ana.getByRole("region", { name: "Try it on the last 30 days" });
  await expect(tried).toContainText(
    "Tried on 2 requests that people decided. It changes who has to agree on 1 of them.",
    SOON,
  );
  const moved = tried.getByRole("list", { name: "Changed requests" });
  await expect(moved).toContainText(/· \$6,000\.00 · .*2 people \(Approvers\) → 1 person/);
  for (const shown of [tried, ana.getByRole("button", { name: "Save policy" })])
    await expect(shown).toBeInViewport();
  await checkAppearance(ana, "policy, tried before a save");
  const opened = ana.waitForEvent("popup");
  await tried.getByRole("link").click();
  await expect(await opened).toHaveURL(new RegExp(`/inbox/${large}`));
  for (const page of [ana, bea, dora, otto]) await page.context().close();
});

test("rows say what CEL says, as far as they go", async ({ browser }) => {
  const olga = await newOwner(browser, "Olga", "idaho");
  await olga.setViewportSize(WIDE);
  await olga.goto("/settings/policy");
  const box = olga.getByLabel("Policy as JSON");
  const stages = [{ name: "Owners", approvers: { roles: ["owner"] } }];
  const rule = (when: string) => JSON.stringify({ rules: [{ name: "One", when, stages }] });
  const row = (at: number) => olga.getByRole("group", { name: `Row ${at}` });
  // What a person wrote, with older names, is shown in rows.
  await box.fill(rule('tool == "pay" && request.amount != null && request.amount >= 5000'));
  await expect(olga.getByText("When tool is “pay” and amount is at least 5000")).toBeVisible();
  await olga.getByRole("button", { name: /^1\. One/ }).click();
  await expect(row(1).getByLabel("Value")).toHaveValue("pay");
  await expect(row(2).getByLabel("Value")).toHaveValue("5000");
  await olga.getByLabel("Rows that have to hold").selectOption("any");
  await expect(box).toHaveValue(/tool\.name == \\"pay\\" \|\| \(amount != null && amount >= 5000\.0\)/);
  await row(1).getByLabel("Field").selectOption("arguments");
  await row(1).getByLabel("Argument’s name").fill("invoice.total");
  await row(1).getByLabel("Operator").selectOption("lessThan");
  await row(1).getByLabel("Value").fill("10");
  await row(2).getByLabel("Field").selectOption("now");
  await row(2).getByLabel("Operator").selectOption("notBetween");
  await row(2).getByLabel("Time zone").selectOption("Europe/Berlin");
  await expect(box).toHaveValue(/double\(arguments\.invoice\.total\) < 10\.0.*getHours.*Europe\/Berlin/);
  await checkAppearance(olga, "policy, rows of an argument and of a time");
  await olga.setViewportSize(WIDE);
  await row(2).getByRole("button", { name: "Remove row 2" }).click();
  await expect(olga.getByLabel("Rows that have to hold")).toHaveCount(0);

  // What rows can't show stays CEL, and says so.
  await box.fill(rule("arguments.lines.exists(line, line.price > 5.0)"));
  const condition = olga.getByLabel(/^Condition in CEL/);
  await expect(condition).toHaveValue("arguments.lines.exists(line, line.price > 5.0)");
  await expect(olga.getByText("Rows can’t show this condition, so it stays here.")).toBeVisible();
  await expect(olga.getByRole("button", { name: "Rows", exact: true })).toBeDisabled();
  await olga.getByText("Names that it can use").click();
  await expect(olga.getByRole("definition").filter({ hasText: "The largest amount of money" })).toBeVisible();
  await checkAppearance(olga, "policy, advanced");
  await olga.setViewportSize(WIDE);
  await condition.fill('tool.name == "pay"');
  await olga.getByRole("button", { name: "Rows", exact: true }).click();
  await expect(row(1).getByLabel("Value")).toHaveValue("pay");

  // Comments in YAML stay while the form changes the rest.
  await olga.getByRole("button", { name: "YAML" }).click();
  const yaml = olga.getByLabel("Policy as YAML");
  await yaml.fill(`# Agreed in May\n${await yaml.inputValue()}`);
  await row(1).getByLabel("Value").fill("wire");
  await expect(yaml).toHaveValue(/^# Agreed in May\n[\s\S]*tool\.name == "wire"/);
  await olga.getByRole("button", { name: "JSON" }).click();
  await olga.getByRole("button", { name: "YAML" }).click();
  await expect(yaml).toHaveValue(/^# Agreed in May\n/);
  await olga.context().close();
});

test("the example of the documentation is built with the keyboard alone", async ({ browser }) => {
  const slug = "oregon";
  const ana = await newOwner(browser, "Ana", slug);
  for (const name of ["ben", "cleo"]) await addPerson(slug, `${name}@${slug}.example`, "approver");
  await ana.goto("/settings/policy");
  const { keyboard } = ana;
  const press = async (name: string | RegExp) => {
    await tabTo(ana, ana.getByRole("button", { name, exact: true }).filter({ visible: true }).first());
    await keyboard.press("Enter");
  };
  const write = async (text: string) => {
    await keyboard.press("ControlOrMeta+a");
    await keyboard.type(text);
  };
  const fill = async (control: Locator, text: string) => {
    await tabTo(ana, control);
    await write(text);
  };
  const tick = async (control: Locator) => {
    await tabTo(ana, control);
    await keyboard.press("Space");
  };
  for (const [name, people] of [
    ["finance", ["ben", "cleo"]],
    ["cfo", ["ana"]],
  ] as const) {
    await press("Add a group");
    await expect(ana.getByLabel("Name", { exact: true })).toBeFocused();
    await write(name);
    await tabTo(ana, ana.getByRole("combobox", { name: "People in it" }));
    for (const person of people) {
      await keyboard.type(`${person}@${slug}.example`);
      await keyboard.press("Enter");
    }
  }
  await press("Add a rule");
  await expect(ana.getByLabel("Name", { exact: true })).toBeFocused();
  await write("Large invoices");
  await press("Advanced");
  await fill(
    ana.getByLabel(/^Condition in CEL/),
    'server.name == "Finance ERP" && tool.name == "process_invoice" && amount != null && amount > 5000.0',
  );
  const who = ana.getByRole("group", { name: "Who may vote" });
  await fill(ana.getByLabel("Name of the stage"), "Finance");
  await tick(who.getByRole("checkbox", { name: "Approvers" }));
  await tick(who.getByRole("checkbox", { name: "finance" }));
  await fill(ana.getByLabel(/^How many have to agree/), "2");
  // Four hours, then a day.
  await press("Add a reminder");
  await expect(ana.getByRole("textbox", { name: "Remind after 1" })).toBeFocused();
  await press("Add a reminder");
  await tick(ana.getByRole("checkbox", { name: "Ask more people if it takes too long" }));
  await fill(ana.getByRole("textbox", { name: "Ask them after" }), "2");
  await tick(ana.getByRole("group", { name: "Who is also asked" }).getByRole("checkbox", { name: "cfo" }));
  await press("Add a stage");
  await expect(ana.getByLabel("Name of the stage")).toBeFocused();
  await write("CFO");
  await tick(who.getByRole("checkbox", { name: "Approvers" }));
  await tick(who.getByRole("checkbox", { name: "cfo" }));
  await tick(ana.getByRole("checkbox", { name: /^Voters confirm/ }));
  await tick(ana.getByRole("checkbox", { name: "reject" }));
  await fill(ana.getByRole("textbox", { name: /^Due after/ }), "3");
  await tick(ana.getByRole("checkbox", { name: "If nobody decides in time" }));
  await checkAppearance(ana, "policy, times");
  await press("Save policy");
  await expectToast(ana, "Policy saved");
  const saved = await policyOf(ana);
  expect(saved.policy).toEqual(withoutDefaults(policyInputSchema.parse(exampleOf(slug))));

  const table = ana.getByRole("region", { name: "Who could decide what" }).getByRole("table");
  await expect(table).toContainText("Ben, Cleo");
  await expect(table).toContainText("After 2d also: Ana");
  await expect(table.getByText(/^Just enough/)).toHaveCount(2);
  await checkAppearance(ana, "policy, as a form");
  await ana.context().close();
});

test("form and text follow each other, a mistake is told at its place, and earlier versions come back", async ({
  browser,
}) => {
  const olga = await newOwner(browser, "Olga", "nevada");
  await olga.setViewportSize(WIDE);
  await olga.goto("/settings/policy");
  const box = olga.getByLabel("Policy as JSON");
  const rules = olga.getByRole("list", { name: "Rules", exact: true });
  const save = olga.getByRole("button", { name: "Save policy" });
  await box.fill('{\n  "rules": [\n    { "name": "One" "stages": [] }\n');
  await expect(olga.getByText(/This is not JSON/)).toBeVisible();
  await expect(olga.getByRole("button", { name: "Line 3" })).toBeVisible();
  await expect(olga.getByText("The form returns once the text can be read.")).toBeVisible();
  await expect(save).toBeDisabled();
  await checkAppearance(olga, "policy, broken text");
  await olga.setViewportSize(WIDE);
  await olga.getByRole("button", { name: "Line 3" }).click();
  await expect(box).toBeFocused();

  const stages = [{ name: "Owners", approvers: { roles: ["owner"] } }];
  // What lets a rule go live is typed for that, and not pasted.
  await box.fill(JSON.stringify({ rules: [], acknowledge: ["One"] }));
  await expect(olga.getByText("acknowledge is no part of a policy")).toBeVisible();
  await expect(save).toBeDisabled();
  await box.fill(
    JSON.stringify({
      version: 1,
      rules: [
        { name: "One", stages },
        { name: "Two", stages },
      ],
    }),
  );
  await rules.getByRole("button", { name: /^1\. One/ }).click();
  await olga.getByLabel("Name", { exact: true }).fill("First");
  await expect(box).toHaveValue(/"name": "First"/);
  // A row says what it lacks once it was left, also for no other control.
  await olga.getByRole("button", { name: "Add a condition" }).click();
  const row = olga.getByRole("group", { name: "Row 1" });
  await expect(row.getByLabel("Field")).toBeFocused();
  await expect(row.getByLabel("Value")).not.toHaveAttribute("aria-invalid", "true");
  await olga.getByRole("heading", { name: "Rules", exact: true }).click();
  await expect(row.getByLabel("Value")).toHaveAttribute("aria-invalid", "true");
  await row.getByRole("button", { name: "Remove row 1" }).click();
  // As one types, where it is.
  await olga.getByRole("button", { name: "Advanced" }).click();
  const condition = olga.getByLabel(/^Condition in CEL/);
  await condition.fill('tool.name == "a\\"b" and true');
  await expect(rules.getByText(/Use && instead of and/)).toBeVisible(SOON);
  await expect(condition).toHaveAttribute("aria-invalid", "true");
  await condition.fill('toolname == "pay"');
  await expect(rules.getByText(/Unknown name `toolname`; did you mean `tool.name`\?/)).toBeVisible(SOON);
  await condition.fill('tool.name == "pay"');
  await expect(rules.getByText(/Unknown name/)).toHaveCount(0, SOON);
  await olga.getByLabel(/^How many have to agree/).fill("2");
  await expect(rules.getByText("Only 1 person can vote here")).toBeVisible(SOON);
  await checkAppearance(olga, "policy, a problem at its place");
  await olga.setViewportSize(WIDE);
  await rules.getByRole("button", { name: /^1\. First/ }).click();
  // From the list of problems to its field.
  await olga.getByRole("button", { name: "rules.0.stages.0.need" }).click();
  await expect(olga.getByLabel(/^How many have to agree/)).toBeFocused();
  // What says no number keeps the one before it in the text, which nobody means: it can't be saved.
  await olga.getByLabel(/^How many have to agree/).fill("1");
  await expect(save).toBeEnabled();
  await olga.getByLabel(/^How many have to agree/).fill("1x");
  await expect(
    olga.getByRole("listitem").filter({ hasText: "What is typed there can’t be read" }),
  ).toBeVisible();
  await expect(save).toBeDisabled();
  await olga.getByLabel(/^How many have to agree/).fill("");
  await expect(save).toBeEnabled();
  await expect(box).not.toHaveValue(/"need"/);

  const second = rules.getByRole("button", { name: /^2\. Two/ });
  await second.focus();
  await olga.keyboard.press("Alt+ArrowUp");
  await expect(rules.getByRole("button", { name: /^1\. Two/ })).toBeFocused();
  await rules.getByRole("button", { name: "Duplicate “Two”" }).click();
  await expect(olga.getByLabel("Name", { exact: true })).toHaveValue("Two 2");
  await rules.getByRole("button", { name: "Remove “Two 2”" }).click();
  await expect(olga.getByText("Removed “Two 2”")).toBeVisible();
  await olga.getByRole("button", { name: "Undo" }).press("Enter");
  await expect(rules.getByRole("button", { name: /^2\. Two 2/ })).toBeFocused();
  await rules.getByRole("button", { name: "Remove “Two 2”" }).click();

  await olga.getByRole("button", { name: "YAML" }).click();
  const yaml = olga.getByLabel("Policy as YAML");
  await expect(yaml).toHaveValue(/^version: 1\nrules:\n {2}- name: Two\n/);
  await yaml.fill((await yaml.inputValue()).replace("name: First", "name: First\n    name: no"));
  await expect(olga.getByText(/This is not YAML: .*unique/)).toBeVisible();
  await yaml.fill((await yaml.inputValue()).replace("name: First\n    name: no", "name: no\n    due: 3d"));
  await expect(rules.getByRole("button", { name: /^2\. no/ })).toBeVisible();
  await save.click();
  await expectToast(olga, "Policy saved");
  expect((await policyOf(olga)).policy).toEqual({
    version: 1,
    rules: [
      { name: "Two", stages },
      { name: "no", when: 'tool.name == "pay"', stages, due: "3d" },
    ],
  });

  await rules.getByRole("button", { name: "Remove “Two”" }).click();
  await save.click();
  const versions = olga.getByRole("region", { name: "Versions" });
  await versions.getByRole("button", { name: /^Version 2/ }).click();
  await expect(versions).toContainText("Removed “Two”: 1 of “Owners” (the owners)", SOON);
  await expect(versions.getByRole("button", { name: "Restore as a draft" })).toHaveCount(0);
  await versions.getByRole("button", { name: /^Version 1/ }).click();
  await expect(versions).toContainText("Added “no”");
  await checkAppearance(olga, "policy, what a version changed");
  await versions.getByRole("button", { name: "Restore as a draft" }).click();
  await expect(rules.getByRole("button", { name: /^1\. Two/ })).toBeVisible();
  expect((await policyOf(olga)).version).toBe(2);
  await save.click();
  await expect.poll(async () => (await policyOf(olga)).version, SOON).toBe(3);

  await olga.setViewportSize(PHONE);
  await olga.reload();
  await expect(rules.getByRole("button", { name: /^1\. Two/ })).toBeVisible(SOON);
  await expect(box).toBeHidden();
  await olga.getByRole("button", { name: "Text", exact: true }).click();
  await expect(box).toBeVisible();
  await expect(rules).toBeHidden();
  await olga.context().close();
});
