import { type Counts, type Report, slowest, type TimedFile } from "./test-report.ts";

const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0 };

/** The results of all parts of a run. */
export class Tally {
  readonly #total: Counts = { ...NOTHING };
  /** Repeated at the end, where late readers look first. */
  readonly #failures: string[] = [];
  readonly #files: TimedFile[] = [];

  get failed(): boolean {
    return this.#total.failed > 0;
  }

  /**
   * Adds a suite with its exit code. A suite that fails without a failed test (it crashed, or ran nothing)
   * counts as one failure, with its last words.
   */
  suite(name: string, code: number, report: Report | null, lastWords = ""): void {
    const { failures = [], files = [], counts: { passed, failed, skipped } = NOTHING } = report ?? {};
    this.#failures.push(...failures);
    this.#files.push(...files);
    const broken = failed === 0 && (code !== 0 || passed === 0);
    if (broken) this.#failures.push(`${name}: ${code === 0 ? "no test ran" : `failed with code ${code}`}`);
    if (broken && lastWords.trim() !== "")
      this.#failures.push(`    ${lastWords.trim().replaceAll("\n", "\n    ")}`);
    this.#total.passed += passed;
    this.#total.failed += failed + (broken ? 1 : 0);
    this.#total.skipped += skipped;
  }

  /** Adds a check as one test. */
  check(name: string, code: number): void {
    const counts = { ...NOTHING, passed: code === 0 ? 1 : 0 };
    this.suite(name, code, { counts, failures: [], files: [] });
  }

  failure(message: string): void {
    this.#failures.push(message);
    this.#total.failed += 1;
  }

  /** The summary, with the counts on the last line. */
  summary(): string {
    const { passed, failed, skipped } = this.#total;
    return [
      ...(this.#files.length > 0 ? ["\n── The slowest files", slowest(this.#files)] : []),
      ...(this.#failures.length > 0 ? ["\n── What failed", ...this.#failures] : []),
      `\n${passed} passed, ${failed} failed, ${skipped} skipped`,
    ].join("\n");
  }
}
