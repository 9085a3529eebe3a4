import { REPEATED } from "../../agents/set-up-words.ts";
import { CLIENT_INFO } from "../../mcp/client.ts";

/** What Intray says of itself to agents, and what their models are told about it. */
export const SERVER_INFO = { ...CLIENT_INFO, title: "Intray" };

export const INSTRUCTIONS = [
  "Calls of these tools become tasks that Intray keeps: they may take minutes or weeks, and people answer their questions in Intray.",
  `A call that has not finished in time answers with a taskId and what it waits for. It goes on: call wait_for_task with that taskId to get its result. ${REPEATED}`,
].join(" ");
