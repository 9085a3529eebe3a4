/** Which fixed texts an expression compares a variable's property with. Pure. */
import { type AstNode, nodesOf } from "./metering.ts";

export interface ComparedText {
  /** The property: `tool.name`. */
  property: string;
  /** `equals` stands for `==`, `!=` and `in`. */
  by: "equals" | "startsWith" | "endsWith" | "contains";
  text: string;
}

/** Returns each comparison once. What is compared with anything but a text that stands in the expression is left out. */
export function comparedTexts(root: AstNode): ComparedText[] {
  const found = [...nodesOf(root)].flatMap(comparedBy);
  const keys = found.map((each) => JSON.stringify(each));
  return found.filter((_, at) => keys.indexOf(keys[at]!) === at);
}

/**
 * The fixed texts of which an expression asks whether a variable's list has them: `"Board" in requester.groups`. Null: it may ask the
 * list something else.
 */
export function textsSought(root: AstNode, variable: string, list: string): string[] | null {
  const nodes = [...nodesOf(root)];
  const known = new Set<unknown>();
  const texts = nodes.flatMap((node) => {
    const property = propertyOf(node);
    if (property?.startsWith(`${variable}.`) && property !== `${variable}.${list}`)
      known.add((node.args as AstNode[])[0]);
    if (node.op !== "in") return [];
    const [one, other] = node.args as [AstNode, AstNode];
    const text = textOf(one);
    if (text === null || propertyOf(other) !== `${variable}.${list}`) return [];
    known.add((other.args as AstNode[])[0]);
    return [text];
  });
  const isAskedMore = nodes.some((node) => node.op === "id" && node.args === variable && !known.has(node));
  return isAskedMore ? null : [...new Set(texts)];
}

function comparedBy({ op, args }: AstNode): ComparedText[] {
  if (!Array.isArray(args)) return [];
  if (op === "==" || op === "!=")
    return [...compared("equals", args[0], [args[1]]), ...compared("equals", args[1], [args[0]])];
  if (op === "in") {
    const list = args[1] as AstNode;
    return list.op === "list" ? compared("equals", args[0], list.args as unknown[]) : [];
  }
  const [name, receiver, given] = args;
  if (op === "rcall" && (name === "startsWith" || name === "endsWith" || name === "contains"))
    return compared(name, receiver, given as unknown[]);
  return [];
}

function compared(by: ComparedText["by"], node: unknown, operands: unknown[]): ComparedText[] {
  const property = propertyOf(node as AstNode);
  if (property === null) return [];
  return operands.flatMap((each) => {
    const text = textOf(each as AstNode);
    return text === null ? [] : [{ property, by, text }];
  });
}

/** `tool.name` and `tool["name"]` alike; null: it is no property of a variable. */
function propertyOf({ op, args }: AstNode): string | null {
  if ((op !== "." && op !== "[]") || !Array.isArray(args)) return null;
  const [of, key] = args as [AstNode, string | AstNode];
  const name = typeof key === "string" ? key : textOf(key);
  return of.op === "id" && name !== null ? `${String(of.args)}.${name}` : null;
}

function textOf({ op, args }: AstNode): string | null {
  return op === "value" && typeof args === "string" ? args : null;
}
