/** The tests that run behind PgBouncer (`npm test -- pooled`): all that uses the database in a way of its own. */
import { defineConfig } from "vitest/config";
import config from "../../vitest.config.ts";

const { projects: _, ...common } = config.test ?? {};

export default defineConfig({
  root: `${import.meta.dirname}/../..`,
  test: {
    ...common,
    include: [
      "lib/{base/db,engine,events,live-updates,task-lifecycle,input-requests,tasks,audit-streams,servers/connections}/**/*.test.ts",
      "app/api/*.test.ts",
      "test/setup/*.pooled.ts",
    ],
    globalSetup: `${import.meta.dirname}/global-setup.ts`,
    maxWorkers: 6,
  },
  ...(config.resolve && { resolve: config.resolve }),
});
