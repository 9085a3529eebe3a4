/** The tests that run behind PgBouncer (`npm test -- pooled`): all that uses the database in a way of its own. */
import { defineConfig } from "vitest/config";
import config from "../../vitest.config.ts";

const { projects: _, ...common } = config.test ?? {};

export default defineConfig({
  root: `${import.meta.dirname}/../..`,
  test: {
    ...common,
    include: [
      "lib/{base/db,history/events,lifecycle,outbound/audit-streams}/**/*.test.ts",
      "lib/engine/{db,leases,jobs,sessions}/**/*.test.ts",
      "lib/engine/scenarios/{several-engines,outage,stream-questions}.test.ts",
      "app/api/{answers,bulk,canaries,isolation,observability,stream,tasks}*.test.ts",
      "test/setup/*.pooled.ts",
    ],
    // Asks a connection for the plans that it keeps: behind a pooler that is another one each time.
    exclude: ["lib/engine/db/group-commit.test.ts"],
    globalSetup: `${import.meta.dirname}/global-setup.ts`,
    maxWorkers: 6,
  },
  ...(config.resolve && { resolve: config.resolve }),
});
