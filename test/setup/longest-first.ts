import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { secondsOf } from "./long-files.ts";

/** Starts the longest files first; the quick ones fill the gaps. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId }: TestSpecification) => secondsOf(relative(this.ctx.config.root, moduleId));
    return files.toSorted((a, b) => seconds(b) - seconds(a) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}
