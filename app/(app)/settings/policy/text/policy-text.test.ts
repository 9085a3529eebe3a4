import { describe, expect, test } from "vitest";
import { JSON_FORMAT, loadYaml } from "./policy-text.ts";

const VALUE = { rules: [{ name: "All", when: 'tool == "a\\b"', stages: [] }] };

describe.each([
  ["JSON", async () => JSON_FORMAT],
  ["YAML", loadYaml],
] as const)("%s", (name, load) => {
  test("is read as it was written, and its places are found", async () => {
    const format = await load();
    const text = format.write(VALUE);
    expect(format.read(text)).toEqual({ value: VALUE });
    expect(text.slice(format.placeOf(text, "rules.0.name"))).toMatch(/^"?All/);
  });

  test("says what is wrong without a number of characters", async () => {
    const format = await load();
    const read = format.read('{\n "rules": [\n "a" "b" ] }');
    expect(read).toEqual({
      mistake: {
        message: expect.stringMatching(new RegExp(`^This is not ${name}: `)),
        at: expect.any(Number),
      },
    });
    expect((read as { mistake: { message: string } }).mistake.message).not.toMatch(/position|column|line \d/);
  });
});
