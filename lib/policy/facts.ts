/** What the rules of a policy can say something about. docs/governance.md lists it for who writes them. */
import { createLanguage } from "../rules/language.ts";

/** The language of policies. Texts are parsed once a process. */
export const policyLanguage = createLanguage({
  server: { id: "string", name: "string" },
  tool: "string",
  task: { label: "string", requester: "string", arguments: "map", createdAt: "google.protobuf.Timestamp" },
  request: {
    message: "string",
    // A number, or null where neither the arguments nor the question name an amount of money.
    amount: "dyn",
    currency: "dyn",
    // Names.
    fields: "list<string>",
    url: "dyn",
    askedAgain: "bool",
  },
  // The role is null where the requester is no member any more.
  requester: { id: "string", name: "string", role: "dyn", groups: "list<string>", kind: "string" },
  // Null, or an object.
  agent: "dyn",
  now: "google.protobuf.Timestamp",
});
