import { changed, type DraftCase } from "./draft.ts";
import { Check, Choice, JsonLine, ListLine, ProblemLine, TextLine, TypedLine } from "./fields.tsx";

/** A test: a request, and what it has to get by the policy. */
export function CaseForm({
  place,
  test,
  rules,
  onChange,
}: {
  place: string;
  test: DraftCase;
  /** Names of the rules. */
  rules: string[];
  onChange: (test: DraftCase) => void;
}) {
  const set = (change: Partial<DraftCase>) => onChange(changed(test, change));
  const { request = {}, expect: expected = {} } = test;
  const ask = (change: Record<string, unknown>) => set({ request: changed(request, change) });
  const requester = isFields(request.requester) ? request.requester : {};
  const askBy = (change: Record<string, unknown>) => {
    const now = changed(requester, change);
    ask({ requester: Object.keys(now).length > 0 ? now : undefined });
  };
  const line = (name: string, label: string) => (
    <TextLine
      key={name}
      place={`${place}.request.${name}`}
      label={label}
      value={typeof request[name] === "string" ? request[name] : ""}
      onChange={(value) => ask({ [name]: value === "" ? undefined : value })}
    />
  );
  return (
    <>
      <TextLine
        place={`${place}.name`}
        label="Name"
        value={test.name}
        onChange={(name) => set({ name: name === "" ? undefined : name })}
      />
      <fieldset className="flex min-w-0 flex-col gap-3 rounded-lg bg-sunken p-3">
        <legend className="float-left mb-2 w-full font-medium text-[13px]">A request of</legend>
        <div className="grid gap-3 sm:grid-cols-2">
          {line("server", "Server")}
          {line("tool", "Tool")}
          <TypedLine
            place={`${place}.request.amount`}
            label="Amount"
            numeric
            wrong="Use a number such as 5000"
            value={typeof request.amount === "number" ? request.amount : undefined}
            read={(text) => (text.trim() === "" ? { value: undefined } : numberIn(text))}
            write={(value) => (value === undefined ? "" : String(value))}
            onChange={(amount) => ask({ amount })}
          />
          {line("currency", "Currency")}
        </div>
        <details>
          <summary className="cursor-pointer text-[13px] text-muted">More about the request</summary>
          <div className="mt-3 flex flex-col gap-3">
            <div className="grid gap-3 sm:grid-cols-2">
              {line("label", "Label of the task")}
              {line("message", "Message")}
              {line("url", "Site to visit")}
              {line("now", "Asked at, such as 2026-01-05T12:00:00Z")}
              <TextLine
                place={`${place}.request.requester.address`}
                label="E-mail of the requester"
                value={typeof requester.address === "string" ? requester.address : ""}
                onChange={(address) => askBy({ address: address === "" ? undefined : address })}
              />
              <Choice
                place={`${place}.request.requester.role`}
                label="Their role"
                value={typeof requester.role === "string" ? requester.role : "operator"}
                options={{
                  viewer: "Viewer",
                  approver: "Approver",
                  operator: "Operator",
                  admin: "Admin",
                  owner: "Owner",
                }}
                onChange={(role) => askBy({ role: role === "operator" ? undefined : role })}
              />
            </div>
            <Check
              label="Asked again"
              checked={request.askedAgain === true}
              onChange={(checked) => ask({ askedAgain: checked || undefined })}
            />
            <JsonLine
              place={`${place}.request.arguments`}
              label="Arguments of the call"
              value={isFields(request.arguments) ? request.arguments : undefined}
              onChange={(args) => ask({ arguments: args })}
            />
          </div>
        </details>
        <ProblemLine place={`${place}.request`} />
      </fieldset>
      <Choice
        place={`${place}.expect.rule`}
        label="Expected rule"
        value={typeof expected.rule === "string" ? `rule ${expected.rule}` : "none"}
        options={{
          none: "No rule: any one member",
          ...Object.fromEntries(rules.map((name) => [`rule ${name}`, name])),
        }}
        onChange={(value) =>
          set({ expect: changed(expected, { rule: value === "none" ? null : value.slice("rule ".length) }) })
        }
      />
      <ListLine
        place={`${place}.expect.stages`}
        label="Its stages"
        description="Their names in order, separated by commas."
        value={expected.stages}
        onChange={(stages) => set({ expect: changed(expected, { stages }) })}
      />
    </>
  );
}

function numberIn(text: string): { value: number | undefined } | null {
  return /^\s*-?\d{1,15}(\.\d{1,6})?\s*$/.test(text) ? { value: Number(text) } : null;
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
