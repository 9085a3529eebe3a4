import { expect, test } from "vitest";
import { lineOf, placeInJson, placeOfMistake } from "./json-place.ts";

const TEXT = `{
  "groups": { "a.b": ["x, \\"{y\\""] },
  "rules": [
    { "name": "One", "stages": [] },
    {
      "name": "Two",
      "stages": [{ "name": "S", "need": 3 }]
    }
  ]
}`;

test.each([
  ["", 1, "{"],
  ["rules", 3, "["],
  ["rules.0.name", 4, '"One"'],
  ["rules.1.stages.0.need", 7, "3"],
  // Not there: the nearest one around it.
  ["rules.1.stages.0.remind", 7, "{"],
  ["rules.7", 3, "["],
  ["groups.a.0", 2, "{"],
])("%s is in line %i", (path, line, begins) => {
  const at = placeInJson(TEXT, path);
  expect([lineOf(TEXT, at), TEXT.slice(at, at + begins.length)]).toEqual([line, begins]);
});

test.each([
  ["Expected ',' or '}' after property value in JSON at position 9 (line 2 column 8)", 9],
  ["JSON.parse: expected ',' or '}' after property value in object at line 2 column 8 of the JSON data", 9],
  ["Unexpected end of JSON input", 11],
])("%s: its place is found", (message, at) => {
  expect(placeOfMistake('{\n "a": 1 2', message)).toBe(at);
});

test("what is no JSON has places too", () => {
  for (const text of ["", "{", '{"a', '{"a":', "[1,", "nonsense"])
    expect(placeInJson(text, "a.0.b")).toBeLessThanOrEqual(text.length);
});
