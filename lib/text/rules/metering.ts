/** Makes a parsed expression pay for its evaluation. Written for the nodes of @marcbachmann/cel-js, whose version is pinned. */
import { type Budget, weightOf } from "./budget.ts";

/** A node of the library's syntax tree. Macros such as `all` stand in it with what they were expanded to (`meta`). */
export interface AstNode {
  op: string;
  args: unknown;
  meta: {
    alternate?: AstNode;
    macro?: { evaluate(evaluator: unknown, macro: unknown, context: unknown): unknown };
    evaluate(evaluator: unknown, node: AstNode, context: unknown): unknown;
  };
  evaluate(evaluator: unknown, node: AstNode, context: unknown): unknown;
  /** Applies an operator or function to the operands' values. */
  handle?(...given: unknown[]): unknown;
}

/** Two operands that are looked at as a whole. */
const BINARY = new Set(["==", "!=", "in", "+", "<", "<=", ">", ">="]);
/** What asking the time in a named zone costs: it is written as text and read again. */
const ZONE_STEPS = 1_000;
/** What an error costs at each node that it passes: the library quotes the source in it, also where it is swallowed. */
const ERROR_STEPS = 50;

let current: Budget | null = null;

/** Runs `evaluate` with metered nodes paying from the budget. Evaluation is synchronous. */
export function spending<T>(budget: Budget, evaluate: () => T): T {
  const before = current;
  current = budget;
  try {
    return evaluate();
  } finally {
    current = before;
  }
}

/** All nodes below one, expansions of macros included. */
export function nodesOf(root: AstNode): Set<AstNode> {
  const found = new Set<AstNode>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null || found.has(value as AstNode)) return;
    if (value.constructor === root.constructor) {
      const node = value as AstNode;
      found.add(node);
      visit(node.meta.alternate);
      visit(node.args);
    } else if (Array.isArray(value)) value.forEach(visit);
    else if (value.constructor === Object) Object.values(value).forEach(visit);
  };
  visit(root);
  return found;
}

/**
 * Makes each node pay one step when it is evaluated, and operators and functions for their operands. Called once, after the
 * type check, which decides how a node is evaluated.
 */
export function meter(root: AstNode): void {
  for (const node of nodesOf(root)) {
    const { alternate, macro } = node.meta;
    const evaluate = node.meta.evaluate.bind(node);
    node.evaluate = (evaluator, _, context) => {
      current?.spend(1);
      try {
        if (alternate) return alternate.evaluate(evaluator, alternate, context);
        if (macro) return macro.evaluate(evaluator, macro, context);
        return evaluate(evaluator, node, context);
      } catch (error) {
        current?.spend(ERROR_STEPS);
        throw error;
      }
    };
    const { handle } = node;
    if (!handle) continue;
    node.handle = (...given) => {
      if (current) pay(current, node, given);
      return handle(...given);
    };
  }
}

function pay(budget: Budget, node: AstNode, given: unknown[]): void {
  if (BINARY.has(node.op)) for (const operand of given.slice(0, 2)) budget.spendOn(operand);
  // The keys or items that it goes along.
  else if (node.op === "comprehension") budget.spendOn(given[0]);
  else if (node.op === "call" || node.op === "rcall") payForCall(budget, node, given[0] as unknown[]);
}

function payForCall(budget: Budget, node: AstNode, operands: unknown[]): void {
  const [name] = node.args as [string];
  for (const operand of operands) budget.spendOn(operand);
  // At worst, every place of the text is compared with all of what is looked for.
  if (name === "contains") budget.spend(weightOf(operands[0]) * weightOf(operands[1]));
  // The library reads a duration by a pattern that tries every way to part a row of digits.
  if (name === "duration") budget.spend(String(operands[0]).length ** 3 / 10);
  if (name.startsWith("get") && operands.length > 1) budget.spend(ZONE_STEPS);
}
