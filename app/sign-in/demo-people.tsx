import { ArrowRight } from "lucide-react";
import type { Role } from "@/lib/access/roles.ts";
import { capitalise } from "@/lib/text/labels.ts";

export interface DemoPerson {
  email: string;
  name: string;
  role: Role;
  organization: string;
}

const CAN: Record<Role, string> = {
  viewer: "reads tasks and requests",
  approver: "reviews and approves",
  operator: "starts tasks and approves",
  admin: "connects servers, sets rules",
  owner: "may do everything",
};

/** The people of the demo, each one click away. */
export function DemoPeople({
  people,
  disabled,
  onEnter,
}: {
  people: DemoPerson[];
  disabled: boolean;
  onEnter: (person: DemoPerson) => void;
}) {
  return (
    <section className="flex flex-col gap-2" aria-labelledby="demo-heading">
      <h2 id="demo-heading" className="font-medium text-[13px] text-muted">
        Explore the demo as
      </h2>
      <ul className="flex flex-col divide-y divide-line overflow-hidden rounded-lg border border-line bg-panel">
        {people.map((person) => (
          <li key={person.email}>
            <button
              type="button"
              disabled={disabled}
              onClick={() => onEnter(person)}
              className="group flex min-h-12 w-full items-center gap-3 px-3 py-2 text-left hover:bg-sunken focus-visible:-outline-offset-2 disabled:opacity-60"
            >
              <span
                aria-hidden
                className="grid size-8 shrink-0 place-items-center rounded-full bg-accent-soft font-semibold text-accent text-xs"
              >
                {person.name.charAt(0)}
              </span>
              <span className="min-w-0 flex-1">
                <span className="block font-medium">{person.name}</span>
                <span className="block truncate text-muted text-xs">
                  {capitalise(person.role)} of {person.organization} · {CAN[person.role]}
                </span>
              </span>
              <ArrowRight
                aria-hidden
                className="size-4 text-faint group-hover:text-accent"
                strokeWidth={1.75}
              />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
