/**
 * The operator's command line. Only the result goes to stdout, everything else to stderr; exits 0 done, 1
 * failed, 2 called wrongly.
 */
import { runCommand } from "./commands/run-command.ts";

const { code, out, err } = await runCommand(process.argv.slice(2));
process.exitCode = code;
process.stdout.write(out);
process.stderr.write(err);
