import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files whose tests mostly wait, for engines and servers and child processes. */
const WAITERS = /\/lib\/engine\/|\/scripts\/cli\.test|\/examples\//;

/** The longest files begin first, so that at the end no worker is left alone with one; the quick ones fill the gaps. */
export class WaitersFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waits = (file: TestSpecification) => WAITERS.test(file.moduleId);
    return [...sorted.filter(waits), ...sorted.filter((file) => !waits(file))];
  }
}
