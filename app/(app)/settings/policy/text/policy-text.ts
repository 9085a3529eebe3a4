/** A policy as text that people edit, in the two ways to write it. */
import { keyTwice } from "@/lib/policy/json-keys.ts";
import { placeInJson, placeOfMistake } from "./json-place.ts";

export type Format = "JSON" | "YAML";

/** What keeps a text from being read, and where. */
export interface TextMistake {
  message: string;
  /** Offset in the text. */
  at: number;
}

/** Reads and writes one format. */
export interface TextFormat {
  read(text: string): { value: unknown } | { mistake: TextMistake };
  write(value: unknown): string;
  /** Writes a value in the place of a text's, with what is beside the value in it: comments. */
  rewrite(text: string, value: unknown): string;
  /** The offset of what a path such as `rules.0.name` names. */
  placeOf(text: string, path: string): number;
}

export const JSON_FORMAT: TextFormat = {
  read(text) {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      const { message } = error as Error;
      return {
        mistake: { message: `This is not JSON: ${wordsOf(message)}`, at: placeOfMistake(text, message) },
      };
    }
    const twice = keyTwice(text);
    return twice ? { mistake: { message: `“${twice.key}” is there twice`, at: twice.at } } : { value };
  },
  write: writeJson,
  rewrite: (_, value) => writeJson(value),
  placeOf: placeInJson,
};

function writeJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** Loaded where somebody writes YAML. */
export async function loadYaml(): Promise<TextFormat> {
  const { placeInYaml, readYaml, rewriteYaml, writeYaml } = await import("@/lib/policy/yaml.ts");
  return {
    read(text) {
      const read = readYaml(text);
      if ("value" in read) return read;
      const { message, at } = read.mistake;
      return { mistake: { message: `This is not YAML: ${message}`, at } };
    },
    write: (value) => writeYaml(value).trimEnd(),
    rewrite: (text, value) => rewriteYaml(text, value).trimEnd(),
    placeOf: placeInYaml,
  };
}

/** The browser's words without the place, which is shown as a line. */
function wordsOf(message: string): string {
  return message
    .replace(/^JSON\.parse: /, "")
    .replace(/ (in JSON )?at position \d+.*$/s, "")
    .replace(/ at line \d+ column \d+ of the JSON data$/, "");
}
