import { describeTraits } from "@/lib/format/servers/traits.ts";
import type { ServerDetail } from "@/lib/servers/schema.ts";

/** The server's observed capabilities, and their consequences for people. */
export function ServerTraits({ server }: { server: ServerDetail }) {
  const { seen, notYet } = describeTraits(server);
  return (
    <section aria-labelledby="traits-heading" className="flex flex-col gap-2.5">
      <h2 id="traits-heading" className="font-medium text-[13px] text-muted">
        Capabilities
      </h2>
      <div className="rounded-lg border border-line bg-panel">
        {seen.length > 0 && (
          <ul className="flex flex-col divide-y divide-line">
            {seen.map((trait) => (
              <li key={trait.text} className="grid gap-x-6 gap-y-0.5 px-4 py-2.5 md:grid-cols-2">
                <p className="font-medium">{trait.text}</p>
                <p className="text-muted max-md:text-[13px]">{trait.means}</p>
              </li>
            ))}
          </ul>
        )}
        {notYet.length > 0 && (
          <p
            className={`px-4 py-2.5 text-[13px] text-muted ${seen.length > 0 ? "border-line border-t" : ""}`}
          >
            Not seen yet: {notYet.join("; ")}.
          </p>
        )}
      </div>
    </section>
  );
}
