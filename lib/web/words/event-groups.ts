/** Groups of history lines for filters, by the first word of their type. */
export const EVENT_GROUPS: { label: string; nouns: string[] }[] = [
  { label: "Answers and delivery", nouns: ["answer", "vote", "delivery", "standing_approval"] },
  { label: "Questions", nouns: ["request", "requests"] },
  { label: "Tasks", nouns: ["task", "bulk", "race"] },
  { label: "Servers and connections", nouns: ["server", "connection", "host", "recipe"] },
  { label: "People and invitations", nouns: ["member", "away", "invitation"] },
  { label: "Sign-ins and accounts", nouns: ["session", "account", "saml_provider"] },
  { label: "API keys, agents and webhooks", nouns: ["key", "agent", "service_account", "webhook"] },
  {
    label: "Settings and views",
    nouns: ["organization", "view", "call_rules", "policy", "group", "calendar"],
  },
  { label: "Access log", nouns: ["protocol", "document", "tasks", "events"] },
  { label: "Directory", nouns: ["directory"] },
  { label: "Audit streams", nouns: ["audit_stream"] },
  { label: "Slack", nouns: ["slack"] },
  { label: "Teams", nouns: ["teams"] },
];
