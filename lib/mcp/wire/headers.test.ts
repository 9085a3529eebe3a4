import { describe, expect, it } from "vitest";
import { hasSoundHeaders, parameterHeaders, withoutParameterHeaders } from "./headers.ts";

const text = (header: unknown) => ({ type: "string", "x-mcp-header": header });
const schema = (properties: Record<string, unknown>, more = {}) => ({ type: "object", properties, ...more });

describe("arguments in headers", () => {
  const inputSchema = schema({
    region: text("Region"),
    count: { type: "integer", "x-mcp-header": "Count" },
    dry: { type: "boolean", "x-mcp-header": "Dry-Run" },
    place: schema({ city: text("City") }),
    plain: { type: "string" },
  });

  it("are those that are marked and given, at any depth", () => {
    const args = { region: "eu", count: 0, dry: false, place: { city: "Łódź" }, plain: "x" };
    expect(parameterHeaders(inputSchema, args)).toEqual({
      "mcp-param-region": "eu",
      "mcp-param-count": "0",
      "mcp-param-dry-run": "false",
      "mcp-param-city": "=?base64?xYHDs2TFug==?=",
    });
  });

  it("are asked for nowhere in a schema that is offered on, which is else the same", () => {
    const named = { "x-mcp-header": { type: "string" }, properties: { type: "string" } };
    const more = { required: ["region"], $defs: { a: { "x-mcp-header": "kept: it marks no argument" } } };
    const given = schema({ ...inputSchema.properties, ...named }, more);
    const before = structuredClone(given);
    expect(withoutParameterHeaders(given)).toEqual(
      schema(
        {
          region: { type: "string" },
          count: { type: "integer" },
          dry: { type: "boolean" },
          place: schema({ city: { type: "string" } }),
          plain: { type: "string" },
          ...named,
        },
        more,
      ),
    );
    expect(given).toEqual(before);
    expect(withoutParameterHeaders({ type: "object" })).toEqual({ type: "object" });
  });

  it.each([
    ["absent", {}],
    ["null", { region: null, count: null, dry: null, place: null }],
    ["null further down", { place: { city: null } }],
    ["of another type", { region: {}, count: 1.5, dry: [], place: "Rome" }],
  ])("are left out where they are %s", (_, args) => {
    expect(parameterHeaders(inputSchema, args)).toEqual({});
  });

  it("keep an empty text apart from none", () => {
    expect(parameterHeaders(inputSchema, { region: "" })).toEqual({ "mcp-param-region": "=?base64??=" });
  });
});

describe("marks for headers", () => {
  it.each<[string, unknown, boolean]>([
    ["none", schema({ a: { type: "string" } }), true],
    ["at any depth of properties", schema({ a: text("A"), b: schema({ c: text("C") }) }), true],
    ["a property of that name", schema({ "x-mcp-header": { type: "string" } }), true],
    ["a default of that name", schema({ a: { type: "object", default: { "x-mcp-header": "" } } }), true],
    ["empty", schema({ a: text("") }), false],
    ["no text", schema({ a: text(1) }), false],
    ["no header name", schema({ a: text("a b") }), false],
    ["the same twice", schema({ a: text("A"), b: schema({ c: text("a") }) }), false],
    ["on a number", schema({ a: { type: "number", "x-mcp-header": "A" } }), false],
    ["on an object", schema({ a: schema({}, { "x-mcp-header": "A" }) }), false],
    ["on the whole", schema({}, { "x-mcp-header": "A" }), false],
    ["on items", schema({ a: { type: "array", items: text("A") } }), false],
    ["in a branch", schema({}, { anyOf: [schema({ a: text("A") })] }), false],
    ["in a definition", schema({}, { $defs: { a: text("A") } }), false],
    ["no schema", null, true],
  ])("%s", (_, inputSchema, sound) => {
    expect(hasSoundHeaders(inputSchema)).toBe(sound);
  });
});
