import { writeFileSync } from "node:fs";
import type { Reporter } from "vitest/node";

/**
 * Writes down the errors that no test waited for, which Vitest's JSON report leaves out though they fail the run:
 * a list of their stacks at the path in `TEST_STRAY_ERRORS`.
 */
export default class StrayErrors implements Reporter {
  onTestRunEnd: Reporter["onTestRunEnd"] = (_modules, errors) => {
    const path = process.env.TEST_STRAY_ERRORS;
    if (!path) return;
    const said = errors.map(({ message, stack, VITEST_TEST_PATH: file, VITEST_TEST_NAME: test }) =>
      [file, test, stack ?? message].filter(Boolean).join("\n"),
    );
    writeFileSync(path, JSON.stringify(said));
  };
}
